package mcpmemory

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// graphRecords is how many times the limit on a record the older object may take, which is
// held whole.
const graphRecords = 4

// graph is a document that is one object of two lists (MCPMEM-6).
type graph struct {
	src    codec.Source
	opt    codec.Options
	opened bool
	items  []graphItem
	lost   codec.LossList
}

type graphItem struct {
	pointer string
	relates bool // in the list of relations
	value   canon.Value
}

func newGraph(src codec.Source, opt codec.Options) *graph { return &graph{src: src, opt: opt} }

func (g *graph) next() (item, []*codec.ParseError, error) {
	if !g.opened {
		g.opened = true
		if found, err := g.open(); found != nil || err != nil {
			return item{}, found, err
		}
	}
	if len(g.items) == 0 {
		return item{}, nil, io.EOF
	}
	first := g.items[0]
	g.items = g.items[1:]
	c := newChecker(place{pointer: first.pointer}, g.opt)
	it := c.member(first)
	return it, c.found, nil
}

// open reads the object and queues the elements of its two lists.
func (g *graph) open() ([]*codec.ParseError, error) {
	limit := g.opt.Limits.Record * graphRecords
	if g.src.Size > limit {
		err := fmt.Errorf("a graph in one object may take %d bytes; write one entity or relation per line, or raise the limit", limit)
		return nil, violation(ruleLimit, place{}, "", err)
	}
	raw := make([]byte, g.src.Size)
	if n, err := g.src.File.ReadAt(raw, 0); n < len(raw) {
		return nil, fmt.Errorf("read the graph: %w", err)
	}
	if len(raw) >= len(bom) && string(raw[:len(bom)]) == bom {
		raw = raw[len(bom):]
	}
	v, mended, err := g.opt.JSON(raw, limit)
	if err != nil {
		return nil, jsonViolation(place{}, err)
	}
	g.lost.Add(codec.MendedLosses("", mended)...)
	return g.lists(v), nil
}

func (g *graph) losses() []codec.Loss { return g.lost.All() }

func (g *graph) lists(v canon.Value) []*codec.ParseError {
	c := newChecker(place{}, g.opt)
	if v.Len() > g.opt.Limits.Items {
		c.add(ruleLimit, "", fmt.Errorf("more than %d members; remove those that are no entities or relations", g.opt.Limits.Items))
		return c.found
	}
	for _, m := range v.Members() {
		pointer := canon.Pointer(m.Name)
		switch {
		case m.Name != "entities" && m.Name != "relations":
			g.lost.Add(codec.Loss{Pointer: pointer, Reason: lossGraph})
			if c.strict {
				c.add(ruleGraph, pointer, errors.New("unknown member; it is not taken over"))
			}
		case m.Value.Type() != canon.TypeArray:
			c.add(ruleGraph, pointer, wanted("a list", m.Value))
		default:
			g.line(pointer, m)
		}
	}
	return c.found
}

func (g *graph) line(pointer string, m canon.Member) {
	for i, v := range m.Value.Items() {
		g.items = append(g.items, graphItem{pointer + "/" + strconv.Itoa(i), m.Name == "relations", v})
	}
}

// member reads an element of one of the lists. It may have a type, as lines do; the type
// must then be the list's.
func (c *checker) member(g graphItem) item {
	want := "entity"
	if g.relates {
		want = "relation"
	}
	if g.value.Type() != canon.TypeObject {
		c.add(ruleGraph, "", wanted("an object", g.value))
		return item{place: c.place, name: "an entry"}
	}
	if said := g.value.Get("type"); g.value.Has("type") && said.Text() != want {
		c.add(ruleType, "/type", fmt.Errorf("not %q, as everything in this list", want))
		return item{place: c.place, name: codec.PartName("an entry", g.value)}
	}
	return c.line(g.value.With("type", canon.String(want)))
}
