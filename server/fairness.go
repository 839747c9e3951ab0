package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rete-go/rete/server/internal/fair"
)

// fairly answers with serve, unless the caller has taken more than its share.
func (x *exchange) fairly(serve func() error) error {
	payer := x.payer()
	if payer == "" {
		return serve()
	}
	leave, refused := x.s.fair.Enter(payer)
	if refused != nil {
		return x.tooMany(refused)
	}
	defer func() { leave(x.worked + x.watched.Worked()) }()
	return serve()
}

// orSpent returns the error of a caller that is not known, or that of one who failed too often.
func (x *exchange) orSpent(err error) error {
	if refused := x.s.fair.Spent(x.payer()); refused != nil {
		return x.tooMany(refused)
	}
	return err
}

// payer is whose allowances a request takes from: those of a token, or else of an address. It is
// empty for the owner of the process.
func (x *exchange) payer() string {
	switch {
	case x.s.fair == nil || x.caller.owner:
		return ""
	case x.caller.name != "":
		return "token " + x.caller.name
	}
	return "address " + x.s.clientAddress(x.r)
}

func (x *exchange) tooMany(r *fair.Refusal) error {
	x.s.metrics.refused.WithLabelValues(string(r.Reason)).Inc()
	o := &x.s.opt
	detail := map[fair.Reason]string{
		fair.Work:    fmt.Sprintf("the requests of this caller may run for %s in a minute", o.CallerTime),
		fair.Errors:  fmt.Sprintf("%d requests of this caller may fail in a minute", o.CallerErrors),
		fair.Running: fmt.Sprintf("%d requests of this caller may run or wait at once", o.CallerRunning),
	}[r.Reason]
	p := problem(http.StatusTooManyRequests, "too-many", "Too many requests", detail)
	p.retry = int(r.After / time.Second)
	return p
}

// countsAsError reports whether a request that had this answer failed by the caller's fault. A 401 is
// an answer to a guess only where there was one: clients ask without a token to learn that they need it.
func countsAsError(r *http.Request, status int) bool {
	switch status {
	case http.StatusUnauthorized:
		return r.Header.Get("Authorization") != ""
	case http.StatusNotFound, http.StatusPreconditionFailed, http.StatusTooManyRequests, statusClientGone:
		return false
	case http.StatusGatewayTimeout:
		return true
	}
	return status >= 400 && status < 500
}

// clientAddress is the address of the client: that of the connection, or what proxies that are
// trusted say in X-Forwarded-For, to which each adds the address that it was asked from. The
// addresses of one network of IPv6 (/64) are one: a client may have all of them.
func (s *Server) clientAddress(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
			return host
		}
		return r.RemoteAddr
	}
	addr := from.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusted(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap().WithZone("")
	}
	if addr.Is6() {
		network, _ := addr.Prefix(64) // which 128 bits have
		return network.String()
	}
	return addr.String()
}
