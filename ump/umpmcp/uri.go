package umpmcp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

const (
	memoryScheme = "ump://"
	idPrefix     = "urn:ump:"
	noProject    = "_"
	maxURI       = 16 << 10 // a name of 4096 bytes, percent-encoded, and an id
)

// ResourceURI returns the URI of a memory as a resource (decision UD-23): the
// percent-encoded project, or "_" for none, and the whole id.
func ResourceURI(project string, id memory.ID) string {
	switch project {
	case "":
		project = noProject
	case noProject:
		project = "%5F"
	default:
		project = percentEncode(project, "")
	}
	return memoryScheme + project + "/" + percentEncode(string(id), ":")
}

// ParseResourceURI is the inverse of [ResourceURI]. It also accepts a project with
// unencoded slashes, because the id begins after the last one.
func ParseResourceURI(uri string) (project string, id memory.ID, err error) {
	rest, ok := strings.CutPrefix(uri, memoryScheme)
	if !ok || len(uri) > maxURI {
		return "", "", errors.New("the URI of a memory is ump://{project}/{id}")
	}
	cut := strings.LastIndexByte(rest, '/')
	if cut <= 0 {
		return "", "", errors.New("the URI of a memory has a project, or _ for none, before its id")
	}
	if project, err = percentDecode(rest[:cut]); err != nil {
		return "", "", fmt.Errorf("the project: %w", err)
	}
	if rest[:cut] == noProject {
		project = ""
	}
	name, err := percentDecode(rest[cut+1:])
	if err != nil {
		return "", "", fmt.Errorf("the id: %w", err)
	}
	if !strings.HasPrefix(name, idPrefix) {
		return "", "", errors.New("a memory is named by its whole id, urn:ump: and all")
	}
	return project, memory.ID(name), nil
}

// percentEncode escapes every byte that is neither unreserved in RFC 3986 nor in
// keep.
func percentEncode(s, keep string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-._~"+keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func percentDecode(s string) (string, error) {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return "", errors.New("% is followed by two hexadecimal digits")
	}
	if !utf8.ValidString(plain) {
		return "", errors.New("it is not UTF-8")
	}
	return plain, nil
}
