package agentdoc

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentRegistryCmd struct {
	List  agentRegistryListCmd  `cmd:"" default:"withargs" help:"List the extension points, or the entries of one."`
	Check agentRegistryCheckCmd `cmd:"" help:"List the violations in a registry."`
	Add   agentRegistryAddCmd   `cmd:"" help:"Add a provisional entry to a registry of your own."`
}

type agentRegistryListCmd struct {
	Point       string `arg:"" optional:"" help:"An extension point, such as aaif-capabilities. Default: list all, without their entries."`
	RegistryDir string `name:"registry-dir" help:"A folder of registries in JSON. Each replaces a built-in registry." placeholder:"DIR"`
}

// registryOut is a registry, for JSON.
type registryOut struct {
	Registry    aaif.Point      `json:"registry"`
	Extends     string          `json:"extends"` // the member that it extends
	Policy      string          `json:"registration_policy"`
	Description string          `json:"description"`
	Count       int             `json:"count"`
	Entries     []registeredOut `json:"entries,omitempty"`
}

type registeredOut struct {
	ID     string           `json:"id"`
	Status aaif.EntryStatus `json:"status"`
	Since  string           `json:"since,omitempty"`
}

// Run lists registries (AAIF-10-1).
func (c *agentRegistryListCmd) Run(a *cli.App) error {
	all, err := CheckFlags{RegistryDir: c.RegistryDir}.registries(a)
	if err != nil {
		return err
	}
	out := []registryOut{}
	for _, p := range aaif.Points() {
		if c.Point == "" || c.Point == string(p) {
			out = append(out, registryOf(all[p], c.Point != ""))
		}
	}
	if len(out) == 0 {
		return cli.Usagef("%s is no extension point; there are %s", cli.Clean(c.Point), points())
	}
	if a.JSON {
		return a.Emit(out)
	}
	return listRegistries(a, out)
}

func registryOf(r aaif.Registry, entries bool) registryOut {
	out := registryOut{Registry: r.Point, Extends: extends(r.Point), Policy: r.Policy, Description: r.Description, Count: len(r.Entries)}
	for _, e := range r.Entries {
		if entries {
			out.Entries = append(out.Entries, registeredOut{e.ID, e.Status, e.Since})
		}
	}
	return out
}

// extends returns the member that a registry extends.
func extends(p aaif.Point) string {
	return map[aaif.Point]string{
		aaif.Providers: "model.provider", aaif.Capabilities: "required_capabilities[]", aaif.Languages: "lang of a condition",
		aaif.Vaults: "auth.vault_ref.provider", aaif.Backends: "memory[].backend", aaif.Protocols: "tools[].protocol",
	}[p]
}

func listRegistries(a *cli.App, out []registryOut) error {
	table := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, r := range out {
		if len(out) > 1 {
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", r.Registry, r.Extends, r.Count, cli.OneLine(r.Policy, 80))
		}
		for _, e := range r.Entries {
			fmt.Fprintf(table, "%s\t%s\t%s\n", cli.OneLine(e.ID, 80), e.Status, cli.OrDash(cli.OneLine(e.Since, 20)))
		}
	}
	return table.Flush()
}

type agentRegistryCheckCmd struct {
	File string `arg:"" help:"A registry in JSON or CBOR, or - for standard input."`
}

// Run lists what is wrong with a registry, and ends with status 3 for anything but
// warnings (AAIF-10-8).
func (c *agentRegistryCheckCmd) Run(a *cli.App) error {
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	if d.Kind != aaif.RegistryKind {
		return cli.Invalidf("%s is a document of type %s, and no registry", cli.Clean(c.File), d.Kind)
	}
	return agentVerdictOf(d, aaif.CheckRegistry(aaif.ReadRegistry(d.Value))).tell(a, c.File)
}

type agentRegistryAddCmd struct {
	File   string            `arg:"" help:"A registry in JSON."`
	ID     string            `arg:"" name:"id" help:"The identifier of the entry."`
	Set    map[string]string `help:"A member of the entry, such as docs=https://…. May be repeated." placeholder:"NAME=TEXT"`
	Output string            `short:"o" help:"The file for the registry. Default: FILE." placeholder:"FILE"`

	OverFlags
}

// Run adds a provisional entry, which others have to promote (AAIF-U.X-2).
func (c *agentRegistryAddCmd) Run(a *cli.App) error {
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	r := aaif.ReadRegistry(d.Value)
	if d.Kind != aaif.RegistryKind {
		return cli.Invalidf("%s is a document of type %s, and no registry", cli.Clean(c.File), d.Kind)
	}
	if _, there := r.Entry(c.ID); there {
		return cli.Refusedf("%s has an entry %s already", cli.Clean(c.File), cli.Clean(c.ID))
	}
	entry := canon.Object(canon.Member{Name: "id", Value: canon.String(c.ID)}, canon.Member{Name: "status", Value: canon.String(string(aaif.ProvisionalEntry))})
	names := make([]string, 0, len(c.Set))
	for name := range c.Set {
		if name == "id" || name == "status" {
			return cli.Usagef("a new entry is provisional, and its id is an argument: leave --set %s out", name)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		entry = entry.With(name, canon.String(c.Set[name]))
	}
	entries := d.Value.Get("entries")
	v := d.Value.With("entries", entries.WithItem(entries.Len(), entry))
	if wrong := Errors(aaif.CheckRegistry(aaif.ReadRegistry(v))); len(wrong) > 0 {
		return cli.WithStatus(cli.ExitInvalid, wrong[0])
	}
	to := c.Output
	if to == "" {
		to = c.File
	}
	if err := putBytes(a, Placement{Path: to, OverFlags: c.OverFlags}, KindWords(aaif.RegistryKind), JSON(v)); err != nil {
		return err
	}
	a.Say("%s is provisional: definitions may not name it before it is standard; until then they write custom, or an extension", cli.Clean(c.ID))
	return nil
}
