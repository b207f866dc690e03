package pages

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// shortID returns the beginning of an id, enough for people to tell a few apart.
func shortID(id memory.ID) string {
	rest := strings.TrimPrefix(string(id), memory.IDPrefix)
	return rest[:min(len(rest), memory.LeastShortID)]
}

// memoryPath returns the address of a memory's page.
func memoryPath(id memory.ID) string {
	return Root + "memories/" + url.PathEscape(strings.TrimPrefix(string(id), memory.IDPrefix))
}

// EntranceLink returns the address that lets a browser in to the pages at an origin by a
// secret, and then shows a page below their root; empty: the first.
func EntranceLink(origin, page, secret string) string {
	query := ""
	if page != "" {
		query = "?to=" + url.QueryEscape(page)
	}
	return origin + EnterPath + query + "#" + secret // what follows # stays in the browser
}

// listPath returns the address of a list, without what is empty.
func listPath(pairs ...string) string {
	return pathWith(Root+"memories", pairs...)
}

// pathWith adds names and values to a path, without empty values.
func pathWith(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// namedLink leads somewhere, with a number beside its name.
type namedLink struct {
	Name, Path string
	Memories   int
}

// linkOf leads to the memories of a project.
func linkOf(p Project) namedLink {
	return namedLink{Name: cut(p.Name, 60), Path: listPath("project", p.Name), Memories: p.Memories}
}

// quoted returns a text as one argument of a command line for a shell.
func quoted(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text)
	if text != "" && strings.IndexFunc(text, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/:._-@", c))
	}) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// command is a command line that does the same as a page.
func command(words ...string) string {
	return "satchel " + strings.Join(words, " ")
}
