package pages_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// The fake knows one program and one token, which is given the first hit alone.
func (f *fake) Askers(context.Context, memory.Caller, time.Time) ([]pages.Asker, error) {
	return []pages.Asker{{Name: "claude-code", Title: "Claude Code"}, {Name: "token:j1", Title: "<b>Printer</b>", Token: true}}, f.fails
}

func (f *fake) SearchAs(_ context.Context, _ memory.Caller, name string, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	f.asked, f.askedAs = q, name
	if name == "claude-code" {
		return nil, nil, &memory.Error{Kind: memory.ForbiddenScope, Message: "the owner has paused claude-code"}
	}
	return f.hits[:min(1, len(f.hits))], nil, nil
}

func TestSearchAs(t *testing.T) {
	s := open()
	s.fake.hits = []memory.Hit{{Record: record("abcdefgh", "tea"), Score: .9}, {Record: record("bcdefghi", "coffee"), Score: .5}}
	body := s.see(t, "/me/search?q=drink&as=token:j1&limit=20")
	wants(t, body, "What <bdi>&lt;b&gt;Printer&lt;/b&gt;</bdi> is given", `<option value="token:j1" selected>Token: &lt;b&gt;Printer`, "POST /ump/recall with the token", "You are given this, and it is not", "for this token also")
	if given, withheld, _ := strings.Cut(body, "You are given this"); !strings.Contains(given, "tea") || strings.Contains(given, "coffee") || !strings.Contains(withheld, "coffee") || s.fake.askedAs != "token:j1" {
		t.Errorf("as %q: %s", s.fake.askedAs, body)
	}
	wants(t, s.see(t, "/me/search?q=drink&as=claude-code"), "It would get no answer", "The owner has paused claude-code")
	s.fake.hits = s.fake.hits[:1]
	wants(t, s.see(t, "/me/search?q=drink&as=token:j1"), "It is given all that you are given")
	if got, _ := s.ask("GET", "/me/search?q=drink&as=token:j2", "", visit); got.StatusCode != 404 {
		t.Errorf("somebody unknown: %d", got.StatusCode)
	}
}
