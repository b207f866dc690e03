package contextfiles

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/internal/cli"
)

type aicfSearchCmd struct {
	File  string   `arg:"" help:"The context file."`
	Words []string `arg:"" optional:"" help:"The words to look for. Entries with most of them come first."`
	Like  string   `help:"Find the entries nearest to this entry by the vectors in the file, instead of words." placeholder:"ID"`
	Model string   `help:"With --like: the model of the vectors, if the entry has several." placeholder:"M"`
	Limit int      `short:"n" default:"10" help:"Show at most this many."`
	aicfFlags
}

// foundOut is a hit, for machines.
type foundOut struct {
	contextEntry
	Score float64 `json:"score"`
}

// Run prints the hits, best first.
func (c *aicfSearchCmd) Run(a *cli.App) error {
	switch {
	case (c.Like == "") == (len(c.Words) == 0):
		return cli.Usagef("give words, or an entry with --like")
	case c.Model != "" && c.Like == "":
		return cli.Usagef("--model goes with --like")
	case c.Limit < 1:
		return cli.Usagef("--limit is at least 1")
	}
	contents, err := c.read(a, c.File)
	if err != nil {
		return aicfError(err)
	}
	x := contents.Index()
	found := []foundOut{}
	if c.Like != "" {
		if found, err = c.like(contents, x); err != nil {
			return err
		}
	} else {
		for _, hit := range x.Search(strings.Join(c.Words, " "), c.Limit) {
			f := foundOut{contextEntryOf(x, hit.Entry), hit.Score}
			if hit.Rows != "" {
				f.Line, f.Text = hit.Line, hit.Rows
			}
			found = append(found, f)
		}
	}
	if a.JSON {
		return a.Emit(map[string]any{"hits": found})
	}
	for _, f := range found {
		a.Print("%.2f  %s  %s", f.Score, cli.Clean(f.title()), cli.OneLine(f.Text, 120))
	}
	a.Say("%s found", cli.Plural(len(found), "entry", "entries"))
	return nil
}

// like finds the entries nearest to an entry by its vector.
func (c *aicfSearchCmd) like(contents *aicf.Contents, x *aicf.Index) ([]foundOut, error) {
	model, vector, err := c.vector(contents)
	if err != nil {
		return nil, err
	}
	found := []foundOut{}
	for _, m := range contents.Nearest(model, vector, c.Limit+1) {
		if m.Entity == c.Like || len(found) == c.Limit {
			continue
		}
		f := foundOut{contextEntry{Section: "EMBEDDING", ID: m.Entity}, m.Score}
		if e, ok := x.Resolve(m.Entity); ok {
			f.contextEntry = contextEntryOf(x, e)
		}
		found = append(found, f)
	}
	return found, nil
}

// vector returns the entry's only vector that the search can use.
func (c *aicfSearchCmd) vector(contents *aicf.Contents) (model string, vector []float64, err error) {
	var models []string
	for _, e := range contents.Embeddings(c.Like) {
		if floats, ok := e.Floats(); ok && (c.Model == "" || c.Model == e.Model) {
			models, vector = append(models, e.Model), floats
		}
	}
	switch len(models) {
	case 0:
		return "", nil, cli.Refusedf("%s has no vector in this file that can be searched with", c.Like)
	case 1:
		return models[0], vector, nil
	}
	slices.Sort(models)
	return "", nil, cli.Usagef("%s has vectors of %s; name one with --model", c.Like, strings.Join(models, " and "))
}
