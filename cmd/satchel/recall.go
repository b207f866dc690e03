package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type recallCmd struct {
	Query []string `arg:"" help:"The question, in plain words."`
	projectFlags
	Limit  int           `default:"8" help:"Show at most this many, up to 50." placeholder:"N"`
	Kind   []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind. May be repeated." placeholder:"K"`
	At     when          `help:"Memories that were true at this time. Default: now." placeholder:"TIME"`
	Budget int           `help:"The most tokens of text. With --format framed: of the whole frame, default 2000." placeholder:"TOKENS"`
	Format string        `default:"text" enum:"text,json,framed" help:"text, json, or framed: marked as untrusted data, for a model." placeholder:"F"`
	Why    bool          `help:"Explain each result."`
	Full   bool          `help:"On a terminal: show whole texts. Default: their first lines."`
}

// Run asks and prints the answer.
func (c *recallCmd) Run(a *app) error {
	project, err := c.name(a)
	if err != nil {
		return err
	}
	if err := checkLimit(c.Limit, vault.MaxRecall); err != nil {
		return err
	}
	q := memory.Query{
		Text: strings.Join(c.Query, " "), Limit: c.Limit, Budget: c.Budget,
		Scope:  memory.Scope{Project: project},
		Filter: memory.Filter{Kinds: c.Kind, ValidAt: c.At.Time},
	}
	if strings.TrimSpace(q.Text) == "" {
		return usagef("ask something: the question is empty")
	}
	if c.Format == "framed" && c.Why {
		return usagef("a frame has no room for --why; ask for text or json")
	}
	return a.with(reading, func(o *opened) error {
		if c.Format == "framed" {
			return frame(a, o, q)
		}
		a.detail("looking for: %s", strings.Join(recall.Words(q.Text), ", "))
		hits, err := o.Recall(a.ctx, o.owner(), q)
		if err != nil {
			return err
		}
		if a.json || c.Format == "json" {
			return c.emit(a, hits)
		}
		c.show(a, o, hits)
		return c.unfit(a, o, q, len(hits))
	})
}

// frame prints the answer as data for a model (UMP 5.3). What stayed out of it is
// said beside it, so that standard output can go to the model as it is.
func frame(a *app, o *opened, q memory.Query) error {
	framed, err := o.Rehydrate(a.ctx, o.owner(), q)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(framedOut(framed))
	}
	if framed.Text != "" {
		a.print("%s", strings.TrimSuffix(framed.Text, "\n"))
	}
	for _, d := range framed.Dropped {
		a.say("left out %s: %s", shortID(d.ID), d.Reason)
	}
	if len(framed.Injected) == 0 {
		a.say("no memory is in the frame")
	}
	return nil
}

// framedOut is a frame in the shape that recall has it in over MCP and HTTP.
func framedOut(f memory.Framed) any {
	type dropped struct {
		ID     memory.ID `json:"id"`
		Reason string    `json:"reason"`
	}
	out := struct {
		Framed   string      `json:"framed"`
		Injected []memory.ID `json:"injected"`
		Dropped  []dropped   `json:"dropped"`
	}{f.Text, append([]memory.ID{}, f.Injected...), []dropped{}}
	for _, d := range f.Dropped {
		out.Dropped = append(out.Dropped, dropped(d))
	}
	return out
}

// mostWhy is how many characters of reasons are shown for a result.
const mostWhy = 160

// mostLines is how many lines of a terminal the text of a result takes.
const mostLines = 3

// hitRoom is how many characters of a result are shown where there are so many columns;
// 0: all, as where no terminal is.
func hitRoom(columns int, full bool) int {
	const number = 4 // what stands before the text
	if columns == 0 || full {
		return 0
	}
	return mostLines * max(columns-number, 30)
}

func (c *recallCmd) show(a *app, o *opened, hits []memory.Hit) {
	recs := make([]memory.Record, len(hits))
	for i, hit := range hits {
		recs[i] = hit.Record
	}
	short := a.shortener(o, recs)
	for i, hit := range hits {
		rec := hit.Record
		a.print("%2d. %s", i+1, oneLine(rec.Body.Text, hitRoom(a.width(), c.Full)))
		about := []string{short(rec.ID), string(rec.Kind)}
		if rec.Scope.Project != "" {
			about = append(about, clean(rec.Scope.Project))
		}
		about = append(about, howOld(rec.Time.Created, a.now()))
		if by := broughtBy(rec); by != "" {
			about = append(about, by)
		}
		a.paint(aside, "    "+strings.Join(about, " · ")+anothers(rec, o.Owner))
		a.print("")
		if c.Why && len(hit.Why) > 0 {
			a.print("    because: %s", oneLine(strings.Join(hit.Why, "; "), mostWhy))
		}
		if c.Why {
			a.print("    %s", signals(hit))
		}
	}
}

// unfit says when nothing was found, or when the budget had no room for what was.
func (c *recallCmd) unfit(a *app, o *opened, q memory.Query, shown int) error {
	q.Budget = 0
	found := shown
	if c.Budget > 0 {
		all, err := o.Recall(a.ctx, o.owner(), q)
		if err != nil {
			return err
		}
		found = len(all)
	}
	switch {
	case found > shown:
		a.say("%s found that did not fit; raise --budget", plural(found-shown, "more was", "more were"))
	case shown == 0:
		return c.nothing(a, o, q)
	}
	return nil
}

func signals(hit memory.Hit) string {
	s := hit.Signals
	return fmt.Sprintf("score %.2f: similarity %.2f, recency %.2f, salience %.2f, scope_match %.2f, provenance_depth %d",
		hit.Score, s.Similarity, s.Recency, s.Salience, s.ScopeMatch, s.ProvenanceDepth)
}

// hitOut is one result as UMP 3.2 shapes it; why is there only when asked for.
type hitOut struct {
	Record  json.RawMessage `json:"record"`
	Signals map[string]any  `json:"signals"`
	Score   float64         `json:"score"`
	Why     []string        `json:"why,omitempty"`
}

func (c *recallCmd) emit(a *app, hits []memory.Hit) error {
	out := make([]hitOut, len(hits))
	for i, hit := range hits {
		record, err := raw(hit.Record)
		if err != nil {
			return err
		}
		s := hit.Signals
		out[i] = hitOut{Record: record, Score: hit.Score, Signals: map[string]any{
			"similarity": s.Similarity, "recency": s.Recency, "salience": s.Salience,
			"scope_match": s.ScopeMatch, "provenance_depth": s.ProvenanceDepth,
		}}
		if c.Why {
			out[i].Why = hit.Why
		}
	}
	return a.emit(map[string]any{"results": out})
}
