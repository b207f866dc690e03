package agentdoc

import (
	"encoding/json"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentDiffCmd struct {
	A string `arg:"" help:"The older document, in JSON, CBOR or JSON-LD, or - for standard input."`
	B string `arg:"" help:"The newer document."`
}

// agentDiffOut lists the differences of two documents, for JSON.
type agentDiffOut struct {
	A       string        `json:"a"`
	B       string        `json:"b"`
	Kind    aaif.Kind     `json:"kind"`
	Same    bool          `json:"same"`
	Alarms  int           `json:"alarms"`
	Changes []agentChange `json:"changes"` // alarms first, each group in document order
}

// agentChange is a member that differs.
type agentChange struct {
	Pointer string          `json:"pointer"` // in B; for a removed member in A
	Change  aaif.ChangeKind `json:"change"`
	A       json.RawMessage `json:"a,omitempty"`
	B       json.RawMessage `json:"b,omitempty"`
	Alarm   string          `json:"alarm,omitempty"` // a warning that a reviewer must not overlook
}

// Run compares two documents, and ends with status 5 if they differ.
func (c *agentDiffCmd) Run(a *cli.App) error {
	if c.A == "-" && c.B == "-" {
		return cli.Usagef("standard input can be one of the two only")
	}
	one, err := readComparable(a, c.A)
	if err != nil {
		return err
	}
	other, err := readComparable(a, c.B)
	if err != nil {
		return err
	}
	if one.Kind != other.Kind {
		return cli.Usagef("%s is a document of type %s, and %s of type %s: they cannot be compared", cli.Clean(c.A), one.Kind, cli.Clean(c.B), other.Kind)
	}
	out := agentDiffOut{A: c.A, B: c.B, Kind: one.Kind, Changes: changesOf(one.Value, other.Value)}
	out.Same = len(out.Changes) == 0
	if one.Kind == aaif.AgentKind {
		out.sound(one, other)
	}
	if a.JSON {
		err = a.Emit(out)
	} else {
		out.show(a)
	}
	if err == nil && !out.Same {
		err = cli.Silent(cli.ExitDiffers)
	}
	return err
}

// readComparable reads a document in any format.
func readComparable(a *cli.App, path string) (aaif.Document, error) {
	raw, err := Bytes(a, path)
	if err != nil {
		return aaif.Document{}, err
	}
	return (&agentConvertCmd{In: path}).read(raw)
}

// sound adds alarms to changes that weaken an agent, and puts these first.
func (o *agentDiffOut) sound(one, other aaif.Document) {
	was, is := aaif.ReadDefinition(one.Value), aaif.ReadDefinition(other.Value)
	for i, c := range o.Changes {
		if o.Changes[i].Alarm = (aaif.Change{Pointer: c.Pointer, How: c.Change}).Alarm(was, is); o.Changes[i].Alarm != "" {
			o.Alarms++
		}
	}
	slices.SortStableFunc(o.Changes, func(x, y agentChange) int {
		switch {
		case (x.Alarm == "") == (y.Alarm == ""):
			return 0
		case x.Alarm != "":
			return -1
		}
		return 1
	})
}

// show prints the changes, with ! before those that weaken the agent.
func (o agentDiffOut) show(a *cli.App) {
	for _, c := range o.Changes {
		if c.Alarm != "" {
			a.Print("! %s", cli.Clean(c.Alarm))
		}
		sign := map[aaif.ChangeKind]string{aaif.Added: "+", aaif.Removed: "-", aaif.Changed: "~", aaif.Moved: "~"}[c.Change]
		a.Print("%s %s %s%s", sign, cli.Clean(c.Pointer), c.Change, c.values())
	}
	switch {
	case o.Same:
		a.Say("the same")
	case o.Alarms > 0:
		a.Say("%s; look first at %s marked with !", cli.Plural(len(o.Changes), "change", "changes"), cli.Plural(o.Alarms, "that is", "that are"))
	default:
		a.Say("%s", cli.Plural(len(o.Changes), "change", "changes"))
	}
}

// values returns the values of a change on one line.
func (c agentChange) values() string {
	const most = 80
	switch c.Change {
	case aaif.Added:
		return ": " + cli.OneLine(string(c.B), most)
	case aaif.Removed:
		return ": " + cli.OneLine(string(c.A), most)
	case aaif.Moved:
		return " in its list"
	}
	return ": " + cli.OneLine(string(c.A), most) + " → " + cli.OneLine(string(c.B), most)
}
