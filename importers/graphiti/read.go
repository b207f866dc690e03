package graphiti

import (
	"cmp"
	"errors"
	"io"
	"iter"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON  = "GRAPHITI-1"
	ruleItem  = "GRAPHITI-2"
	ruleEdge  = "GRAPHITI-3"
	ruleNode  = "GRAPHITI-4"
	ruleDate  = "GRAPHITI-5"
	ruleLimit = "GRAPHITI-6"
	ruleDraft = "GRAPHITI-7"
)

// rulesOf returns the rules of a document of Graphiti or of Zep: the same, under the name of
// its format.
func rulesOf(format string) codec.Rules {
	return codec.Rules{Format: format, JSON: ruleJSON, Limit: ruleLimit}
}

// listOf recognises the lists of a document by their names, and says which of them hold
// communities.
func listOf(name string) (community, ok bool) {
	switch name {
	case "nodes", "entity_nodes", "edges", "entity_edges", "facts", "relevant_facts", "episodes", "episodic_nodes", "messages", "sessions", "threads", "users", "results",
		"items", "observations", "thread_summaries", "relevant_summaries", "summaries":
		return false, true
	case "communities", "community_nodes":
		return true, true
	}
	return false, false
}

// list is a list of the document.
type list struct {
	pointer string
	at      canon.Extent
	place
}

// place is what an item has from the lists and objects around it.
type place struct {
	community     bool
	facts         bool // facts may be strings alone
	user, session string
}

// in returns the place within an object, which may name a user and a session.
func (p place) in(v canon.Value) place {
	name := func(present string, members ...string) string {
		for _, member := range members {
			if text := v.Get(member).Text(); text != "" {
				return text
			}
		}
		return present
	}
	p.user, p.session = name(p.user, "user_id"), name(p.session, "thread_id", "session_id")
	return p
}

// document is an opened document.
type document struct {
	*codec.JSONReader
	name  string    // of the file
	lines io.Reader // of requests, one on each line; nil: the document is one text
	lists []list
	names map[string]string // of nodes, by uuid
	seen  codec.TextSet     // references of the records so far
	part  parts
}

// opener returns what opens documents under the name of a format.
func opener(format string) func(codec.Source, codec.Options) (*document, error) {
	return func(src codec.Source, opt codec.Options) (*document, error) {
		in, err := rulesOf(format).Begin(src, opt, ruleDraft)
		d := &document{JSONReader: in, name: src.Name, names: map[string]string{}, seen: codec.TextSet{}}
		if err != nil {
			return d, err
		}
		if d.lines = requestLines(src, in.Options.Limits); d.lines != nil {
			return d, nil
		}
		if err := d.Take(src); err != nil {
			return d, err
		}
		if err := d.outline(); err != nil {
			return d, err
		}
		for _, l := range d.lists {
			if err := d.learn(l); err != nil {
				return d, err
			}
		}
		return d, nil
	}
}

// outline finds the lists (GRAPHITI-1), and whose they are.
func (d *document) outline() error {
	root := d.Text.Root()
	if c, err := d.Text.Opening(root); err != nil || c == '[' {
		d.lists = []list{{at: root}}
		return err
	}
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return err
	}
	var of []canon.Member
	for _, p := range parts {
		pointer := canon.Pointer(p.Name)
		community, ok := listOf(p.Name)
		switch {
		case ok:
			if ok, err = d.List(ruleJSON, pointer, p.At); err != nil {
				return err
			}
			if ok {
				d.lists = append(d.lists, list{pointer, p.At, place{community: community, facts: isFacts(p.Name)}})
			}
			continue
		case p.Name == "summary" || p.Name == "user_id" || p.Name == "session_id" || p.Name == "thread_id":
			v, short, err := d.Short(p.At)
			if err != nil {
				return err
			}
			if short && p.Name == "summary" && v.Type() == canon.TypeObject {
				d.lists = append(d.lists, list{pointer: pointer, at: p.At})
				continue
			}
			if short && v.Type() == canon.TypeString {
				of = append(of, canon.Member{Name: p.Name, Value: v})
				continue
			}
		}
		if c, err := d.Text.Opening(p.At); err != nil || c != 'n' { // null says nothing
			d.Lose(pointer, lossMember)
		}
	}
	if len(d.lists) == 0 {
		return d.Rules.Violation(ruleJSON, "", errors.New("has no nodes, edges, episodes, facts, messages, sessions or users"))
	}
	for i := range d.lists {
		d.lists[i].place = d.lists[i].place.in(canon.Object(of...))
	}
	return nil
}

