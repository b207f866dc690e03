package engram_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// shop is a store that says what it is told to say.
type shop struct {
	says  map[string]engram.Response // by "GET /path", without the query
	asked []engram.Request
}

// Do answers what is asked.
func (s *shop) Do(_ context.Context, r engram.Request) (engram.Response, error) {
	s.asked = append(s.asked, r)
	path := strings.TrimPrefix(r.URL, "https://harbour.example")
	if path == r.URL {
		return engram.Response{}, errors.New("nobody is there")
	}
	path, _, _ = strings.Cut(path, "?")
	if got, ok := s.says[r.Method+" "+path]; ok {
		return got, nil
	}
	return engram.Response{Status: 404, Body: []byte(`{"error":{"code":"invalid_request","message":"no such route","status":404}}`)}, nil
}

// requests are what was asked, as method and path with the query.
func (s *shop) requests() []string {
	var list []string
	for _, r := range s.asked {
		list = append(list, r.Method+" "+strings.TrimPrefix(r.URL, "https://harbour.example"))
	}
	s.asked = nil
	return list
}

func (s *shop) say(what, body string) {
	s.says[what] = engram.Response{Status: 200, Body: []byte(body)}
}

// openShop returns a store that issued the sample at noon, and a client of it.
func openShop(t testing.TB, edit func(*engram.ClientOptions)) (*shop, *engram.Client, *time.Time) {
	t.Helper()
	now := noon(t)
	s := &shop{says: map[string]engram.Response{}}
	s.say("GET /v1/context", string(issued(t)))
	s.say("GET /.well-known/engram-keys", string(engram.EncodeKeys([]engram.Key{testListed(t)})))
	o := engram.ClientOptions{Base: "https://harbour.example/", Token: "tk", Transport: s, Now: func() time.Time { return now }, Runtime: "radio-1"}
	if edit != nil {
		edit(&o)
	}
	c, err := engram.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, c, &now
}
