package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// physician is a doctor that takes as long as a test wants.
type physician struct {
	goes chan struct{}
	mu   sync.Mutex
	done []bool // mend or not
}

func (p *physician) Examine(ctx context.Context, mend bool) ([]server.Finding, error) {
	select {
	case <-p.goes:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, mend)
	return []server.Finding{{Check: "left-overs", Message: "a file was left", Remedy: "satchel doctor --mend", Mends: true}, {Check: "disk", OK: true, Message: "there is room"}}, nil
}

func (*physician) Facts(context.Context) []server.Fact {
	return []server.Fact{{Name: "Schema", Value: "9"}}
}

// A check runs in the background, one at a time, and the page says what it found.
func TestPagesHealth(t *testing.T) {
	t.Parallel()
	doctor := &physician{goes: make(chan struct{})}
	h := paged(t, func(o *server.Options) { o.Pages.Doctor = doctor })
	cookie := h.letIn(t)
	h.await(t, cookie, "/me/health", "Not checked since the server started")
	for range 3 {
		h.press(t, cookie, "/me/health/check")
	}
	h.await(t, cookie, "/me/health", "Looking through the store")
	close(doctor.goes)
	body := h.await(t, cookie, "/me/health", "1 thing is wrong")
	for _, says := range []string{"a file was left", "satchel doctor --mend", "WRONG left-overs", "schema: 9", "/me/health/mend"} {
		if !strings.Contains(body, says) {
			t.Errorf("no %q in %s", says, body)
		}
	}
	h.press(t, cookie, "/me/health/mend")
	h.await(t, cookie, "/me/health", "1 thing is wrong")
	doctor.mu.Lock()
	defer doctor.mu.Unlock()
	if fmt.Sprint(doctor.done) != "[false true]" {
		t.Errorf("examined %v", doctor.done)
	}
}

// A server that nobody examines says so.
func TestPagesNoDoctor(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	if got := h.look(t, "POST", "/me/health/check", "token="+h.formTokenOf(t, cookie), cookie); got.StatusCode != 501 {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	if body := string(h.look(t, "GET", "/me/agents", "", cookie).body); !strings.Contains(body, "This server keeps no agents") {
		t.Errorf("%s", body)
	}
}

// Joined projects are found together, and apart again.
func TestPagesProjects(t *testing.T) {
	t.Parallel()
	h := paged(t)
	for i, project := range []string{"shop", "shop", "store"} {
		h.keep(t, memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprint("fact ", i)}, Scope: memory.Scope{Project: project}})
	}
	cookie := h.letIn(t)
	plan := string(h.look(t, "GET", "/me/projects/join?alias=store&project=shop", "", cookie).body)
	if !strings.Contains(plan, "1 memory and 2 memories are found together: 3 memories in one project") {
		t.Errorf("%s", plan)
	}
	h.press(t, cookie, "/me/projects/join", "&alias=store&project=shop")
	if body := string(h.look(t, "GET", "/me/projects", "", cookie).body); !strings.Contains(body, "3 memories") || !strings.Contains(body, "also called <bdi>store") || !strings.Contains(body, "last <time") {
		t.Errorf("joined: %s", body)
	}
	h.press(t, cookie, "/me/projects/part", "&alias=store")
	if body := string(h.look(t, "GET", "/me/projects", "", cookie).body); !strings.Contains(body, "2 memories") || strings.Contains(body, "also called") {
		t.Errorf("apart: %s", body)
	}
}

// A download holds what the export for programs holds.
func TestPagesExport(t *testing.T) {
	t.Parallel()
	h := paged(t)
	for i := range 7 {
		h.remember(t, fmt.Sprintf("fact number %d", i))
	}
	cookie := h.letIn(t)
	if plan := string(h.look(t, "GET", "/me/export?format=ump", "", cookie).body); !strings.Contains(plan, "<strong>7 memories</strong>, each exactly as it is here") {
		t.Errorf("%s", plan)
	}
	got := h.look(t, "POST", "/me/export", "token="+h.formTokenOf(t, cookie)+"&format=ump", cookie)
	if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Disposition") != `attachment; filename="memory.ump.ndjson"` {
		t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	ids := func(lines string) (all []string) {
		for line := range strings.Lines(lines) {
			var rec struct{ ID string }
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			all = append(all, rec.ID)
		}
		slices.Sort(all)
		return all
	}
	own := ids(string(got.body))
	if len(own) != 7 {
		t.Errorf("%q", own)
	}
	for _, f := range []string{"", "&format=", "&format=aimem", "&format=../x"} {
		if got := h.look(t, "POST", "/me/export", "token="+h.formTokenOf(t, cookie)+f, cookie); got.StatusCode != 404 {
			t.Errorf("%q: %d", f, got.StatusCode)
		}
	}
	for _, f := range downloadNames(t, h, cookie) {
		if got := h.look(t, "GET", "/me/export?format="+f, "", cookie); got.StatusCode != 200 {
			t.Errorf("%s: %d %s", f, got.StatusCode, got.body)
		}
		if got := h.look(t, "POST", "/me/export", "token="+h.formTokenOf(t, cookie)+"&format="+f, cookie); got.StatusCode != 200 || len(got.body) < 100 {
			t.Errorf("%s: %d %s", f, got.StatusCode, got.body)
		}
	}
}