// learn records the names of a list's nodes, which edges before the list need. It reports no
// faults of nodes; the walk does.
func (d *document) learn(l list) error {
	for it, err := range d.all(l) {
		if _, ok := errors.AsType[*codec.ParseError](err); ok {
			continue
		}
		if err != nil {
			return err
		}
		if name := it.Value.Get("name").Text(); shape(it.Value) == aNode && len(name) <= d.Options.Limits.Name {
			d.names[uuidOf(it.Value)] = name
		}
	}
	return nil
}

// Walk yields the records of all lists.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	var at place
	read := func(c *codec.Checker) []memory.Record { return d.item(c, at) }
	if d.lines != nil {
		if !d.Each(spread(d.Lines(d.lines), place{}, &at), read, yield) {
			return
		}
	}
	for _, l := range d.lists {
		if !d.Each(spread(d.all(l), l.place, &at), read, yield) {
			return
		}
	}
	d.unfinished()
}

// all yields the items of a list, or an object that stands alone in its place.
func (d *document) all(l list) iter.Seq2[codec.Item, error] {
	if c, err := d.Text.Opening(l.at); err == nil && c == '{' {
		return func(yield func(codec.Item, error) bool) {
			v, _, err := d.Short(l.at)
			yield(codec.Item{Pointer: l.pointer, Value: v}, err)
		}
	}
	return d.Items(l.at, l.pointer)
}

// item makes a record of an item of any kind (GRAPHITI-2).
func (d *document) item(c *codec.Checker, in place) []memory.Record {
	of := shape(c.Value)
	if (of != aText || !in.facts) && !c.IsObject(ruleItem) {
		return nil
	}
	switch of {
	case aLink:
		c.Drop("", lossLink)
		return nil
	case nothing:
		c.Fault(ruleItem, "", errors.New("neither a fact, nor an episode, a message, an entity, a session or a user"))
		return nil
	}
	in = d.whose(c, in)
	r, ok := d.record(c, of, in)
	if !ok {
		return nil
	}
	r.Scope.User, r.Scope.Session = cmp.Or(r.Scope.User, in.user), cmp.Or(r.Scope.Session, in.session)
	if !d.seen.Add(r.Provenance.Source.Ref) {
		c.Drop("", lossTwice)
		return nil
	}
	if of != aRequest {
		r = d.withRest(c, r)
	}
	return []memory.Record{r}
}

// whose returns the place of an item that may name its user and session itself.
func (d *document) whose(c *codec.Checker, in place) place {
	for _, name := range []string{"user_id", "thread_id", "session_id"} {
		c.Name(ruleItem, name)
	}
	return in.in(c.Value)
}

// record makes a record of an item; false: there is nothing to remember.
func (d *document) record(c *codec.Checker, of kind, in place) (memory.Record, bool) {
	switch of {
	case aText:
		return d.text(c)
	case aHolder:
		return d.holder(c)
	case aRequest:
		return d.request(c)
	}
	id := ""
	if c.Value.Has(uuidMember(c.Value)) || of != anEpisode || !isMessage(c.Value) {
		id = c.Required(ruleItem, uuidMember(c.Value))
	}
	switch of {
	case anEdge:
		return d.edge(c, "edge/"+id)
	case anEpisode:
		ref := "episode/" + id
		if id == "" {
			ref = d.name + "#" + c.Pointer
		}
		return d.episode(c, ref)
	}
	return d.node(c, id, in.community)
}
