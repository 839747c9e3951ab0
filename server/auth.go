package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rete-go/rete/internal/vfs"
)

// Scope is what a request may do; each one includes those before it.
type Scope uint8

// The scopes.
const (
	ScopeNone  Scope = iota
	ScopeRead        // queries, graphs, metrics
	ScopeWrite       // updates, graph writes
	ScopeAdmin       // /admin
)

var scopeNames = [...]string{"none", "read", "write", "admin"}

func (s Scope) String() string { return scopeNames[s] }

// parseScope returns the scope with the name read, write or admin.
func parseScope(name string) (Scope, error) {
	for s := ScopeRead; s <= ScopeAdmin; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return ScopeNone, fmt.Errorf("scope %q is not read, write or admin", name)
}

// token is a line of a token file.
type token struct {
	name   string
	scope  Scope
	digest [sha256.Size]byte
}

// Tokens are the tokens of a file, which can be read again. A line is a name, a
// scope and the SHA-256 of the secret in hexadecimal digits, with blanks between;
// empty lines and lines that begin with # are passed over.
type Tokens struct {
	file string
	list atomic.Pointer[[]token]
}

// maxTokens bounds a token file.
const maxTokens = 16 << 20

// OpenTokens reads a token file, which must be a regular file: it is read again.
func OpenTokens(file string) (*Tokens, error) {
	file, err := filepath.Abs(file) // the working directory may change until it is read again
	if err != nil {
		return nil, err
	}
	t := &Tokens{file: file}
	return t, t.Reload()
}

// Reload reads the file again. After an error what was known stays.
func (t *Tokens) Reload() error {
	text, err := vfs.ReadFile(vfs.OS(), t.file, maxTokens) // a pipe could not be read again
	if err != nil {
		return err
	}
	list, err := parseTokens(t.file, string(text))
	if err != nil {
		return err
	}
	t.list.Store(&list)
	return nil
}

func parseTokens(file, text string) ([]token, error) {
	var list []token
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		t, err := parseToken(fields)
		if err == nil && seen[t.name] {
			err = fmt.Errorf("a second token of the name %s", t.name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		seen[t.name] = true
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no tokens", file)
	}
	return list, nil
}

// parseToken does not repeat the digest in its errors: it may be a secret that
// somebody put there by mistake.
func parseToken(fields []string) (token, error) {
	if len(fields) != 3 {
		return token{}, errors.New("a line is a name, a scope and the SHA-256 of the secret")
	}
	t := token{name: fields[0]}
	var err error
	if t.scope, err = parseScope(fields[1]); err != nil {
		return t, err
	}
	digest, err := hex.DecodeString(fields[2])
	if err != nil || len(digest) != sha256.Size {
		return t, errors.New("the third field is not the 64 hexadecimal digits of a SHA-256")
	}
	copy(t.digest[:], digest)
	return t, nil
}

// find returns whose secret it is. It compares with all, each in constant time.
func (t *Tokens) find(secret string) (token, bool) {
	digest := sha256.Sum256([]byte(secret))
	var found token
	ok := false
	for _, k := range *t.list.Load() {
		if subtle.ConstantTimeCompare(k.digest[:], digest[:]) == 1 {
			found, ok = k, true
		}
	}
	return found, ok
}

// sameSecret compares in constant time.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// caller is the user or program that makes a request.
type caller struct {
	name  string // of the token; empty without one
	scope Scope
	owner bool // knows Options.Secret
}

// authenticate returns the caller of a request: by a Bearer token, or by Basic, where
// the password is the token and the user name does not matter.
func (s *Server) authenticate(r *http.Request) (caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return caller{scope: s.opt.Anonymous}, nil
	}
	secret := ""
	if scheme, rest, _ := strings.Cut(header, " "); strings.EqualFold(scheme, "Bearer") {
		secret = strings.TrimSpace(rest)
	} else if _, password, ok := r.BasicAuth(); ok {
		secret = password
	} else {
		return caller{}, problem(http.StatusUnauthorized, "unauthorized", "Unauthorized", "the Authorization is neither Bearer nor Basic")
	}
	if s.opt.Secret != "" && sameSecret(s.opt.Secret, secret) {
		return caller{name: "local", scope: ScopeAdmin, owner: true}, nil
	}
	if s.opt.Tokens == nil { // there is nothing that a token could add
		return caller{scope: s.opt.Anonymous}, nil
	}
	t, ok := s.opt.Tokens.find(secret)
	if !ok {
		return caller{}, problem(http.StatusUnauthorized, "unauthorized", "Unauthorized", "the token is not known")
	}
	return caller{name: t.name, scope: t.scope}, nil
}

// allow returns nil if the caller may do what needs a scope.
func (x *exchange) allow(need Scope) error {
	c := x.caller
	switch {
	case c.scope >= need:
		return nil
	case c.name != "":
		return lacking(need, fmt.Sprintf("this needs the scope %s; the token has %s", need, c.scope))
	case x.s.opt.Tokens == nil: // asking for one would lead nowhere
		return lacking(need, fmt.Sprintf("this needs the scope %s; requests have %s, and this server was given no tokens", need, c.scope))
	}
	return problem(http.StatusUnauthorized, "unauthorized", "Unauthorized", "this needs a token with the scope "+need.String())
}

func lacking(need Scope, detail string) *Problem {
	p := problem(http.StatusForbidden, "forbidden", "Forbidden", detail)
	p.Scope = need.String()
	return p
}

// challenges are the WWW-Authenticate of a 401: how this client can say who it is. The
// client of the Java platform, by which Jena asks, knows Basic alone, and does not log in
// where another scheme stands with it. So it is with a request that came with Basic.
// Others get both, that of most programs first, since some look at the first alone. For scripts of
// web pages Basic would make the browser ask the user itself, so they get Bearer.
func challenges(r *http.Request) []string {
	const basic, bearer = `Basic realm="rete", charset="UTF-8"`, `Bearer realm="rete"`
	if r.Header.Get("Sec-Fetch-Dest") == "empty" {
		return []string{bearer}
	}
	_, _, tried := r.BasicAuth()
	if tried || strings.HasPrefix(r.UserAgent(), "Java-http-client/") {
		return []string{basic}
	}
	return []string{basic, bearer}
}

// CheckBind returns an error if a server with these options must not listen on an
// address, such as 127.0.0.1:7878: without tokens, and unless anybody may read, it
// is for its own machine.
func CheckBind(address string, tokens *Tokens, anonymous Scope) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	switch {
	case IsLoopback(host), tokens != nil && anonymous <= ScopeRead:
		return nil
	case tokens == nil && anonymous == ScopeNone:
		return fmt.Errorf("%s can be reached from other machines: give --tokens FILE, or --anonymous read to let anybody read, or bind to 127.0.0.1", address)
	case anonymous > ScopeRead:
		return fmt.Errorf("%s can be reached from other machines: without a token nobody may do more than read there", address)
	}
	return nil
}

// IsLoopback reports whether a host is this machine by its name or address.
func IsLoopback(host string) bool {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
