package pages

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Surroundings finds what is around a memory.
type Surroundings interface {
	// Around returns the memories that relate to a memory or an entity, in no particular
	// order.
	Around(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error)
}

// The size of a graph.
const (
	mostNodes   = 60
	mostLinks   = 500 // of the table
	nodeStep    = 34  // between two nodes, down
	columnStep  = 330 // between two columns
	graphMargin = 20
	nodeWidth   = 270
	nodeText    = 34 // characters
)

// graphPage shows what is around a memory, as a picture and as a table.
type graphPage struct {
	frame
	Short, Path   string
	Text          string
	Depth         int
	Nearer        string // the same with a step less, or more
	Farther       string
	Nodes         []node
	Lines         []line
	Width, Height int
	Links         []graphLink
	More          int // nodes that the picture leaves out
	Cut           bool
	Command       string
}

// node is a memory or an entity in the picture.
type node struct {
	target string
	level  int
	parent int // in the list of nodes; -1: none
	X, Y   int
	Text   string
	Path   string // empty: it is an entity without a page
	Class  string
}

// TextX and TextY are where the text begins.
func (n node) TextX() int { return n.X + 10 }

// TextY is the base line of the text.
func (n node) TextY() int { return n.Y + 5 }

// Width is the width of the box of the node.
func (n node) Width() int { return nodeWidth }

// Top is where the box of the node begins.
func (n node) Top() int { return n.Y - 13 }

// line is a curve between two nodes of the picture.
type line struct{ Path string }

// graphLink is a row of the table.
type graphLink struct {
	From, FromPath, Word, To, ToPath string
}

// graphBuilder is a graph while it is found.
type graphBuilder struct {
	backend Backend
	caller  memory.Caller
	page    *graphPage
	at      map[string]int // target -> node
	edges   map[string]bool
	total   map[string]bool // targets of all nodes
}

