package documents

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// DiffCmd is the command satchel diff.
type DiffCmd struct {
	A      string `arg:"" help:"A file, a folder, an archive, or - for standard input. store: is your store, store:DIR or postgres://USER@HOST/DATABASE another store."`
	B      string `arg:"" help:"The other side, in the same forms."`
	FromA  string `name:"from-a" help:"The format of A: ${reads}. Default: detected." placeholder:"FORMAT"`
	FromB  string `name:"from-b" help:"The format of B. Default: detected." placeholder:"FORMAT"`
	Texts  bool   `help:"Compare only kind and text."`
	Member string `help:"Compare only this member and below, such as /time." placeholder:"POINTER"`
}

// diffOut is the difference of two sides, for machines.
type diffOut struct {
	A       string    `json:"a"`
	B       string    `json:"b"`
	Same    int       `json:"same"`
	alike   int       // of the changed ones: how many have the same text
	Changed []changed `json:"changed"`
	OnlyA   []heldOut `json:"only_a"`
	OnlyB   []heldOut `json:"only_b"`

	Entities []entityOut `json:"entities"` // those that differ
}

// heldOut names a memory of one side.
type heldOut struct {
	ID     memory.ID   `json:"id,omitempty"`
	Source string      `json:"source,omitempty"`
	Kind   memory.Kind `json:"kind"`
	Text   string      `json:"text"` // its beginning
}

// changed is a memory that both sides hold with different contents.
type changed struct {
	A        heldOut  `json:"a"`
	B        heldOut  `json:"b"`
	By       string   `json:"by"` // how they were matched: id, source or text
	Pointers []string `json:"pointers"`
}

// Run compares two sides, and ends with ExitDiffers if they differ.
func (c *DiffCmd) Run(a *cli.App) (err error) {
	if c.A == "-" && c.B == "-" {
		return cli.Usagef("standard input can be one of the two only")
	}
	left, err := openSide(a, c.A, c.FromA, c.B)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, left.close()) }()
	right, err := openSide(a, c.B, c.FromB, c.A)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, right.close()) }()
	out, err := c.compare(a, left, right)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.Emit(out)
	} else {
		out.show(a)
	}
	if err == nil && len(out.Changed)+len(out.OnlyA)+len(out.OnlyB)+len(out.Entities) > 0 {
		err = cli.Silent(cli.ExitDiffers)
	}
	return err
}

// compare pairs the memories of both sides, and compares each pair.
func (c *DiffCmd) compare(a *cli.App, left, right *side) (diffOut, error) {
	out := diffOut{A: left.name, B: right.name, Changed: []changed{}, OnlyA: []heldOut{}, OnlyB: []heldOut{}}
	pairs := pair(left.keys, right.keys)
	beside, err := c.beside(a, left, right, pairs)
	if err != nil {
		return out, err
	}
	out.Entities = append([]entityOut{}, beside.entities...)
	taken := make([]bool, len(right.keys))
	for i, p := range pairs {
		one, err := left.record(i)
		if err != nil {
			return out, err
		}
		if p.with < 0 {
			out.OnlyA = append(out.OnlyA, held(one))
			continue
		}
		taken[p.with] = true
		other, err := right.record(p.with)
		if err != nil {
			return out, err
		}
		pointers := append(c.differences(beside.bare(0, one), beside.bare(1, other)), beside.pointers[i]...)
		if len(pointers) > 0 {
			out.Changed = append(out.Changed, changed{held(one), held(other), p.by, pointers})
			if strings.TrimSpace(one.Body.Text) == strings.TrimSpace(other.Body.Text) {
				out.alike++
			}
			continue
		}
		out.Same++
	}
	for i, paired := range taken {
		if paired {
			continue
		}
		rec, err := right.record(i)
		if err != nil {
			return out, err
		}
		out.OnlyB = append(out.OnlyB, held(rec))
	}
	return out, nil
}

func held(rec memory.Record) heldOut {
	return heldOut{ID: rec.ID, Source: elsewhereOf(rec), Kind: rec.Kind, Text: cli.OneLine(rec.Body.Text, 200)}
}

// show prints the result for people in the form of diff: < marks a line of A, > one
// of B.
func (d diffOut) show(a *cli.App) {
	for _, c := range d.Changed {
		a.Print("~ %s", c.A.line())
		for _, pointer := range c.Pointers {
			a.Print("    %s", cli.OneLine(pointer, 200))
		}
	}
	for _, h := range d.OnlyA {
		a.Print("< %s", h.line())
	}
	for _, h := range d.OnlyB {
		a.Print("> %s", h.line())
	}
	for _, e := range d.Entities {
		a.Print("%s", e.line())
		for _, pointer := range e.Pointers {
			a.Print("    %s", cli.OneLine(pointer, 200))
		}
	}
	a.Say("%d the same, %d changed, %d only in %s, %d only in %s", d.Same, len(d.Changed), len(d.OnlyA), cli.Clean(d.A), len(d.OnlyB), cli.Clean(d.B))
	if n := len(d.Entities); n > 0 {
		a.Say("%s", cli.Plural(n, "entity differs", "entities differ"))
	}
	if d.alike > 0 {
		a.Say("of those changed, %d say the same, and differ in what stands beside it", d.alike)
	}
}

func (h heldOut) line() string {
	name := cli.ShortID(h.ID)
	if h.ID == "" {
		name = cli.OneLine(h.Source, 60)
	}
	return cli.OrDash(name) + "  " + string(h.Kind) + "  " + cli.OneLine(h.Text, 80)
}
