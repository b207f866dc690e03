package machines

import (
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
)

// outcome is the result of an exchange with one remote, as JSON and for people.
type outcome struct {
	Remote    string    `json:"remote"`
	Added     int       `json:"added"`
	Changed   int       `json:"changed"`
	Erased    int       `json:"erased"`
	Other     int       `json:"other,omitempty"` // items of other kinds
	Conflicts int       `json:"conflicts"`
	Sent      int       `json:"sent,omitempty"`     // items, to another Satchel
	Read      int64     `json:"read,omitempty"`     // bytes, from a folder
	Wrote     int64     `json:"wrote,omitempty"`    // bytes, to a folder
	Cleared   int       `json:"cleared,omitempty"`  // packs that held something erased
	Waiting   bool      `json:"waiting,omitempty"`  // this machine asks to take part
	Asking    []string  `json:"asking,omitempty"`   // names of machines that ask to take part
	Machines  []string  `json:"machines,omitempty"` // names of machines that take part and were not known before
	Troubles  []trouble `json:"troubles,omitempty"`
	Error     string    `json:"error,omitempty"`

	err error
}

// trouble is a [folder.Trouble], or an audit log that was cut.
type trouble struct {
	Fault   string `json:"fault"`
	Machine string `json:"machine,omitempty"`
	File    string `json:"file,omitempty"`
	Detail  string `json:"detail"`
}

func (out *outcome) joined(j replica.Joined) {
	out.Added, out.Changed, out.Erased, out.Other, out.Conflicts = j.Added, j.Changed, j.Erased, j.Other, j.Conflicts
}

// fail sets the error of the exchange.
func (out *outcome) fail(err error) { out.err, out.Error = err, described(err) }

// described describes an error in one line of bounded length: it may quote an untrusted server.
func described(err error) string { return cli.OneLine(cli.Describe(err), mostError) }

// say prints the outcome for people.
func (out outcome) say(a *cli.App) {
	name := cli.Clean(out.Remote)
	switch {
	case out.Waiting:
		a.Warn("%s: this machine has asked to take part. On one that does: satchel sync, then satchel devices accept. Then sync here again", name)
		return
	case out.err != nil:
		a.Warn("%s: %s", name, out.Error)
	}
	if out.err == nil {
		a.Print("%s: %s", name, out.inWords())
	}
	if out.Conflicts > 0 {
		a.Warn("%s revised apart; both versions stay until you decide: satchel corrections list", cli.Plural(out.Conflicts, "memory was", "memories were"))
	}
	for _, m := range out.Machines {
		a.Warn("%s takes part now. If you have not added it, somebody has your key: satchel devices remove %s, and change the key with satchel owner rekey", cli.Clean(m), cli.Clean(m))
	}
	for _, m := range out.Asking {
		a.Warn("%s asks to take part; if it is yours: satchel devices accept %s", cli.Clean(m), cli.Clean(m))
	}
	for _, x := range out.Troubles {
		about := x.File
		if about == "" {
			about = x.Machine
		}
		a.Warn("%s: %s: %s", name, cli.Clean(x.Fault), cli.OneLine(x.Detail+" ("+about+")", 400))
	}
}

// inWords describes what a successful exchange did.
func (out outcome) inWords() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, more string
	}{
		{out.Added, "memory new here", "memories new here"},
		{out.Changed, "memory changed here", "memories changed here"},
		{out.Erased, "memory erased here", "memories erased here"},
		{out.Other, "other thing updated", "other things updated"},
		{out.Sent, "thing sent", "things sent"},
		{out.Cleared, "pack cleared", "packs cleared"},
	} {
		if p.n > 0 {
			parts = append(parts, cli.Plural(p.n, p.one, p.more))
		}
	}
	if len(parts) == 0 && out.Wrote > 0 {
		return "wrote what the others do not have yet"
	}
	if len(parts) == 0 {
		return "nothing new"
	}
	return strings.Join(parts, ", ")
}
