package aaifhttp

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// manyItems is the default number of items in a list, and mostItems the maximum.
const (
	manyItems = 100
	mostItems = 200
)

// parameters is the query of a request.
type parameters url.Values

// parametersOf returns the query of a request. It accepts only known parameters, each at
// most once.
func parametersOf(r *http.Request, known ...string) (parameters, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the query is not spelled as one")
	}
	for name, said := range values {
		if !slices.Contains(known, name) {
			return nil, invalid("a parameter is not known here; there are: " + strings.Join(known, ", "))
		}
		if len(said) > 1 {
			return nil, invalid("the parameter " + name + " stands there more than once")
		}
	}
	return parameters(values), nil
}

func (p parameters) text(name string) string { return url.Values(p).Get(name) }

// number reads a whole number within bounds, or returns a default.
func (p parameters) number(name string, least, most, otherwise int) (int, error) {
	if _, ok := p[name]; !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < least || n > most {
		return 0, invalid("the parameter " + name + " is a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most))
	}
	return n, nil
}

// place reads the place at which a page of checkpoints begins, in the form of
// formatPlace.
func (p parameters) place(name string) (aaif.Place, error) {
	if _, ok := p[name]; !ok {
		return aaif.Place{}, nil
	}
	at, id, ok := strings.Cut(p.text(name), ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil || id == "" {
		return aaif.Place{}, invalid("the parameter " + name + " is what next says")
	}
	return aaif.Place{CheckpointAt: time.UnixMicro(micros).UTC(), StateID: id}, nil
}

// formatPlace writes a place: microseconds since 1970, a dot, the id.
func formatPlace(at aaif.Place) string {
	return strconv.FormatInt(at.CheckpointAt.UnixMicro(), 10) + "." + at.StateID
}

// listing is a list that clients read a page at a time.
type listing[T, P any] struct {
	path, name string
	filter     []string                                   // parameters beside after and limit
	place      func(p parameters, name string) (P, error) // reads where a page begins
	read       func(p parameters, after P, limit int) ([]T, error)
	placed     func(last T) string // writes where the next one begins
	value      func(T) canon.Value
}

// send answers with the page that the owner asks for.
func (l listing[T, P]) send(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.requireOwner(r, c); err != nil {
		return err
	}
	p, err := parametersOf(r, append(l.filter, "after", "limit")...)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1, mostItems, manyItems)
	if err != nil {
		return err
	}
	after, err := l.place(p, "after")
	if err != nil {
		return err
	}
	list, err := l.read(p, after, limit+1)
	if err != nil {
		return err
	}
	next := ""
	if len(list) > limit {
		list = list[:limit]
		next = nextPage(l.path, p, l.placed(list[limit-1]))
	}
	items := make([]canon.Value, len(list))
	for i, item := range list {
		items[i] = l.value(item)
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: l.name, Value: canon.Array(items...)}, optional("next", next)))
	return nil
}

// nextPage returns the same query for the next page.
func nextPage(path string, p parameters, after string) string {
	query := maps.Clone(url.Values(p))
	query.Set("after", after)
	return path + "?" + query.Encode()
}

// truth reads true or false; the default is false.
func (p parameters) truth(name string) (bool, error) {
	if _, ok := p[name]; !ok {
		return false, nil
	}
	if said := p.text(name); said == "true" || said == "false" {
		return said == "true", nil
	}
	return false, invalid("the parameter " + name + " is true or false")
}

func invalid(detail string) error {
	return &answer{status: http.StatusBadRequest, code: invalidQuery, detail: detail}
}
