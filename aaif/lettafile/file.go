package lettafile

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "lettafile"

// Options say which agent of a file is wanted.
type Options struct {
	Agent string // its name or id; empty: the first
	exchange.Options
}

// Read reads a file, which may be one JSON string that holds it. The limits hold for
// what is in it as well. Errors are of type [codec.ParseError].
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

// From returns the definition that an agent of a file is, and what of the file it does
// not say, by pointers into it. What is no agent file, or has no such agent, is refused
// with a [codec.ParseError].
func From(v canon.Value, o Options) (aaif.Definition, []codec.Loss, error) {
	s, err := exchange.Open(format, v, o.Options)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	root := s.Root()
	if !IsFile(root.Value) {
		return aaif.Definition{}, nil, s.Refuse(root, "11-4", "no agent file: neither a list of agents nor core_memory")
	}
	r := &reader{source: s, draft: exchange.NewDraft(), root: root}
	if err := r.choose(o.Agent); err != nil {
		return aaif.Definition{}, nil, err
	}
	if r.agent.Get("name").Peek() == "" {
		return aaif.Definition{}, nil, s.Refuse(r.agent.Get("name"), "4-7", "an agent wants a name")
	}
	r.all()
	return s.Finish(r.draft)
}

// reader reads an agent into a draft.
type reader struct {
	source  *exchange.Source
	draft   *exchange.Draft
	root    exchange.Place // the file
	agent   exchange.Place
	held    []canon.Value       // memory
	approve []string            // tools that a person has to approve of
	named   map[string][]string // tools, by the names they had
}

// choose finds the agent that is wanted, and lists the others.
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
