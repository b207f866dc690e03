package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// filled makes a store of n records through an import of UMP drafts.
func filled(b *testing.B, n int) *home {
	b.Helper()
	h := newHome(b)
	path := filepath.Join(h.dir, "memory.jsonl")
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `{"type":"entity","name":"Subject%d","entityType":"thing","observations":["prefers option%d over option%d in season%d"]}`+"\n",
			i, i%997, i%89, i%7)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	h.run("import", path)
	return h
}

const question = "what does Subject4711 prefer in season3?"

// BenchmarkFirstRecall compares the time from the start of the process to its
// first answer over MCP, on a store of 100 k records, with satchel --version. The
// metric first/version should be at most 5.
func BenchmarkFirstRecall(b *testing.B) {
	h := filled(b, 100_000)
	var version, first []time.Duration
	for b.Loop() {
		begin := time.Now()
		h.run("--version")
		version = append(version, time.Since(begin))
		begin = time.Now()
		s := h.connect()
		if got := texts(s.must("ump.recall", `{"query":"`+question+`"}`)); len(got) == 0 {
			b.Fatal("nothing found")
		}
		first = append(first, time.Since(begin))
		_ = s.Close()
	}
	report(b, "first", median(first), "version", median(version))
}

// BenchmarkRecallOverMCP compares recall over MCP stdio with the same call in
// process plus the SDK's own round trip (ping). over/inside should be at most 2.
func BenchmarkRecallOverMCP(b *testing.B) {
	h := filled(b, 10_000)
	s := h.connect()
	defer s.Close()
	st, err := sqlite.Open(context.Background(), filepath.Join(h.dir, "store", "satchel.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	owners, err := st.Owners(context.Background())
	if err != nil || len(owners) != 1 {
		b.Fatal(owners, err)
	}
	v := vault.New(vault.Options{Store: st, Beliefs: belief.Open})
	caller := memory.Caller{Owner: owners[0], Role: memory.Agent}
	var over, inside, ping []time.Duration
	for b.Loop() {
		begin := time.Now()
		s.must("ump.recall", `{"query":"`+question+`"}`)
		over = append(over, time.Since(begin))
		begin = time.Now()
		if _, err := v.Recall(context.Background(), caller, memory.Query{Text: question}); err != nil {
			b.Fatal(err)
		}
		inside = append(inside, time.Since(begin))
		begin = time.Now()
		if err := s.Ping(context.Background(), &mcp.PingParams{}); err != nil {
			b.Fatal(err)
		}
		ping = append(ping, time.Since(begin))
	}
	report(b, "over", median(over), "inside", median(inside)+median(ping))
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func report(b *testing.B, name string, a time.Duration, other string, c time.Duration) {
	b.ReportMetric(float64(a.Microseconds()), name+"-µs")
	b.ReportMetric(float64(c.Microseconds()), other+"-µs")
	b.ReportMetric(float64(a)/float64(c), name+"/"+other)
}
