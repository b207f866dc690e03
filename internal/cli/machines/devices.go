package machines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// DevicesCmd is the command satchel devices.
type DevicesCmd struct {
	List   devicesListCmd   `cmd:"" default:"withargs" help:"List your machines, and those that ask to take part."`
	Rename devicesRenameCmd `cmd:"" help:"Give a machine another name."`
	Remove devicesRemoveCmd `cmd:"" help:"Remove a machine for good: it gets nothing any more."`
	Accept devicesAcceptCmd `cmd:"" help:"Let a machine take part that has your key from a recovery kit or a backup, and asks."`
}

type devicesListCmd struct {
	All bool `help:"Show removed machines too."`
}

// machineOut is a machine as JSON and for people. Zero times are unknown.
type machineOut struct {
	ID      memory.DID `json:"machine"`
	Name    string     `json:"name"`
	State   string     `json:"state"` // this, takes part, asks or removed
	Added   time.Time  `json:"added,omitzero"`
	Removed time.Time  `json:"removed,omitzero"`
	Met     time.Time  `json:"met,omitzero"`     // when this machine last heard from it
	Lacks   string     `json:"lacks,omitempty"`  // whether it lacks items of this machine: no, yes or unknown
	LogCut  time.Time  `json:"log_cut,omitzero"` // when this machine noticed that its audit log was cut
}

// Run lists machines.
func (c *devicesListCmd) Run(a *cli.App) error {
	return a.With(cli.Showing, func(o *cli.Session) error {
		all, err := allMachines(a, a.Ctx, o, o.Owner)
		if err != nil {
			return err
		}
		if !c.All {
			all = slices.DeleteFunc(all, func(m machineOut) bool { return m.State == "removed" })
		}
		if a.JSON {
			return a.Emit(map[string]any{"machines": cli.OrEmpty(all)})
		}
		if len(all) == 0 {
			a.Say("this machine shares its memory with no other; satchel pair adds one")
		}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, m := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\n", cli.Clean(m.Name), m.inWords(a.Now()), m.ID)
		}
		return w.Flush()
	})
}

// inWords describes a machine for people, without its name.
func (m machineOut) inWords(now time.Time) string {
	switch m.State {
	case "this":
		return "this machine"
	case "asks":
		return "asks to take part: satchel devices accept " + cli.Clean(m.Name)
	case "removed":
		return "removed"
	}
	text := "never heard from"
	if !m.Met.IsZero() {
		text = "heard from " + cli.HowOld(m.Met, now)
	}
	text += map[string]string{"yes": ", lacks something from here", "no": ", has all from here"}[m.Lacks]
	if !m.LogCut.IsZero() {
		text += ", its audit log was found cut or put back " + cli.HowOld(m.LogCut, now)
	}
	return text
}

// allMachines lists the machines of an owner, those that ask to take part last.
func allMachines(a *cli.App, ctx context.Context, o *cli.Session, owner memory.DID) (out []machineOut, err error) {
	all, err := replicate.MachinesOf(ctx, o.Vault, owner)
	if err != nil {
		return nil, err
	}
	cut, err := replicate.LogsCut(ctx, o.Vault, owner)
	if err != nil {
		return nil, err
	}
	s, err := readState(o.Home)
	if err != nil {
		return nil, err
	}
	own := s.of(owner)
	t, err := openThisMachineOf(a, ctx, o, owner, false)
	if err != nil && !errors.Is(err, errNoMachine) {
		return nil, err
	}
	for _, m := range all {
		row := machineOut{ID: m.ID, Name: m.Name, State: "takes part", Added: m.Added, Removed: m.Removed, LogCut: cut[m.ID]}
		switch {
		case !m.Removed.IsZero():
			row.State = "removed"
		case t != nil && m.ID == t.machine.Key.DID():
			row.State = "this"
		case t == nil:
			row.Lacks = "unknown"
		default:
			status, err := t.statusOf(ctx, m.ID, own.Remotes)
			if err != nil {
				return nil, err
			}
			row.Met, row.Lacks = status.met, status.lacks
		}
		out = append(out, row)
	}
	for _, m := range own.Asking {
		if _, known := find(all, string(m.ID)); !known {
			out = append(out, machineOut{ID: m.ID, Name: m.Name, State: "asks", Added: m.Added})
		}
	}
	return out, nil
}

// withMachine opens this machine, finds the machine with a name or a DID, and calls do.
func withMachine(a *cli.App, called string, do func(*thisMachine, []replica.Machine, replica.Machine) error) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		t, err := openThisMachine(a, o, true)
		if err != nil {
			return err
		}
		all, err := t.memory.Machines(a.Ctx)
		if err != nil {
			return err
		}
		m, ok := find(all, called)
		if !ok {
			return &memory.Error{Kind: memory.NotFound, Op: "devices", Message: "no machine has that name, or several have it: satchel devices lists them, and each DID names one"}
		}
		return do(t, all, m)
	})
}