// graph shows what is around one memory.
func (h timelineHandler) graph(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	var m Memory
	if err == nil {
		m, err = h.backend.Memory(r.Context(), v.caller, id)
	}
	p := graphPage{frame: h.frame(r, v, "Around a memory", "memories"), Short: shortID(id), Path: memoryPath(id)}
	if err == nil {
		p.Depth, err = depthOf(r.URL.Query().Get("depth"))
	}
	if err == nil {
		p.Text, p.Command = cut(oneLine(m.Body.Text), 120), command("get", m.Short)
		g := graphBuilder{backend: h.backend, caller: v.caller, page: &p, at: map[string]int{}, edges: map[string]bool{}, total: map[string]bool{}}
		err = g.spread(r.Context(), m)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.placeNodes()
	if path := Root + "graph/" + r.PathValue("id"); p.Depth == 1 {
		p.Farther = pathWith(path, "depth", "2")
	} else {
		p.Nearer = path
	}
	h.show(w, r, http.StatusOK, "graph", p)
}

// spread finds the nodes step by step.
func (g *graphBuilder) spread(ctx context.Context, m Memory) error {
	g.add(string(m.ID), m.Body.Text, 0, -1)
	next := []string{string(m.ID)}
	for step := 1; step <= g.page.Depth; step++ {
		var found []string
		for _, target := range next {
			more, err := g.step(ctx, target, step)
			if err != nil {
				return err
			}
			found = append(found, more...)
		}
		next = found
	}
	return nil
}

// step finds what is next to one node: what it names, and what names it.
func (g *graphBuilder) step(ctx context.Context, target string, level int) (found []string, err error) {
	parent, shown := g.at[target]
	if !shown {
		parent = -1
	}
	if strings.HasPrefix(target, memory.IDPrefix) {
		m, err := g.backend.Memory(ctx, g.caller, memory.ID(target))
		if memory.KindOf(err) == memory.NotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, rel := range m.Related {
			if g.link(target, m.Body.Text, rel.Type, rel.Target, rel.Text) && g.add(rel.Target, rel.Text, level, parent) {
				found = append(found, rel.Target)
			}
		}
	}
	around, err := g.backend.Around(ctx, g.caller, target)
	for _, rec := range around {
		for _, rel := range rec.Relations {
			if rel.Target == target && g.link(string(rec.ID), rec.Body.Text, rel.Type, target, g.textOf(target)) && g.add(string(rec.ID), rec.Body.Text, level, parent) {
				found = append(found, string(rec.ID))
			}
		}
	}
	return found, err
}

// textOf is the text of a node that was found.
func (g *graphBuilder) textOf(target string) string {
	if at, ok := g.at[target]; ok {
		return g.page.Nodes[at].Text
	}
	return ""
}

// link adds a row to the table. It reports false for one that is there.
func (g *graphBuilder) link(from, fromText, kind, to, toText string) bool {
	key := from + "\x00" + kind + "\x00" + to
	if g.edges[key] {
		return false
	}
	g.edges[key] = true
	if len(g.page.Links) >= mostLinks {
		g.page.Cut = true
		return true
	}
	word := relationWords[kind]
	if word == "" {
		word = cut(strings.ReplaceAll(kind, "_", " "), 40)
	}
	g.page.Links = append(g.page.Links, graphLink{nodeName(from, fromText, 120), nodePath(from, fromText), word, nodeName(to, toText, 120), nodePath(to, toText)})
	return true
}

// add adds a node, once. It reports whether it is new.
func (g *graphBuilder) add(target, text string, level, parent int) bool {
	if g.total[target] {
		return false
	}
	g.total[target] = true
	if len(g.page.Nodes) >= mostNodes {
		g.page.More++
		return true
	}
	n := node{target: target, level: level, parent: parent, Text: nodeName(target, text, nodeText), Path: nodePath(target, text), Class: "node"}
	switch {
	case level == 0:
		n.Class, n.Path = "node here", ""
	case n.Path == "":
		n.Class = "node thing"
	}
	g.at[target] = len(g.page.Nodes)
	g.page.Nodes = append(g.page.Nodes, n)
	return true
}

// nodeName is what a node is called: the beginning of a memory, or the name of an entity.
func nodeName(target, text string, most int) string {
	if text != "" {
		return cut(oneLine(text), most)
	}
	if strings.HasPrefix(target, memory.IDPrefix) {
		return shortID(memory.ID(target)) + " (not here)"
	}
	return cut(strings.TrimPrefix(target, "entity:"), most)
}

// nodePath is the page of a node; empty: it has none.
func nodePath(target, text string) string {
	if text == "" || !strings.HasPrefix(target, memory.IDPrefix) {
		return ""
	}
	return memoryPath(memory.ID(target))
}

// placeNodes gives each node its place: a column for each step, the children of a node beside it.
func (p *graphPage) placeNodes() {
	children := make([][]int, len(p.Nodes))
	var roots []int
	for i, n := range p.Nodes {
		if n.parent >= 0 {
			children[n.parent] = append(children[n.parent], i)
		} else {
			roots = append(roots, i)
		}
	}
	y := graphMargin
	var place func(at int)
	place = func(at int) {
		n := &p.Nodes[at]
		n.X = graphMargin + n.level*columnStep
		p.Width = max(p.Width, n.X+nodeWidth+graphMargin)
		if len(children[at]) == 0 {
			n.Y, y = y, y+nodeStep
			return
		}
		for _, child := range children[at] {
			place(child)
		}
		n.Y = (p.Nodes[children[at][0]].Y + p.Nodes[children[at][len(children[at])-1]].Y) / 2
	}
	for _, root := range roots {
		place(root)
	}
	p.Height = y + graphMargin - nodeStep/2
	for _, n := range p.Nodes {
		if n.parent >= 0 {
			p.Lines = append(p.Lines, line{Path: curve(p.Nodes[n.parent].X+nodeWidth, p.Nodes[n.parent].Y, n.X, n.Y)})
		}
	}
}

// curve leads from one place to another.
func curve(x, y, toX, toY int) string {
	at := strconv.Itoa
	middle := at((x + toX) / 2)
	return "M" + at(x) + " " + at(y) + "C" + middle + " " + at(y) + " " + middle + " " + at(toY) + " " + at(toX) + " " + at(toY)
}
