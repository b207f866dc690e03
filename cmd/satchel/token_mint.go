package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type tokenMintCmd struct {
	Verb []memory.Verb `enum:"read,write,derive,export" help:"What it allows: read, write, derive (new memories from these) or export. May be repeated." placeholder:"V"`
	Self bool          `help:"Everything that the owner may do. Its holder acts as the owner. For the owner's own programs."`
	runtimeFlags
	projectFlags
	All        bool              `xor:"project" help:"Every project."`
	Agent      string            `help:"Only memories that this agent wrote." placeholder:"A"`
	Visibility memory.Visibility `enum:",private,shared,public" default:"" help:"The most private memories it can read: private, shared or public. Default: shared." placeholder:"V"`
	For        span              `xor:"end" help:"How long it is valid: 90m, 24h, 30d, 2w, 1y or P30D, up to a year. Default: 24h." placeholder:"TIME"`
	Until      when              `xor:"end" help:"The time when it expires." placeholder:"TIME"`
	Audience   string            `help:"Only for the server with this name. Default: every server with the owner's memory." placeholder:"DID"`
	Name       string            `help:"A name for the token." placeholder:"N"`
}

// day is how long a token is good where nothing is said.
const day = 24 * time.Hour

// Run issues a token. It goes to standard output alone and is not kept.
func (c *tokenMintCmd) Run(a *app) error {
	if err := c.sensible(); err != nil {
		return err
	}
	project, err := c.name(a)
	if err != nil {
		return err
	}
	end, err := c.end(a.now())
	if err != nil {
		return err
	}
	return a.with(signing, func(o *opened) error {
		if err := o.keyIsOpen(a.ctx); err != nil {
			return err
		}
		names, err := o.knows(a, project)
		if err == nil {
			err = o.nameIsFree(a, c.Name)
		}
		if err != nil {
			return err
		}
		token, g, err := o.MintToken(a.ctx, o.owner(), vault.TokenOrder{
			Verbs: c.Verb, Project: project, Agent: c.Agent, Visibility: c.Visibility,
			Audience: c.Audience, Expires: end, Name: c.Name, Own: c.Self, Runtime: c.order(),
		})
		if memory.KindOf(err) == memory.InvalidRecord {
			return as(exitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if err := a.minted(token, g); err != nil {
			return err
		}
		return o.tellReach(a, g, names)
	})
}

// sensible refuses an order that says too little, or more than can be meant.
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
		return usagef("--self lets its bearer do all that the owner may; leave --verb, --project, --here, --all, --agent and --visibility out")
	case c.Self:
	case len(c.Verb) == 0:
		return usagef("say what it allows: --verb read, write, derive or export, or --self for all that the owner may do")
	case !about:
		return usagef("say what it is about: --project P, --here or --all")
	}
	return nil
}

// nameIsFree refuses a name by which a token in force is known already.
func (o *opened) nameIsFree(a *app, name string) error {
	grants, err := o.Tokens(a.ctx, o.owner())
	for _, g := range grants {
		if state := stateOf(g, a.now()); name != "" && g.Name == name && (state == inForce || state == tooEarly) {
			return refusedf("a token in force has the name %s already, %s: choose another, or end that one with satchel token revoke", clean(name), clean(g.ID))
		}
	}
	return err
}

// minted hands a token over and says what it allows.
func (a *app) minted(token string, g store.Grant) error {
	c, err := claimsOf(g.Claims)
	if err != nil {
		return err
	}
	if c.Subject != "" {
		a.warn("whoever has this token is the owner, until %s: it remembers, revises, publishes and erases in the owner's name, wherever the owner was let in", local(g.Expires))
	} else {
		a.warn("whoever has this token may until %s: %s; about: %s", local(g.Expires), c.lets(), c.about())
	}
	a.say("it is shown this once; to end it before its time: satchel token revoke %s", g.ID)
	if a.json {
		out := a.tokenOut(g)
		out.Token = token
		return a.emit(out)
	}
	a.print("%s", token)
	return nil
}

// end returns until when the token is good.
func (c *tokenMintCmd) end(now time.Time) (time.Time, error) {
	switch {
	case c.Self && c.Until.After(now.AddDate(1, 0, 0)):
		return c.Until.Time, usagef("a token that makes its bearer the owner is for at most a year")
	case !c.Until.IsZero():
		return c.Until.Time, nil
	case c.For.text == "":
		return now.Add(day).Truncate(time.Second), nil
	}
	end := c.For.After(now).Truncate(time.Second)
	if end.After(now.AddDate(1, 0, 0)) {
		return end, usagef("--for is for at most a year; say --until and the day if you mean it")
	}
	return end, nil
}

// knows returns the names that a project goes by, and warns of one that no
// memory has, as after a slip.
func (o *opened) knows(a *app, project string) ([]string, error) {
	projects, err := o.Projects(a.ctx, o.owner())
	if err != nil || project == "" {
		return nil, err
	}
	for _, p := range projects {
		if names := append([]string{p.Name}, p.Aliases...); slices.Contains(names, project) {
			return names, nil
		}
	}
	a.warn("no memory has the project %s yet; satchel projects lists those there are", clean(project))
	return []string{project}, nil
}

// span is a length of time on the command line: a number of minutes, hours, days,
// weeks or years, or an ISO 8601 duration.
type span struct {
	memory.Duration
	text string // as it was typed
	iso  string // the same as an ISO 8601 duration
}

var shortSpan = regexp.MustCompile(`^[0-9]+[mhdwy]$`)

// UnmarshalText reads what was typed.
func (s *span) UnmarshalText(text []byte) (err error) {
	s.text = string(text)
	iso := strings.ToUpper(s.text)
	if shortSpan.MatchString(s.text) {
		iso = "P" + iso
		if last := s.text[len(s.text)-1]; last == 'm' || last == 'h' {
			iso = "PT" + iso[1:]
		}
	}
	if s.Duration, err = memory.ParseDuration(iso); err != nil {
		return fmt.Errorf("%q is not a length of time; write 90m, 24h, 30d, 2w, 1y or P30D", clean(s.text))
	}
	s.iso = iso
	return nil
}