type devicesRenameCmd struct {
	Machine string `arg:"" help:"The machine, by its name or its DID."`
	Name    string `arg:"" help:"Its name from now on."`
}

// Run renames a machine.
func (c *devicesRenameCmd) Run(a *cli.App) error {
	name := strings.TrimSpace(c.Name)
	if name == "" || len(name) > maxMachineName || cli.Clean(name) != name || strings.HasPrefix(name, "did:") {
		return cli.Usagef("a name has 1 to %d characters that a terminal shows", maxMachineName)
	}
	return withMachine(a, c.Machine, func(t *thisMachine, all []replica.Machine, m replica.Machine) error {
		if other, taken := find(all, name); taken && other.ID != m.ID && other.Removed.IsZero() {
			return cli.Refusedf("another machine has the name %s; choose another", name)
		}
		was := m
		m.Name, m.Renamed = name, m.Renamed+1
		if err := t.admit(a.Ctx, m); err != nil {
			return err
		}
		return done(a, m, "is the new name of "+cli.Clean(was.Name))
	})
}

type devicesRemoveCmd struct {
	Machine string `arg:"" help:"The machine, by its name or its DID."`
	Yes     bool   `help:"Do not ask."`
}

// Run removes a machine.
func (c *devicesRemoveCmd) Run(a *cli.App) error {
	return withMachine(a, c.Machine, func(t *thisMachine, _ []replica.Machine, m replica.Machine) error {
		switch {
		case m.ID == t.machine.Key.DID():
			return cli.Refusedf("this machine cannot remove itself; do it on another one")
		case !m.Removed.IsZero():
			return done(a, m, "was removed already")
		}
		if !c.Yes {
			if !a.Interactive() {
				return cli.Usagef("a machine that was removed never comes back: say --yes to remove it")
			}
			sure, err := a.Confirm("Remove " + cli.Clean(m.Name) + " for good?")
			if err != nil || !sure {
				return errors.Join(err, cli.Silent(cli.ExitFailed))
			}
		}
		m.Removed = a.Now().UTC().Truncate(time.Second)
		if err := t.admit(a.Ctx, m); err != nil {
			return err
		}
		a.Warn("%s keeps what it has, and your key. If it was lost or stolen, change your key: satchel owner rekey, then pair the other machines again", cli.Clean(m.Name))
		return done(a, m, "is removed, and gets nothing any more; the other machines learn it when they meet")
	})
}

type devicesAcceptCmd struct {
	Machine string `arg:"" help:"The machine that asks, by its name or its DID."`
	Yes     bool   `help:"Do not ask."`
}

// Run accepts a machine that asks to take part.
func (c *devicesAcceptCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		t, err := openThisMachine(a, o, true)
		if err != nil {
			return err
		}
		s, err := readState(o.Home)
		if err != nil {
			return err
		}
		m, ok := find(s.of(o.Owner).Asking, c.Machine)
		if !ok {
			return &memory.Error{Kind: memory.NotFound, Op: "devices", Message: "no machine of that name asks to take part, or several do: satchel devices lists them once satchel sync has met them, and each DID names one"}
		}
		if !c.Yes {
			if !a.Interactive() {
				return cli.Usagef("whoever has your key can ask. If satchel devices on that machine shows %s, say --yes", m.ID)
			}
			sure, err := a.Confirm("Is " + cli.Clean(m.Name) + " a machine of yours? There, satchel devices shows " + string(m.ID) + ".")
			if err != nil || !sure {
				return errors.Join(err, cli.Silent(cli.ExitFailed))
			}
		}
		all, err := t.memory.Machines(a.Ctx)
		if err != nil {
			return err
		}
		if free := freeName(m.Name, all); free != m.Name {
			m.Name, m.Renamed = free, m.Renamed+1 // the renamed entry wins over the machine's own
		}
		if err := t.admit(a.Ctx, m); err != nil {
			return err
		}
		if err := changeState(o.Home, o.Owner, func(s *ownerState) error {
			s.Asking = slices.DeleteFunc(s.Asking, func(one replica.Machine) bool { return one.ID == m.ID })
			return nil
		}); err != nil {
			return err
		}
		return done(a, m, "takes part now; run satchel sync here, then there")
	})
}

// done prints a machine that a command has changed.
func done(a *cli.App, m replica.Machine, what string) error {
	if a.JSON {
		out := machineOut{ID: m.ID, Name: m.Name, State: "takes part", Added: m.Added, Removed: m.Removed}
		if !m.Removed.IsZero() {
			out.State = "removed"
		}
		return a.Emit(out)
	}
	a.Print("%s %s", cli.Clean(m.Name), what)
	return nil
}
