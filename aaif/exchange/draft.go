package exchange

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Draft is a definition in the making.
type Draft struct {
	Value canon.Value    // without its tools
	tools []canon.Value  // in order
	names map[string]int // of tools, with the number of requests for each
}

// NewDraft returns a draft that only names its format.
func NewDraft() *Draft {
	return &Draft{names: map[string]int{}, Value: canon.Object(
		canon.Member{Name: "sc_standard", Value: canon.String(aaif.StandardID)},
		canon.Member{Name: "sc_version", Value: canon.String(aaif.Version)})}
}

// Set sets the member at a path, and creates the objects on the way. An undefined value
// sets nothing.
func (d *Draft) Set(v canon.Value, names ...string) {
	if v.Type() != canon.TypeUndefined {
		d.Value = put(d.Value, v, names)
	}
}

func put(into, v canon.Value, names []string) canon.Value {
	if len(names) == 0 {
		return v
	}
	return into.With(names[0], put(into.Get(names[0]), v, names[1:]))
}

// Remove removes the member at a path, if it exists.
func (d *Draft) Remove(names ...string) { d.Value = cut(d.Value, names) }

func cut(v canon.Value, names []string) canon.Value {
	switch {
	case !v.Has(names[0]):
		return v
	case len(names) == 1:
		return v.Without(names[0])
	}
	return v.With(names[0], cut(v.Get(names[0]), names[1:]))
}

// Get returns the member at a path.
func (d *Draft) Get(names ...string) canon.Value {
	v := d.Value
	for _, name := range names {
		v = v.Get(name)
	}
	return v
}

// The forms of versions and agent ids (sections 4 and 4.1).
var (
	versionForm = pattern.New(`^\d+\.\d+\.\d+$`)
	idForm      = pattern.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// Version takes the version of an agent if AAIF accepts its form.
func (d *Draft) Version(p Place) { d.takeMatching(p, versionForm, "agent", "version") }

// ID takes the id of an agent, if it is a UUID.
func (d *Draft) ID(p Place) { d.takeMatching(p, idForm, "agent_id") }

// IsID reports whether a text is a UUID, as agents are named by.
func IsID(text string) bool { return idForm.MatchString(text) }

// IDOf returns a UUID for what has other names, the same whenever the names are.
func IDOf(names ...string) string {
	return aaif.DerivedID(strings.Join(names, "\x00"))
}

// Moment takes an instant, in UTC, to a path. It may lack an offset.
func (d *Draft) Moment(p Place, names ...string) {
	for _, end := range []string{"", "Z"} {
		if _, ok := memory.ParseInstant(p.Peek() + end); ok && p.Peek() != "" {
			d.Set(canon.String(p.Text()+end), names...)
			return
		}
	}
}

func (d *Draft) takeMatching(p Place, form *pattern.Pattern, names ...string) {
	if form.MatchString(p.Peek()) {
		d.Set(p.NonEmpty(), names...)
	}
}

// AddTool appends a tool with a unique name, such as from ToolName.
func (d *Draft) AddTool(tool canon.Value) {
	if name := tool.Get("name").Text(); d.names[name] == 0 {
		d.names[name] = 1
	}
	d.tools = append(d.tools, tool)
}

// Document returns the definition so far.
func (d *Draft) Document() canon.Value {
	if d.tools == nil {
		return d.Value
	}
	return put(d.Value, canon.Array(d.tools...), []string{"agent", "tools"})
}

// mostGoal is the most characters of a goal made of a longer text.
const mostGoal = 400

// Goal gives a draft without a goal the first text that says something, shortened. A
// definition must have a goal (section 4), so this is listed.
func (s *Source) Goal(d *Draft, texts ...string) {
	if d.Get("agent", "goal").Type() == canon.TypeString {
		return
	}
	for _, text := range texts {
		if text = firstLine(text); text != "" {
			d.Set(canon.String(text), "agent", "goal")
			s.Lose("", "it says no goal: one was made of its description, its instructions or its name [AAIF-4-8]")
			return
		}
	}
}

// firstLine returns the first line that is not blank, cut to a number of characters.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if n := 0; len(line) > mostGoal {
		for i := range line {
			if n++; n > mostGoal {
				return line[:i]
			}
		}
	}
	return line
}
