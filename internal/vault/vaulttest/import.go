package vaulttest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Fact returns the n-th text of a corpus. Its words follow Zipf's law over a vocabulary
// of their own, like words in people's notes.
func Fact(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	z := rand.NewZipf(r, 1.1, 4, 40_000)
	words := make([]string, 0, 18)
	for range 8 + r.IntN(16) {
		words = append(words, "w"+strconv.FormatUint(z.Uint64(), 36))
	}
	return strings.Join(words, " ") + " note " + strconv.Itoa(n)
}

// Run yields drafts, and then fails if Fail is set.
type Run struct {
	Records []memory.Record
	Fail    error
}

// Next returns the next record.
func (r *Run) Next() (memory.Record, error) {
	if len(r.Records) == 0 {
		if r.Fail != nil {
			return memory.Record{}, r.Fail
		}
		return memory.Record{}, io.EOF
	}
	rec := r.Records[0]
	r.Records = r.Records[1:]
	return rec, nil
}

// Losses returns none.
func (r *Run) Losses() []codec.Loss { return nil }

// Close does nothing.
func (r *Run) Close() error { return nil }

// Drafts returns a document of n texts.
func Drafts(owner memory.DID, n int) *Run {
	r := &Run{}
	for i := range n {
		r.Records = append(r.Records, memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("imported fact number %d", i)},
			Scope: memory.Scope{Owner: owner}, Time: memory.Times{Created: Start().Add(-time.Duration(i) * time.Hour)},
			Provenance: &memory.Provenance{Actor: string(owner), ActorKind: memory.ByImport, Method: "test",
				Source: &memory.Source{Provider: "elsewhere"}},
		})
	}
	return r
}

// MustTake imports a document as the owner.
func (h *House) MustTake(r codec.Reader, o vault.ImportOptions) vault.ImportReport {
	h.T.Helper()
	report, err := h.Import(h.Ctx, h.Me(), r, o)
	if err != nil {
		h.T.Fatal(err)
	}
	return report
}

// WantCounts compares the counts of a report.
func WantCounts(t testing.TB, r vault.ImportReport, created, merged int) {
	t.Helper()
	if r.Created != created || r.Merged != merged {
		t.Fatalf("created %d, merged %d, want %d and %d", r.Created, r.Merged, created, merged)
	}
}

// Scores returns the results of a recall, with the score of each.
func (h *House) Scores() map[memory.ID]float64 {
	h.T.Helper()
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "quince", Limit: 50})
	if err != nil {
		h.T.Fatal(err)
	}
	found := map[memory.ID]float64{}
	for _, hit := range hits {
		found[hit.Record.ID] = hit.Score
	}
	return found
}
