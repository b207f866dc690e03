package pages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// largeStore is the number of memories of the store that budgets speak of.
const largeStore = 20_000

// views are the pages that are looked at, by name.
func views(t testing.TB, h *house) map[string]string {
	t.Helper()
	var list struct {
		Records []struct {
			ID   string
			Body struct{ Text string }
		}
	}
	listed := h.list(t)
	if err := json.Unmarshal([]byte(listed), &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"home": "/me/", "memories": "/me/memories", "nothing": "/me/memories?kind=working&project=no/such", "forgotten": "/me/memories?state=tombstoned",
		"search": "/me/search", "answer": "/me/search?q=" + url.QueryEscape("what am I allergic to?"), "unknown": "/me/search?q=" + url.QueryEscape("zyzzyva quixotry"),
		"help": "/me/help", "context": "/me/context", "project": "/me/context?project=github.com/ana/shop", "missing": "/me/nothing-here", "enter": "/me/enter", "shared": "/me/memories?visibility=shared",
		"assistants": "/me/assistants", "assistant": "/me/assistants/claude-code", "sharing": "/me/sharing", "newtoken": "/me/sharing/new", "audit": "/me/audit", "verified": "/me/audit?verify=1",
	}
	maps.Copy(all, carriedViews(t, h, listed))
	if len(list.Records) > 10 && len(list.Records) < 100 {
		all["waiting"] = "/me/waiting"
		all["new"] = "/me/memories/new"
		all["done"] = "/me/memories?done=forgotten&undo=abc"
	}
	all["nothing waits"] = "/me/waiting"
	for i, r := range list.Records {
		path := "/me/memories/" + strings.TrimPrefix(r.ID, "urn:ump:")
		switch {
		case strings.Contains(r.Body.Text, "at eight"):
			all["versions"], all["correct"], all["erase"] = path, path+"/correct", path+"/erase"
		case strings.HasPrefix(r.Body.Text, "A long text"):
			all["long"] = path
		case strings.HasPrefix(r.Body.Text, "right to left"), strings.Contains(r.Body.Text, "<script>"), strings.HasPrefix(r.Body.Text, "العربية"),
			strings.HasPrefix(r.Body.Text, "日本語"), strings.HasPrefix(r.Body.Text, "z\u0301"), strings.HasPrefix(r.Body.Text, "emoji"):
			all[fmt.Sprint("memory", i)] = path
		}
	}
	return all
}

// inState serves a store in a state that [looks] names.
func inState(t testing.TB, state string) *house {
	t.Helper()
	if state == "sample" {
		return sampled(t)
	}
	h := empty(t)
	if state == "many" {
		many(t, h, largeStore)
	}
	return h
}

// axe is the script that looks for what shuts people out.
func axe(t testing.TB) string {
	t.Helper()
	script, err := os.ReadFile("testdata/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

const runAxe = `axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}})
	.then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + n.failureSummary).join("; ")))`

// look is a theme and a width of the window.
type look struct {
	theme string
	width int64
}

// looks are the states of a store and the looks that pages are tried in.
func looks() (states []string, all []look) {
	if testing.Short() {
		return []string{"sample"}, []look{{"light", 1280}, {"dark", 390}, {"light", 320}}
	}
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390, 320} {
			all = append(all, look{theme, width})
		}
	}
	return []string{"empty", "sample", "many"}, all
}

// TestLook shows each page in each size and theme: A5 and A6. The short form has one store,
// each theme and width once, and asks axe about each theme once.
func TestLook(t *testing.T) {
	t.Parallel()
	script := axe(t)
	b := newTab(t)
	states, all := looks()
	for _, state := range states {
		h := inState(t, state)
		b.enter(t, h)
		b.troubles()
		for name, path := range views(t, h) {
			if state == "many" && !slices.Contains([]string{"home", "memories", "answer", "context", "nothing", "timeline", "imports", "health"}, name) {
				continue // as in the sample
			}
			b.dress(t, all[0].width, all[0].theme)
			if got := b.see(t, path); got != 200 && !(name == "missing" && got == 404) {
				t.Errorf("%s-%s: %d", state, name, got)
			}
			b.clean(t, state+"-"+name)
			eval[bool](t, b, script+"; true")
			for _, l := range all {
				where := fmt.Sprintf("%s-%s-%s-%d", state, name, l.theme, l.width)
				b.dress(t, l.width, l.theme)
				if over := eval[int](t, b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
					t.Errorf("%s is %d pixels too wide", where, over)
				}
				if l.width != 320 {
					b.picture(t, where)
				}
				if testing.Short() && l.width == 320 {
					continue
				}
				for _, fault := range eval[[]string](t, b, runAxe) {
					t.Errorf("%s: %s", where, fault)
				}
				b.troubles()
			}
		}
	}
}

// TestAxeBites sees that a fault would be found.
func TestAxeBites(t *testing.T) {
	h := empty(t)
	b := newTab(t)
	b.enter(t, h)
	b.see(t, "/me/search")
	eval[bool](t, b, axe(t)+"; true")
	if found := eval[[]string](t, b, runAxe); len(found) > 0 {
		t.Errorf("%q", found)
	}
	eval[bool](t, b, `document.documentElement.removeAttribute("lang"); document.querySelector("label").replaceWith(document.querySelector("#find")); true`)
	if found := eval[[]string](t, b, runAxe); len(found) < 2 {
		t.Errorf("of two faults %q are found", found)
	}
}
