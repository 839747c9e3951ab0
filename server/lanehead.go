package server

import (
	"bytes"
	"strings"
)

// simpleRequest reports whether b begins with a request that the lane may answer, and
// the number of bytes that it takes with its body. It is narrow on purpose: one of
// HTTP/1.1 by GET or POST, whose whole head is there, of printable ASCII without odd
// spaces, with one Host, and without anything that says how the connection or the body
// is to be used, but for a Content-Length in digits. All else, right or wrong, is for
// http.Server.
func simpleRequest(b []byte) (size int, ok bool) {
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		return 0, false
	}
	line, rest, _ := bytes.Cut(b[:end+2], []byte("\r\n"))
	post := bytes.HasPrefix(line, []byte("POST /"))
	if !post && !bytes.HasPrefix(line, []byte("GET /")) || !bytes.HasSuffix(line, []byte(" HTTP/1.1")) ||
		bytes.Count(line, []byte(" ")) != 2 || !printable(line) {
		return 0, false
	}
	host, length := false, -1
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, found := bytes.Cut(line, []byte(": "))
		if !found || !plainName(name) || !printable(value) || len(value) > 0 && value[0] == ' ' {
			return 0, false
		}
		switch strings.ToLower(string(name)) { // of a short one no copy is made
		case "host":
			if host || !plainHost(value) {
				return 0, false
			}
			host = true
		case "content-length":
			if length >= 0 || len(value) == 0 || len(value) > 6 {
				return 0, false
			}
			length = 0
			for _, c := range value {
				if c < '0' || c > '9' {
					return 0, false
				}
				length = 10*length + int(c-'0')
			}
		case "connection":
			if !strings.EqualFold(string(value), "keep-alive") {
				return 0, false
			}
		case "transfer-encoding", "expect", "upgrade", "trailer", "te", "http2-settings", "proxy-connection", "keep-alive":
			return 0, false
		}
	}
	if !host || post != (length >= 0) {
		return 0, false
	}
	return end + 4 + max(length, 0), true
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// plainName reports whether a name is of letters, digits and hyphens.
func plainName(b []byte) bool {
	for _, c := range b {
		if !letterOrDigit(c) && c != '-' {
			return false
		}
	}
	return len(b) > 0
}

// plainHost reports whether a Host is a name or an address, perhaps with a port.
func plainHost(b []byte) bool {
	for _, c := range b {
		if !letterOrDigit(c) && c != '.' && c != ':' && c != '-' && c != '[' && c != ']' {
			return false
		}
	}
	return len(b) > 0
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
