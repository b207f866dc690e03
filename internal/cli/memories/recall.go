package memories

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// RecallCmd is the command satchel recall.
type RecallCmd struct {
	Query []string `arg:"" help:"The question, in plain words."`
	Also  []string `sep:"none" help:"The question in other words: synonyms, wider terms, another language. May be repeated, up to 5 times." placeholder:"QUESTION"`
	cli.ProjectFlags
	Limit  int           `default:"8" help:"Show at most this many, up to 50." placeholder:"N"`
	Kind   []memory.Kind `enum:"semantic,episodic,procedural,working,identity" help:"Only this kind. May be repeated." placeholder:"K"`
	At     cli.When      `help:"Memories that were true at this time. Default: now." placeholder:"TIME"`
	Budget int           `help:"The most tokens of text. With --format framed: of the whole frame, default 2000." placeholder:"TOKENS"`
	Format string        `default:"text" enum:"text,json,framed" help:"text, json, or framed: marked as untrusted data, for a model." placeholder:"F"`
	Why    bool          `help:"Explain each result."`
	Full   bool          `help:"On a terminal: show whole texts. Default: their first lines."`
}

// Run answers a question.
func (c *RecallCmd) Run(a *cli.App) error {
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	if err := checkLimit(c.Limit, vault.MaxRecall); err != nil {
		return err
	}
	if len(c.Also) > memory.MaxAlso {
		return cli.Usagef("--also may be given %d times, and %d were given", memory.MaxAlso, len(c.Also))
	}
	q := memory.Query{
		Text: strings.Join(c.Query, " "), Also: c.Also, Limit: c.Limit, Budget: c.Budget,
		Scope:  memory.Scope{Project: project},
		Filter: memory.Filter{Kinds: c.Kind, ValidAt: c.At.Time},
	}
	if strings.TrimSpace(q.Text) == "" {
		return cli.Usagef("ask something: the question is empty")
	}
	if c.Format == "framed" && c.Why {
		return cli.Usagef("a frame has no room for --why; ask for text or json")
	}
	return a.With(cli.Reading, func(o *cli.Session) error {
		if c.Format == "framed" {
			return frame(a, o, q)
		}
		a.Detail("looking for: %s", strings.Join(wordsOf(q), ", "))
		hits, lacks, err := o.RecallNoting(a.Ctx, o.Caller(), q)
		if err != nil {
			return err
		}
		if a.JSON || c.Format == "json" {
			return c.emit(a, hits, lacks)
		}
		if len(hits) > 0 && hits[0].Score < memory.Certain {
			a.Say("nothing certain; nearest:")
		}
		c.show(a, o, hits)
		sayLacks(a, lacks)
		return c.unfit(a, o, q, len(hits))
	})
}

// frame prints the answer as data for a model (UMP 5.3). It reports omissions on standard
// error, so that standard output can go to the model unchanged.
func frame(a *cli.App, o *cli.Session, q memory.Query) error {
	framed, err := o.Rehydrate(a.Ctx, o.Caller(), q)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(framedOut(framed))
	}
	if framed.Text != "" {
		a.Print("%s", strings.TrimSuffix(framed.Text, "\n"))
	}
	for _, d := range framed.Dropped {
		a.Say("left out %s: %s", cli.ShortID(d.ID), d.Reason)
	}
	sayLacks(a, framed.Warnings)
	if len(framed.Injected) == 0 {
		a.Say("no memory is in the frame")
	}
	return nil
}

// sayLacks says what an answer lacks.
func sayLacks(a *cli.App, lacks []memory.Warning) {
	for _, w := range lacks {
		a.Say("%s", w.Message)
	}
}

// warningOut is a warning for machines, in the form of UMP.
type warningOut struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func warningsOut(list []memory.Warning) (out []warningOut) {
	for _, w := range list {
		out = append(out, warningOut{w.Path, w.Message})
	}
	return out
}

// framedOut is a frame in recall's form over MCP and HTTP.
func framedOut(f memory.Frame) any {
	type dropped struct {
		ID     memory.ID `json:"id"`
		Reason string    `json:"reason"`
	}
	out := struct {
		Framed   string       `json:"framed"`
		Injected []memory.ID  `json:"injected"`
		Dropped  []dropped    `json:"dropped"`
		Warnings []warningOut `json:"warnings,omitempty"`
	}{f.Text, append([]memory.ID{}, f.Injected...), []dropped{}, warningsOut(f.Warnings)}
	for _, d := range f.Dropped {
		out.Dropped = append(out.Dropped, dropped(d))
	}
	return out
}

// mostWhy is how many characters of a result's reasons appear.
const mostWhy = 160

// mostLines is how many lines of a terminal the text of a result takes.
const mostLines = 3

// hitRoom is how many characters of a result fit the columns; 0: all, without a terminal.
func hitRoom(columns int, full bool) int {
	const number = 4 // what stands before the text
	if columns == 0 || full {
		return 0
	}
	return mostLines * max(columns-number, 30)
}

func (c *RecallCmd) show(a *cli.App, o *cli.Session, hits []memory.Hit) {
	recs := make([]memory.Record, len(hits))
	for i, hit := range hits {
		recs[i] = hit.Record
	}
	short := a.Shortener(o, recs)
	for i, hit := range hits {
		rec := hit.Record
		a.Print("%2d. %s", i+1, cli.OneLine(rec.Body.Text, hitRoom(a.Width(), c.Full)))
		about := []string{short(rec.ID), string(rec.Kind)}
		if rec.Scope.Project != "" {
			about = append(about, cli.Clean(rec.Scope.Project))
		}
		about = append(about, cli.HowOld(rec.Time.Created, a.Now()))
		if by := broughtBy(rec); by != "" {
			about = append(about, by)
		}
		a.Paint(cli.StyleAside, "    "+strings.Join(about, " · ")+anothers(rec, o.Owner))
		a.Print("")
		if c.Why && len(hit.Why) > 0 {
			a.Print("    because: %s", cli.OneLine(strings.Join(hit.Why, "; "), mostWhy))
		}
		if c.Why {
			a.Print("    %s", signals(hit))
		}
	}
}

// unfit says if nothing was found, or if the budget was too small for the results.
func (c *RecallCmd) unfit(a *cli.App, o *cli.Session, q memory.Query, shown int) error {
	q.Budget = 0
	found := shown
	if c.Budget > 0 {
		all, err := o.Recall(a.Ctx, o.Caller(), q)
		if err != nil {
			return err
		}
		found = len(all)
	}
	switch {
	case found > shown:
		a.Say("%s found that did not fit; raise --budget", cli.Plural(found-shown, "more was", "more were"))
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

// hitOut is one result in the form of UMP 3.2, with reasons only on request.
type hitOut struct {
	Record  json.RawMessage `json:"record"`
	Signals map[string]any  `json:"signals"`
	Score   float64         `json:"score"`
	Why     []string        `json:"why,omitempty"`
}

func (c *RecallCmd) emit(a *cli.App, hits []memory.Hit, lacks []memory.Warning) error {
	out := make([]hitOut, len(hits))
	for i, hit := range hits {
		record, err := cli.RawRecord(hit.Record)
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
	answer := map[string]any{"results": out}
	if len(lacks) > 0 {
		answer["warnings"] = warningsOut(lacks)
	}
	return a.Emit(answer)
}
