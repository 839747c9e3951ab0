package sparql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/hosts"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

// ServiceOptions say how SERVICE asks endpoints. A nil pointer and zero fields
// stand for the defaults.
type ServiceOptions struct {
	// Allow says whether an address may be asked, also one that an endpoint
	// redirects to; its error is that of the query. Nil allows every http and
	// https address: a server should not. See [AllowHosts].
	Allow func(address *url.URL) error
	// Timeout bounds one request with its answer; 0 stands for 60 s, and less
	// than that for no bound but the context's.
	Timeout time.Duration
	// MaxBytes bounds an answer, after decompression; 0 stands for 64 MiB.
	MaxBytes int64
}

// AllowHosts returns a check of addresses that lets pass the hosts of a list: names
// or addresses, with or without a port, *.name for the names below one, or * for
// all.
func AllowHosts(list ...string) (func(address *url.URL) error, error) {
	l, err := hosts.Parse(list)
	if err != nil {
		return nil, err
	}
	return l.Check, nil
}

// defaultServiceTimeout is the default of ServiceOptions.Timeout.
const defaultServiceTimeout = time.Minute

// defaultServiceBytes is the default of ServiceOptions.MaxBytes.
const defaultServiceBytes = 64 << 20

// maxGET is the longest address that is asked by GET; longer queries are sent
// by POST.
const maxGET = 2000

// ServiceError is the failure of an endpoint that SERVICE asked.
type ServiceError struct {
	Endpoint string
	Status   int   // of the response; 0 if there was none
	Err      error // what happened
}

func (e *ServiceError) Error() string {
	return "sparql: SERVICE <" + e.Endpoint + ">: " + e.Err.Error()
}

// Unwrap returns what happened.
func (e *ServiceError) Unwrap() error { return e.Err }

// HTTPService lets the query ask endpoints over the SPARQL 1.1 Protocol. A nil
// client stands for [http.DefaultClient].
func HTTPService(client *http.Client, opt *ServiceOptions) Option {
	s := &httpService{maxBytes: defaultServiceBytes, timeout: defaultServiceTimeout}
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	s.client = &c
	if opt != nil {
		s.allow = opt.Allow
		if opt.Timeout != 0 {
			s.timeout = opt.Timeout
		}
		if opt.MaxBytes > 0 {
			s.maxBytes = opt.MaxBytes
		}
	}
	s.client.CheckRedirect = s.redirect(client.CheckRedirect)
	return WithService(s.ask)
}

type httpService struct {
	client   *http.Client
	allow    func(*url.URL) error
	maxBytes int64
	timeout  time.Duration
}

// check refuses addresses that may not be asked.
func (s *httpService) check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("the endpoint is no http or https address")
	}
	if s.allow != nil {
		return s.allow(u)
	}
	return nil
}

// redirect checks each address that an endpoint redirects to.
func (s *httpService) redirect(then func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if err := s.check(req.URL); err != nil {
			return err
		}
		if then != nil {
			return then(req, via)
		}
		if len(via) >= 10 {
			return errors.New("stopped after 10 redirects")
		}
		return nil
	}
}

// ask sends the group to an endpoint and reads its answer.
func (s *httpService) ask(ctx context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error) {
	asked := ctx
	if s.timeout > 0 {
		var cancel context.CancelFunc
		asked, cancel = context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("no whole answer within %v", s.timeout))
		defer cancel()
	}
	fail := func(status int, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if asked.Err() != nil {
			err = context.Cause(asked)
		}
		return &ServiceError{endpoint, status, err}
	}
	req, err := s.request(asked, endpoint, selectText(group, vars))
	if err != nil {
		return nil, fail(0, err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fail(0, err)
	}
	defer resp.Body.Close()
	body := &limitedReader{r: resp.Body, left: s.maxBytes, limit: s.maxBytes}
	if resp.StatusCode/100 != 2 {
		return nil, fail(resp.StatusCode, fmt.Errorf("status %s%s", resp.Status, firstWords(body)))
	}
	rows, err := readRows(body, resp.Header.Get("Content-Type"), vars)
	if err != nil {
		return nil, fail(resp.StatusCode, err)
	}
	return rows, nil
}

// selectText is the query for a group.
func selectText(group string, vars []string) string {
	if len(vars) == 0 {
		return "SELECT * WHERE " + group
	}
	return "SELECT ?" + strings.Join(vars, " ?") + " WHERE " + group
}

func (s *httpService) request(ctx context.Context, endpoint, query string) (*http.Request, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	if err := s.check(u); err != nil {
		return nil, err
	}
	form := url.Values{"query": {query}}.Encode()
	get := *u
	if get.RawQuery != "" {
		get.RawQuery += "&"
	}
	get.RawQuery += form
	var req *http.Request
	if len(get.String()) <= maxGET {
		req, err = http.NewRequestWithContext(ctx, http.MethodGet, get.String(), nil)
	} else {
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(form))
	}
	if err != nil {
		return nil, err
	}
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", results.JSON.MediaType()+", "+results.XML.MediaType()+";q=0.8, "+results.TSV.MediaType()+";q=0.5")
	req.Header.Set("User-Agent", "rete")
	return req, nil
}

// readRows reads an answer into rows of the given variables. CSV is refused: it
// has no IRIs.
func readRows(body io.Reader, contentType string, vars []string) ([][]rdf.Term, error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, fmt.Errorf("the answer has the type %q, which is none", contentType)
	}
	format, ok := results.ParseFormat(media)
	if !ok || format != results.JSON && format != results.XML && format != results.TSV {
		return nil, fmt.Errorf("the answer has the type %q, which does not tell the kinds of terms", contentType)
	}
	r, err := results.NewReader(body, format)
	if err != nil {
		return nil, err
	}
	if _, is := r.Boolean(); is {
		return nil, errors.New("the answer is that of an ASK")
	}
	place := make([]int, len(vars))
	for i, v := range vars {
		place[i] = slices.Index(r.Vars(), v)
	}
	var rows [][]rdf.Term
	row := make([]rdf.Term, len(r.Vars()))
	for {
		if err := r.Read(row); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		out := make([]rdf.Term, len(vars))
		for i, at := range place {
			if at >= 0 {
				out[i] = row[at]
			}
		}
		rows = append(rows, out)
	}
}

// limitedReader fails after its limit, where io.LimitReader would end.
type limitedReader struct {
	r           io.Reader
	left, limit int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		var one [1]byte
		if n, err := l.r.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("the answer is longer than %d bytes", l.limit)
	}
	p = p[:min(int64(len(p)), l.left)]
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}

// firstWords returns the beginning of a failure's body for a message.
func firstWords(body io.Reader) string {
	b, _ := io.ReadAll(io.LimitReader(body, 300))
	text := strings.Join(strings.Fields(string(b)), " ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return ""
	}
	return ": " + text
}
