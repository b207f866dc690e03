package memories

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// mostNear is how many similar words recall suggests for one without results.
const mostNear = 3

// nothing names the words without results, and similar words from the memories. It reads at
// most the newest page of memories.
func (c *RecallCmd) nothing(a *cli.App, o *cli.Session, q memory.Query) error {
	if a.Quiet {
		return nil
	}
	kept, err := o.List(a.Ctx, o.Caller(), vault.ListQuery{Limit: mostListed})
	if err != nil {
		return err
	}
	if len(kept.Records) == 0 {
		a.Say("nothing is remembered yet. Begin with:\n" +
			"  satchel remember \"I drink tea, never coffee\"   keep a first memory\n" +
			"  satchel import FILE                            bring in what you have elsewhere\n" +
			"  satchel connect                                let an assistant remember for you")
		return nil
	}
	about := "found nothing for " + cli.Clean(strings.Join(wordsOf(q), ", "))
	if within := c.within(q); len(within) > 0 {
		about += " (" + strings.Join(within, ", ") + ")"
	}
	a.Say("%s", about)
	return c.advise(a, o, q, kept)
}

// wordsOf returns the words of a question and of its other wordings.
func wordsOf(q memory.Query) []string {
	return recall.Words(strings.Join(append([]string{q.Text}, q.Also...), "\n"))
}

// advise suggests another question: similar words from the memories that pass the filters,
// or other filters. kept is the first page of all memories.
func (c *RecallCmd) advise(a *cli.App, o *cli.Session, q memory.Query, kept vault.Page) error {
	at := q.Filter.ValidAt
	if at.IsZero() {
		at = a.Now()
	}
	page, err := o.List(a.Ctx, o.Caller(), vault.ListQuery{Project: q.Scope.Project, Kinds: c.Kind, ValidAt: at, Newest: true, Limit: mostListed})
	if err != nil {
		return err
	}
	var texts []string
	for _, rec := range page.Records {
		texts = append(texts, rec.Body.Text)
	}
	switch near := wordsNear(wordsOf(q), texts); {
	case len(near) > 0:
		a.Say("your memories say: %s", cli.Clean(strings.Join(near, ", ")))
	case len(texts) == 0 && q.Filter.ValidAt.IsZero() && ahead(kept.Records, at):
		a.Say("every memory on the first page is true only from %s on, and this machine's clock says %s: one of them is wrong; satchel doctor says more",
			cli.Local(earliest(kept.Records)), cli.Local(at))
	case len(texts) == 0 && kept.Next == "" && earliest(kept.Records).After(at):
		a.Say("no memory was true by then: the earliest is true since %s", cli.Local(earliest(kept.Records)))
	case len(texts) == 0 && len(c.within(q)) > 0:
		a.Say("no memory fits that; ask without it, or see satchel list --all")
	case len(texts) == 0:
		a.Say("no memory is in force; see satchel list --all")
	}
	return nil
}

// earliest returns when the first of some records became valid.
func earliest(records []memory.Record) time.Time {
	from := records[0].Time.From()
	for _, rec := range records[1:] {
		if rec.Time.From().Before(from) {
			from = rec.Time.From()
		}
	}
	return from
}

// within names the filters of a question.
func (c *RecallCmd) within(q memory.Query) (out []string) {
	if q.Scope.Project != "" {
		out = append(out, "project "+cli.Clean(q.Scope.Project))
	}
	for _, k := range c.Kind {
		out = append(out, "kind "+string(k))
	}
	if !q.Filter.ValidAt.IsZero() {
		out = append(out, "true at "+cli.Local(q.Filter.ValidAt))
	}
	return out
}

// wordsNear returns the words of texts that resemble some words, the nearest and most
// frequent first.
func wordsNear(words, texts []string) (near []string) {
	counts := map[string]int{}
	for _, text := range texts {
		for _, word := range recall.Words(text) {
			counts[word]++
		}
	}
	for _, word := range words {
		var like []string
		for other := range counts {
			if other != word && codec.Distance(word, other) <= cli.SpellingSlips(word) && cli.SpellingSlips(other) > 0 {
				like = append(like, other)
			}
		}
		slices.SortFunc(like, func(a, b string) int {
			return cmp.Or(cmp.Compare(codec.Distance(word, a), codec.Distance(word, b)), cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
		})
		near = append(near, like[:min(mostNear, len(like))]...)
	}
	return near
}

// ahead reports whether all records lie in the future.
func ahead(records []memory.Record, now time.Time) bool {
	return len(records) > 0 && earliest(records).After(now)
}