// downloadNames are the formats that the page offers.
func downloadNames(t *testing.T, h house, cookie string) (names []string) {
	t.Helper()
	_, list, _ := strings.Cut(string(h.look(t, "GET", "/me/export", "", cookie).body), `<select name="format">`)
	list, _, _ = strings.Cut(list, "</select>")
	for _, part := range strings.Split(list, `<option value="`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	if len(names) < 2 {
		t.Fatalf("%q", names)
	}
	return names
}

// What surrounds a memory is the owner's alone, and so is a timeline.
func TestPagesAround(t *testing.T) {
	t.Parallel()
	h := paged(t)
	all := settle(t, h)
	cookie := h.letIn(t)
	unknown := h.look(t, "GET", "/me/graph/zzzzzzzzzzzz", "", cookie)
	for _, o := range all {
		for word, id := range o.ids {
			short := strings.TrimPrefix(id, memory.IDPrefix)
			got := h.look(t, "GET", "/me/graph/"+short, "", cookie)
			if own := o.name == "home"; own != (got.StatusCode == 200) || !own && string(got.body) != string(unknown.body) {
				t.Errorf("the graph of %s of %s: %d", word, o.name, got.StatusCode)
			}
			line := string(h.look(t, "GET", "/me/timeline?subject="+short, "", cookie).body)
			if own := o.name == "home"; own != strings.Contains(line, "How one memory changed") || !own && strings.Contains(line, word) {
				t.Errorf("the timeline of %s of %s: %s", word, o.name, line)
			}
		}
	}
	first := h.keep(t, memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "Ana runs the shop."}})
	h.keep(t, memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "The shop opens at nine."}, Relations: []memory.Relation{{Type: memory.DependsOn, Target: string(first)}}})
	body := string(h.look(t, "GET", "/me/graph/"+strings.TrimPrefix(string(first), memory.IDPrefix), "", cookie).body)
	if !strings.Contains(body, "The shop opens at nine.") || !strings.Contains(body, "makes sense only with") {
		t.Errorf("what names it is missing: %s", body)
	}
}

// A check that is under way ends with the server, which would otherwise wait for ever.
func TestPagesCheckEnds(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Pages.Doctor = &physician{goes: make(chan struct{})} })
	h.press(t, h.letIn(t), "/me/health/check")
}

// keep stores a record of the owner.
func (h house) keep(t *testing.T, rec memory.Record) memory.ID {
	t.Helper()
	got, err := h.vault.Remember(t.Context(), h.self(), memory.Draft{Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	return got.ID
}

// What one owner sends, imports and keeps, another owner of the same server never sees; the
// health of the store is for the owner of its folder (A14).
func TestPagesCarriedOfManyOwners(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Pages.Doctor = &physician{goes: make(chan struct{})} })
	all := settle(t, h)
	home := h.letIn(t)
	file := h.send(t, home, h.formTokenOf(t, home), "private.md", []byte("- Ana likes quinces.\n")).Header.Get("Location")
	h.await(t, home, file, "Nothing has changed yet")
	h.press(t, home, file+"/start")
	h.await(t, home, file, "came in.")
	e, err := visit.New(h.vault).Invite(t.Context(), memory.Caller{Owner: all[1].key.DID(), Role: memory.Owner}, visit.ForInvitation)
	if err != nil {
		t.Fatal(err)
	}
	got := h.look(t, "POST", "/me/enter", "secret="+url.QueryEscape(e.Secret))
	if got.StatusCode != 303 || len(got.Cookies()) != 1 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	ada := "Cookie: " + got.Cookies()[0].Name + "=" + got.Cookies()[0].Value
	for _, path := range []string{file, "/me/imports/1", "/me/imports/1/undo"} {
		if got := h.look(t, "GET", path, "", ada); got.StatusCode != 404 || strings.Contains(string(got.body), "private") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	for _, path := range []string{file + "/start", file + "/stop", file + "/drop", "/me/imports/1/undo"} {
		if got := h.look(t, "POST", path, "token="+h.formTokenOf(t, ada), ada); got.StatusCode != 404 {
			t.Errorf("POST %s: %d", path, got.StatusCode)
		}
	}
	list := string(h.look(t, "GET", "/me/imports", "", ada).body)
	if strings.Contains(list, "private") || strings.Contains(list, "Health") {
		t.Errorf("%s", list)
	}
	for _, method := range []string{"GET", "POST"} {
		path := map[string]string{"GET": "/me/health", "POST": "/me/health/check"}[method]
		if got := h.look(t, method, path, map[string]string{"POST": "token=" + h.formTokenOf(t, ada)}[method], ada); got.StatusCode != 403 {
			t.Errorf("%s %s: %d", method, path, got.StatusCode)
		}
	}
	own := h.send(t, ada, h.formTokenOf(t, ada), "mine.md", []byte("- Ada likes pears.\n")).Header.Get("Location")
	h.await(t, ada, own, "Nothing has changed yet")
	if got := h.look(t, "GET", own, "", home); got.StatusCode != 404 {
		t.Errorf("the operator sees the file of an owner: %d", got.StatusCode)
	}
	h.press(t, ada, own+"/start")
	h.await(t, ada, own, "came in.")
	if body := string(h.look(t, "GET", "/me/export?format=ump", "", ada).body); !strings.Contains(body, "<strong>4 memories</strong>") {
		t.Errorf("ada's export: %s", body[strings.Index(body, "<main"):])
	}
}
