package sharing

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type tokenMintCmd struct {
	Verb []memory.Verb `enum:"read,write,derive,export" help:"What it allows: read, write, derive (new memories from these) or export. May be repeated." placeholder:"V"`
	Self bool          `help:"Everything that the owner may do. Its holder acts as the owner. For the owner's own programs."`
	runtimeFlags
	cli.ProjectFlags
	All        bool              `xor:"project" help:"Every project."`
	Agent      string            `help:"Only memories that this agent wrote." placeholder:"A"`
	Visibility memory.Visibility `enum:",private,shared,public" default:"" help:"The most private memories it can read: private, shared or public. Default: shared." placeholder:"V"`
	For        cli.Span          `xor:"end" help:"How long it is valid: 90m, 24h, 30d, 2w, 1y or P30D, up to a year. Default: 24h." placeholder:"TIME"`
	Until      cli.When          `xor:"end" help:"The time when it expires." placeholder:"TIME"`
	Audience   string            `help:"Only for the server with this name. Default: every server with the owner's memory." placeholder:"DID"`
	Name       string            `help:"A name for the token." placeholder:"N"`
}

// Run issues a token. It goes to standard output only; the store does not keep it.
func (c *tokenMintCmd) Run(a *cli.App) error {
	if err := c.sensible(); err != nil {
		return err
	}
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	end, err := c.end(a.Now())
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		if err := keyIsOpen(o, a.Ctx); err != nil {
			return err
		}
		names, err := knows(o, a, project)
		if err == nil {
			err = nameIsFree(o, a, c.Name)
		}
		if err != nil {
			return err
		}
		token, g, err := o.MintToken(a.Ctx, o.Caller(), vault.TokenOrder{
			Verbs: c.Verb, Project: project, Agent: c.Agent, Visibility: c.Visibility,
			Audience: c.Audience, Expires: end, Name: c.Name, Own: c.Self, Runtime: c.order(),
		})
		if memory.KindOf(err) == memory.InvalidRecord {
			return cli.WithStatus(cli.ExitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if err := handOver(a, token, g); err != nil {
			return err
		}
		return tellReach(o, a, g, names)
	})
}

// sensible refuses an order that says too little or too much.
func (c *tokenMintCmd) sensible() error {
	about := c.Project != "" || c.Here || c.All
	if err := c.runtimeFlags.sensible(about || c.Self || c.Agent != "" || c.Visibility != ""); err != nil {
		return err
	}
	if c.Runtime != "" {
		if len(c.Verb) == 0 {
			c.Verb = []memory.Verb{memory.ReadVerb, memory.WriteVerb}
		}
		return nil
	}
	switch {
	case c.Self && (about || len(c.Verb) > 0 || c.Agent != "" || c.Visibility != ""):
		return cli.Usagef("--self lets its bearer do all that the owner may; leave --verb, --project, --here, --all, --agent and --visibility out")
	case c.Self:
	case len(c.Verb) == 0:
		return cli.Usagef("say what it allows: --verb read, write, derive or export, or --self for all that the owner may do")
	case !about:
		return cli.Usagef("say what it is about: --project P, --here or --all")
	}
	return nil
}

// nameIsFree refuses the name of a token in force.
func nameIsFree(o *cli.Session, a *cli.App, name string) error {
	grants, err := o.Tokens(a.Ctx, o.Caller())
	for _, g := range grants {
		if state := stateOf(g, a.Now()); name != "" && g.Name == name && (state == inForce || state == tooEarly) {
			return cli.Refusedf("a token in force has the name %s already, %s: choose another, or end that one with satchel token revoke", cli.Clean(name), cli.Clean(g.ID))
		}
	}
	return err
}

// handOver prints a token and says what it allows.
func handOver(a *cli.App, token string, g store.Grant) error {
	c, err := claimsOf(g.Claims)
	if err != nil {
		return err
	}
	if c.Subject != "" {
		a.Warn("whoever has this token is the owner, until %s: it remembers, revises, publishes and erases in the owner's name, wherever the owner was let in", cli.Local(g.Expires))
	} else {
		a.Warn("whoever has this token may until %s: %s; about: %s", cli.Local(g.Expires), c.lets(), c.about())
	}
	a.Say("it is shown this once; to end it before its time: satchel token revoke %s", g.ID)
	if a.JSON {
		out := showToken(a, g)
		out.Token = token
		return a.Emit(out)
	}
	a.Print("%s", token)
	return nil
}

// end returns when the token expires.
func (c *tokenMintCmd) end(now time.Time) (time.Time, error) {
	switch {
	case c.Self && c.Until.After(now.AddDate(1, 0, 0)):
		return c.Until.Time, cli.Usagef("a token that makes its bearer the owner is for at most a year")
	case !c.Until.IsZero():
		return c.Until.Time, nil
	case c.For.Text == "":
		return now.Add(cli.Day).Truncate(time.Second), nil
	}
	end := c.For.After(now).Truncate(time.Second)
	if end.After(now.AddDate(1, 0, 0)) {
		return end, cli.Usagef("--for is for at most a year; say --until and the day if you mean it")
	}
	return end, nil
}

// knows returns the names of a project, and warns if no memory has it, as after a typing
// mistake.
func knows(o *cli.Session, a *cli.App, project string) ([]string, error) {
	projects, err := o.Projects(a.Ctx, o.Caller(), time.Time{})
	if err != nil || project == "" {
		return nil, err
	}
	for _, p := range projects {
		if names := append([]string{p.Name}, p.Aliases...); slices.Contains(names, project) {
			return names, nil
		}
	}
	a.Warn("no memory has the project %s yet; satchel projects lists those there are", cli.Clean(project))
	return []string{project}, nil
}
