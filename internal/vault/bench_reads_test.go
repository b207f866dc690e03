package vault_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkReads measures what readers wait for in a store of 20,000 memories: a question,
// a page of a list, one memory, and the look at all rows that doctor takes.
func BenchmarkReads(b *testing.B) {
	h := corpus(b, 20_000)
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{})
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func(n int) error{
		"recall": func(n int) error {
			_, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: vaulttest.Fact(n * 37 % 20_000)})
			return err
		},
		"list": func(int) error { _, err := h.List(h.Ctx, h.Me(), vault.ListQuery{}); return err },
		"get": func(n int) error {
			_, err := h.Get(h.Ctx, h.Me(), page.Records[n%len(page.Records)].ID, memory.CurrentView)
			return err
		},
		"doctor": func(int) error { return h.ExamineAll(h.Ctx, h.Me(), func(memory.ID, string) {}) },
	} {
		b.Run(name, func(b *testing.B) {
			began, n := time.Now(), 0
			for ; b.Loop(); n++ {
				if err := read(n); err != nil {
					b.Fatal(fmt.Errorf("%s: %w", name, err))
				}
			}
			b.ReportMetric(float64(time.Since(began).Microseconds())/float64(max(n, 1)), "µs/read")
		})
	}
}

// BenchmarkShortIDs shortens the IDs of 50 hits that share no beginning, as those of most
// records do, or one of so many characters, which takes further statements.
func BenchmarkShortIDs(b *testing.B) {
	for name, form := range map[string]string{
		"apart":           "%[1]c%[2]c-apart-from-the-others-%03[3]d",
		"alike in 9":      "hits-are-%03[3]d-and-so-they-go-on",
		"alike in 40":     "hits-are-alike-for-a-long-way-until-here-%03[3]d",
		"alike in groups": "group-%[1]c-hits-%03[3]d",
	} {
		b.Run(name, func(b *testing.B) {
			h := openAt(b, filepath.Join(b.TempDir(), "satchel.db"))
			var ids []memory.ID
			for i := range 50 {
				id := fmt.Sprintf(form, 'a'+i%5, 'a'+i/5, i)
				h.storing(memory.Private, id)
				ids = append(ids, memory.ID(memory.IDPrefix+id))
			}
			for b.Loop() {
				if _, err := h.ShortIDs(h.Ctx, h.Me(), ids); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
