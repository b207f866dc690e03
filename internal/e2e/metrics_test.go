//go:build unix

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exposed returns the metrics that a server shows, by name, and their kinds.
func (r *replica) exposed(folder string) map[string]string {
	r.Helper()
	token, err := os.ReadFile(filepath.Join(folder, "token"))
	if err != nil {
		r.Fatal(err)
	}
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(r.ask("GET", "/metrics", "", "Authorization: Bearer "+strings.TrimSpace(string(token))), -1) {
		kinds[m[1]] = m[2]
	}
	return kinds
}

// named returns the metrics that a file names, without the endings of a histogram's series.
// A document names them in its section about metrics, from and to these headings.
func named(t *testing.T, kinds map[string]string, file, from, to string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), from)
	if text, _, _ = strings.Cut(text, to); !found {
		t.Fatalf("%s has no %s", file, from)
	}
	out := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(?:satchel|aaif|go|process)_[a-z0-9_]+\b`).FindAllString(text, -1) {
		for _, ending := range []string{"_bucket", "_sum", "_count"} {
			if base, cut := strings.CutSuffix(name, ending); cut && kinds[base] == "histogram" {
				name = base
			}
		}
		out[name] = true
	}
	if len(out) < 5 {
		t.Fatalf("%s names %d metrics", file, len(out))
	}
	return out
}

// What the dashboard, the alarms and the documents name, both stores' servers show; and
// what they show is in the documents.
func TestMetricsNamed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	embedded := &replica{home: h, name: "the server"}
	embedded.start()
	t.Cleanup(embedded.kill)
	kinds := embedded.exposed(filepath.Join(h.dir, "store"))
	documented := named(t, kinds, "docs/operate.md", "\n## 11. ", "\n## 12. ")
	for _, names := range []map[string]bool{documented,
		named(t, kinds, "deploy/grafana/satchel.json", "", "\x00"), named(t, kinds, "deploy/prometheus/alerts.yaml", "", "\x00")} {
		for name := range names {
			if kinds[name] == "" {
				t.Errorf("%s is named, and no server shows it", name)
			}
		}
	}
	for name := range kinds {
		if !documented[name] {
			t.Errorf("%s is shown, and docs/operate.md does not say what it is", name)
		}
	}
	c := newCluster(t, 1)
	large := c.replicas[0].exposed(filepath.Join(c.dir, "operator"))
	if got, want := slices.Sorted(maps.Keys(large)), slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, want) {
		t.Errorf("on PostgreSQL a server shows\n%v, on SQLite\n%v", got, want)
	}
}
