package engramhttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// parametersOf returns the query of a request. It refuses unknown parameters: a misspelt
// categories would return everything.
func parametersOf(r *http.Request, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("ENGRAM-3.9-ERR-8", "the query is not spelled as one")
	}
	known = append(known, versionMember)
	for name := range values {
		if !slices.Contains(known, name) {
			return nil, invalid("ENGRAM-3.9-ERR-8", "a parameter is not known here; there are "+strings.Join(known, ", "))
		}
	}
	return values, nil
}

// partOf reads the wanted part of the memory (section 3.9, decisions E-19 to E-21). Each
// category has its own parameter (ENGRAM-3.9-CAT-3).
func (h *Handler) partOf(p url.Values) (engram.Query, error) {
	q := engram.Query{NoPending: h.options.NoPending}
	if said, there := p["scope"]; there {
		q.Scope = engram.Scope(said[0])
		if said[0] == "" || len(slices.Compact(slices.Clone(said))) > 1 {
			return q, &engram.Fault{Code: engram.InvalidScope, Rule: "ENGRAM-3.9-SCOPE-3",
				Detail: "scope is full, professional, personal, financial or minimal, and stands there once"}
		}
	}
	for _, said := range p["categories"] {
		if c := engram.Category(said); !slices.Contains(q.Categories, c) {
			q.Categories = append(q.Categories, c)
		}
	}
	if err := q.Check(); err != nil {
		return q, err
	}
	if q.Scope == engram.Custom { // any list is custom, and a token may have another scope than full
		q.Scope = ""
	}
	return q, nil
}

// quoted repeats a text of the request as far as it can be shown.
func quoted(said string) string {
	const most = 80
	said = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '"' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(said, ""))
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return `"` + said + `"`
}

// sinceOf reads the start of the wanted changes, and its spelling: an unescaped "+" arrives
// as a space (decision E-38).
func sinceOf(p url.Values) (at time.Time, spelled string, err error) {
	said := p["since"]
	if len(said) == 1 {
		spelled = strings.Replace(said[0], " ", "+", 1)
		if at, ok := memory.ParseInstant(spelled); ok {
			return at.UTC(), spelled, nil
		}
	}
	return at, "", invalid("ENGRAM-3.9-DIFF-1", "say since when, once, as an RFC 3339 time such as 2026-04-19T10:00:00Z")
}
