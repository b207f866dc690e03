package meaning_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a vault that searches by meaning, and the server that it asks.
type house struct {
	*vaulttest.House
	server  *embedtest.Server
	meaning *meaning.Service
}

// dial opens a client of the server in the settings, with the key that it asks for.
func dial(_ memory.DID, s meaning.Settings) (meaning.Embedder, error) {
	return embed.NewClient(s.URL, s.Model, embedtest.Key, s.Dim)
}

func open(t testing.TB, how vaulttest.Opener) *house {
	h := &house{House: how(t), server: embedtest.New(t)}
	h.server.Keyed()
	h.meaning = h.Means(meaning.Options{Dial: dial, Patience: time.Minute})
	return h
}

// use makes the owner use the server, and gives all records vectors.
func (h *house) use(s meaning.Settings) {
	h.T.Helper()
	s.URL, s.Model = h.server.URL, "table"
	if _, err := h.meaning.Use(h.Ctx, h.Me(), s); err != nil {
		h.T.Fatal(err)
	}
	h.catchUp()
}

func (h *house) catchUp() meaning.Report {
	h.T.Helper()
	r, err := h.meaning.CatchUp(h.Ctx, h.Key.DID())
	if err != nil {
		h.T.Fatal(err)
	}
	return r
}

// ask returns the answers to a question, and what they lack.
func (h *house) ask(c memory.Caller, question string) (texts []string, notice string) {
	h.T.Helper()
	hits, warnings, err := h.RecallNoting(h.Ctx, c, memory.Query{Text: question})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, hit := range hits {
		texts = append(texts, hit.Record.Body.Text)
	}
	for _, w := range warnings {
		notice += w.Message
	}
	return texts, notice
}

// finds checks the first answer to a question; "": there is none.
func (h *house) finds(c memory.Caller, question, want string) {
	h.T.Helper()
	texts, notice := h.ask(c, question)
	if first := strings.Join(texts[:min(1, len(texts))], ""); first != want || notice != "" {
		h.T.Errorf("%s: found %q, want %q; notice %q", question, texts, want, notice)
	}
}

// facts are memories, and questions about them with other words.
func facts() map[string]string {
	return map[string]string{
		"Which animal lives with us?": "A poodle named Rex",
		"Which vehicles are ours?":    "Two volvos in the yard",
		"Anything musical?":           "Cello practice on Mondays",
		"Which food?":                 "Peanuts on the shelf",
	}
}

func (h *house) tellFacts() {
	for i := range 12 {
		h.Tell(fmt.Sprintf("Meeting number%d about budget%d", i, i))
	}
	for _, question := range slices.Sorted(maps.Keys(facts())) {
		h.Tell(facts()[question])
	}
}

// vectorsOf counts the stored vectors of the owner.
func vectorsOf(h *house) (n int) {
	h.T.Helper()
	if err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		spaces, err := r.Spaces()
		for _, space := range spaces {
			if strings.HasPrefix(space, vault.MeaningSpace) {
				some, failed := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
				n, err = n+len(some), failed
			}
		}
		return err
	}); err != nil {
		h.T.Fatal(err)
	}
	return n
}
