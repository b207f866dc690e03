package lettafile

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "lettafile"

// Options choose an agent of a file.
type Options struct {
	Agent string // name or id; empty: the first
	exchange.Options
}

// Read reads a file, which may be one JSON string with the file inside. The limits hold
// for the inner file as well. Errors are of type [codec.ParseError].
func Read(raw []byte, opt aaif.ReadOptions) (canon.Value, error) {
	v, err := aaif.FromJSON(raw, opt)
	if err != nil || v.Type() != canon.TypeString {
		return v, err
	}
	return aaif.FromJSON([]byte(v.Text()), opt)
}

// IsFile reports whether a document is an agent file, of either shape.
func IsFile(v canon.Value) bool {
	return v.Get("agents").Type() == canon.TypeArray || isOld(v)
}

func isOld(v canon.Value) bool { return v.Get("core_memory").Type() == canon.TypeArray }

// Agents returns the names of the agents of a file.
func Agents(v canon.Value) []string {
	if isOld(v) && !v.Has("agents") {
		return []string{v.Get("name").Text()}
	}
	var names []string
	for _, a := range v.Get("agents").Items() {
		names = append(names, a.Get("name").Text())
	}
	return names
}

// From returns the definition that an agent of a file describes, and its losses by
// pointers into the file. It refuses other documents, and unknown agents, with a
// [codec.ParseError].
func From(v canon.Value, o Options) (aaif.Definition, []codec.Loss, error) {
	r, err := open(v, o)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	r.agent.Get("messages").Lose("what was said is of a run, and no part of a definition; convert --checkpoint FILE keeps it")
	r.all()
	return r.source.Finish(r.draft)
}

// open begins to read an agent of a file.
func open(v canon.Value, o Options) (*reader, error) {
	s, err := exchange.Open(format, v, o.Options)
	if err != nil {
		return nil, err
	}
	root := s.Root()
	if !IsFile(root.Value) {
		return nil, s.Refuse(root, "11-4", "no agent file: neither a list of agents nor core_memory")
	}
	r := &reader{source: s, draft: exchange.NewDraft(), root: root}
	if err := r.choose(o.Agent); err != nil {
		return nil, err
	}
	if r.agent.Get("name").Peek() == "" {
		return nil, s.Refuse(r.agent.Get("name"), "4-7", "an agent wants a name")
	}
	return r, nil
}

// reader reads an agent into a draft.
type reader struct {
	source    *exchange.Source
	draft     *exchange.Draft
	root      exchange.Place // the file
	agent     exchange.Place
	entries   []canon.Value       // memory entries
	approve   []string            // tools that need a person's approval
	toolNames map[string][]string // tools by their original names
}

// choose finds the wanted agent, and lists the others as lost.
func (r *reader) choose(wanted string) error {
	if isOld(r.root.Value) && !r.root.Value.Has("agents") {
		r.agent = r.root
		if name := r.root.Get("name").Peek(); wanted != "" && wanted != name {
			return r.unknown()
		}
		return nil
	}
	found := false
	for _, a := range r.root.Get("agents").Items() {
		if !found && (wanted == "" || wanted == a.Get("name").Peek() || wanted == a.Get("id").Peek()) {
			r.agent, found = a, true
			continue
		}
		a.Lose("another agent of the file: name it to convert it")
	}
	if !found {
		return r.unknown()
	}
	return nil
}

func (r *reader) unknown() error {
	return exchange.Refuse(format, "11-4", r.root.Get("agents").Pointer, aaif.AgentUnknown, "no such agent in the file")
}
