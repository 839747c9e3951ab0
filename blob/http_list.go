package blob

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// maxListing bounds the bytes of a directory's listing.
const maxListing = 256 << 20

// propfind asks for what a listing says of each object.
const propfind = `<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>`

// multistatus is the answer to PROPFIND (RFC 4918).
type multistatus struct {
	Responses []struct {
		Href      string `xml:"DAV: href"`
		Propstats []struct {
			Status string `xml:"DAV: status"`
			Prop   struct {
				Collection *struct{} `xml:"DAV: resourcetype>collection"`
				Length     int64     `xml:"DAV: getcontentlength"`
				Modified   string    `xml:"DAV: getlastmodified"`
			} `xml:"DAV: prop"`
		} `xml:"DAV: propstat"`
	} `xml:"DAV: response"`
}

// List asks a server that speaks WebDAV for a directory; of another one the error matches
// [errors.ErrUnsupported].
func (s *httpStore) List(ctx context.Context, prefix string) (list []Info, err error) {
	if s.opt.Listing != nil {
		return s.opt.Listing(ctx, prefix)
	}
	full, shown, err := s.target(ctx, prefix)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(full)
	if err != nil {
		return nil, err
	}
	dir := *u
	dir.Path, dir.RawPath = u.Path[:strings.LastIndexByte(u.Path, '/')+1], ""
	err = s.opt.retry(ctx, shown, func(ctx context.Context) error {
		header := http.Header{"Depth": {"1"}, "Content-Type": {"application/xml"}}
		return s.opt.do(ctx, s.opt.Client, "PROPFIND", dir.String(), header, contentOf([]byte(propfind)), func(res *http.Response) error {
			switch code := res.StatusCode; {
			case code == http.StatusMultiStatus:
			case code == http.StatusNotFound:
				list = nil
				return nil
			case code == http.StatusForbidden, code == http.StatusMethodNotAllowed, code == http.StatusNotImplemented, code == http.StatusBadRequest, code == http.StatusOK:
				return fmt.Errorf("%s: the server lists no directories (PROPFIND is answered with %s): %w", shown, res.Status, errors.ErrUnsupported)
			default:
				return (&httpObject{name: shown}).refused(res)
			}
			var found multistatus
			if err := xml.NewDecoder(io.LimitReader(res.Body, maxListing)).Decode(&found); err != nil {
				return fmt.Errorf("%s: %w: a listing that does not parse: %w", shown, ErrProtocol, err)
			}
			list, err = found.objects(&dir, u.Path)
			return err
		})
	})
	return list, err
}

// objects are those directly in a directory whose paths begin with a prefix.
func (m *multistatus) objects(dir *url.URL, prefix string) ([]Info, error) {
	var out []Info
	for _, r := range m.Responses {
		at, err := url.Parse(strings.TrimSpace(r.Href))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: a listing with the address %q", dir.Redacted(), ErrProtocol, r.Href)
		}
		p := dir.ResolveReference(at).Path
		if !strings.HasPrefix(p, prefix) || path.Dir(p)+"/" != path.Clean(dir.Path)+"/" && path.Dir(p) != path.Clean(dir.Path) {
			continue
		}
		for _, ps := range r.Propstats {
			if !strings.Contains(ps.Status, " 200 ") || ps.Prop.Collection != nil || strings.HasSuffix(p, "/") {
				continue
			}
			name := *dir
			name.Path = p
			when, _ := http.ParseTime(ps.Prop.Modified) // zero: the server does not say
			out = append(out, Info{name.String(), ps.Prop.Length, when.In(time.UTC)})
			break
		}
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}
