package aaifhttp

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
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

// place reads the parameter after, in the form of formatPlace; zero values: there is none.
func (p parameters) place() (at time.Time, id string, err error) {
	if _, ok := p["after"]; !ok {
		return time.Time{}, "", nil
	}
	before, id, ok := strings.Cut(p.text("after"), ".")
	micros, err := strconv.ParseInt(before, 10, 64)
	if !ok || err != nil || id == "" {
		return time.Time{}, "", invalid("the parameter after is what next says")
	}
	return time.UnixMicro(micros).UTC(), id, nil
}

// formatPlace writes a place in a list: microseconds since 1970, a dot, the id.
func formatPlace(at time.Time, id string) string {
	return strconv.FormatInt(at.UnixMicro(), 10) + "." + id
}

// sendPage answers with a page of a list, as the member name, and with the path of the next
// page. read returns at most limit items from the place that the query names. place is what
// the parameter after says of an item.
func sendPage[T any](w http.ResponseWriter, p parameters, path, name string, read func(limit int) ([]T, error), place func(T) string, value func(T) canon.Value) error {
	limit, err := p.number("limit", 1, mostItems, manyItems)
	if err != nil {
		return err
	}
	list, err := read(limit + 1)
	if err != nil {
		return err
	}
	next := ""
	if len(list) > limit {
		list = list[:limit]
		query := maps.Clone(url.Values(p))
		query.Set("after", place(list[limit-1]))
		next = path + "?" + query.Encode()
	}
	items := make([]canon.Value, len(list))
	for i, one := range list {
		items[i] = value(one)
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: name, Value: canon.Array(items...)}, optional("next", next)))
	return nil
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
