package sharing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// runtimeFlags make a token for one assistant. It opens the assistant's context and nothing
// else (Engram 3.9).
type runtimeFlags struct {
	Runtime  string            `help:"For this assistant: it may read its context and propose corrections, nothing else." placeholder:"NAME"`
	Scope    engram.Scope      `enum:",full,professional,personal,financial,minimal" default:"" help:"With --runtime: the part of the context: full, professional, personal, financial or minimal." placeholder:"S"`
	Category []engram.Category `help:"With --runtime: a category of the context, such as communication. May be repeated." placeholder:"C"`
	Purpose  string            `help:"With --runtime: the purpose, written into the context." placeholder:"TEXT"`
	IssuedTo string            `help:"With --runtime: the URI of the assistant, https://…, did:… or urn:…, written into the context." placeholder:"URI"`
}

// sensible refuses incomplete flags for an assistant's token.
func (f runtimeFlags) sensible(more bool) error {
	part := f.Scope != "" || len(f.Category) > 0
	switch {
	case f.Runtime == "" && (part || f.Purpose != "" || f.IssuedTo != ""):
		return cli.Usagef("--scope, --category, --purpose and --issued-to are for an assistant: name it with --runtime")
	case f.Runtime != "" && more:
		return cli.Usagef("--runtime is for contexts; leave --self, --project, --here, --all, --agent and --visibility out")
	case f.Scope != "" && len(f.Category) > 0:
		return cli.Usagef("--scope and --category say two things of one part: leave one of them out")
	case f.Runtime != "" && !part:
		return cli.Usagef("say which part of the context %s gets: --scope full, professional, personal, financial or minimal, or --category C", cli.Clean(f.Runtime))
	}
	return nil
}

// order is the token's part about the assistant; nil: it is for none.
func (f runtimeFlags) order() *memory.Runtime {
	if f.Runtime == "" {
		return nil
	}
	r := &memory.Runtime{Name: f.Runtime, Scope: string(f.Scope), Purpose: f.Purpose, IssuedTo: f.IssuedTo}
	for _, c := range f.Category {
		r.Categories = append(r.Categories, string(c))
	}
	return r
}

// runtimeClaims are a token's claims about an assistant.
type runtimeClaims struct {
	Name       string   `json:"name"`
	Scope      string   `json:"scope"`
	Categories []string `json:"categories"`
	IssuedTo   string   `json:"issued_to"`
}

// lets says in words what an assistant may do.
func (r runtimeClaims) lets(verbs []memory.Verb) string {
	var parts []string
	if slices.Contains(verbs, memory.ReadVerb) {
		parts = append(parts, "get the context that an assistant starts from")
	}
	if slices.Contains(verbs, memory.WriteVerb) {
		parts = append(parts, "propose corrections")
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

// about says in words what the context covers, and for whom.
func (r runtimeClaims) about() string {
	part := "scope " + cli.Clean(r.Scope)
	if r.Scope == "" {
		part = "of the categories " + cli.Clean(strings.Join(r.Categories, ", "))
	}
	part += ", for " + cli.Clean(r.Name)
	if r.IssuedTo != "" {
		part += " (" + cli.Clean(r.IssuedTo) + ")"
	}
	return part
}
