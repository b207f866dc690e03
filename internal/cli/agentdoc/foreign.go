package agentdoc

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/lettafile"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// maxForeign is the most bytes of a foreign document: Letta's hold conversations.
const maxForeign = 32 << 20

// foreignAgent is another platform's format of agents.
type foreignAgent struct {
	name string
	is   func(v canon.Value) bool
	read func(raw []byte) (canon.Value, error)
	from func(v canon.Value, agent string, o exchange.Options) (aaif.Definition, []codec.Loss, error)
	to   func(d aaif.Definition, o exchange.Options) (canon.Value, []codec.Loss, error)                                          // nil: the format is only read
	many func(v canon.Value) []string                                                                                            // the names of the agents in it; nil: there is one
	run  func(v canon.Value, agent string, o exchange.Options, at time.Time) (aaif.Definition, canon.Value, []codec.Loss, error) // also the conversation as a checkpoint; nil: the format has none
}

// foreignFormats lists the foreign formats in order of detection.
func foreignFormats() []foreignAgent {
	tree := func(raw []byte) (canon.Value, error) { return aaif.FromJSON(raw, aaif.ReadOptions{}) }
	return []foreignAgent{
		{name: "openai-assistant", is: isAssistants, many: assistantNames, read: tree, to: assistants.To, from: fromAssistants},
		{name: "a2a", is: func(v canon.Value) bool { return a2a.Edition(v) != "" }, read: tree,
			from: func(v canon.Value, _ string, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
				return a2a.From(v, o)
			}},
		{name: "agent-spec", is: agentspec.IsDocument, many: agentspec.Agents,
			read: func(raw []byte) (canon.Value, error) { return agentspec.Read(raw, aaif.ReadOptions{}) },
			from: func(v canon.Value, agent string, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
				return agentspec.From(v, agentspec.Options{Agent: agent, Options: o})
			}},
		{name: "letta", is: lettafile.IsFile, many: lettafile.Agents,
			read: func(raw []byte) (canon.Value, error) {
				return lettafile.Read(raw, aaif.ReadOptions{Bytes: maxForeign, Values: 2_000_000})
			},
			from: func(v canon.Value, agent string, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
				return lettafile.From(v, lettafile.Options{Agent: agent, Options: o})
			},
			run: func(v canon.Value, agent string, o exchange.Options, at time.Time) (aaif.Definition, canon.Value, []codec.Loss, error) {
				return lettafile.WithRun(v, lettafile.Options{Agent: agent, Options: o}, at)
			}},
	}
}

// foreignNamed returns the format with a name, and whether there is one.
func foreignNamed(name string) (foreignAgent, bool) {
	all := foreignFormats()
	i := slices.IndexFunc(all, func(f foreignAgent) bool { return f.name == name })
	if i < 0 {
		return foreignAgent{}, false
	}
	return all[i], true
}

// foreignOf detects the foreign format of a document, by its members, and for YAML by the
// file name.
func foreignOf(path string, raw []byte) (foreignAgent, bool) {
	if ending := strings.ToLower(filepath.Ext(path)); ending == ".yaml" || ending == ".yml" {
		return foreignNamed("agent-spec")
	}
	if aaif.IsCBOR(raw) {
		return foreignAgent{}, false
	}
	letta, _ := foreignNamed("letta")
	v, err := letta.read(raw) // the reader with the widest limits
	if err != nil || v.Has("@context") || aaif.KindOf(v) != "" {
		return foreignAgent{}, false
	}
	all := foreignFormats()
	i := slices.IndexFunc(all, func(f foreignAgent) bool { return f.is(v) })
	if i < 0 {
		return foreignAgent{}, false
	}
	return all[i], true
}

// OtherForm says what an unreadable document is instead, and how to convert it.
func OtherForm(path string, raw []byte, v canon.Value, err error) string {
	if aaif.CodeOf(err) != aaif.UnknownType {
		return ""
	}
	if v.Has("@context") {
		return "it is JSON-LD: satchel agent convert makes it a document"
	}
	if f, ok := foreignOf(path, raw); ok {
		if none := f.none(raw); none != "" {
			return "this is a document of " + f.name + ", and no definition can be made of it: " + none
		}
		return "this is " + f.words() + ": satchel agent convert " + cli.Clean(path) + " OUT.json makes a definition of it"
	}
	return ""
}

// none says why a document has no agent that a definition could be made of; "" if it has one.
func (f foreignAgent) none(raw []byte) string {
	v, err := f.read(raw)
	if err == nil {
		_, _, err = f.from(v, "", exchange.Options{})
	}
	p, ok := errors.AsType[*codec.ParseError](err)
	if !ok || aaif.CodeOf(err) != aaif.AgentUnknown {
		return ""
	}
	return cli.Clean(p.Err.Error())
}

// definition reads a foreign agent as a definition, and with run its conversation as a
// checkpoint.
func (f foreignAgent) definition(a *cli.App, raw []byte, agent string, run bool, o exchange.Options) (aaif.Document, canon.Value, []codec.Loss, error) {
	v, err := f.read(raw)
	if err != nil {
		return aaif.Document{}, canon.Value{}, nil, err
	}
	switch {
	case run && f.run == nil:
		return aaif.Document{}, canon.Value{}, nil, cli.Usagef("--checkpoint is for agent files of Letta, which hold conversations; this is %s", f.words())
	case agent != "" && f.many == nil:
		return aaif.Document{}, canon.Value{}, nil, cli.Usagef("--agent chooses one of several agents; a document of %s is one", f.name)
	case agent == "" && f.many != nil:
		if names := f.many(v); len(names) > 1 {
			a.Warn("there are %s: %s; --agent chooses another than the first", cli.Plural(len(names), "agent", "agents"), cli.OneLine(strings.Join(names, ", "), 400))
		}
	}
	if run {
		d, state, losses, err := f.run(v, agent, o, a.Now())
		return aaif.Document{Kind: aaif.AgentKind, Value: d.Document()}, state, losses, err
	}
	d, losses, err := f.from(v, agent, o)
	return aaif.Document{Kind: aaif.AgentKind, Value: d.Document()}, canon.Value{}, losses, err
}
