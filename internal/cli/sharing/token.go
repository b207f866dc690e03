package sharing

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TokenCmd is the command satchel token.
type TokenCmd struct {
	List    tokenListCmd    `cmd:"" default:"1" help:"List the tokens that were issued."`
	Mint    tokenMintCmd    `cmd:"" help:"Issue a token that lets somebody read, write or export part of the memory for a time."`
	Revoke  tokenRevokeCmd  `cmd:"" help:"End a token before its time."`
	Inspect tokenInspectCmd `cmd:"" help:"Show what a token allows, and whether a server would accept it."`
}

// claims are a token's claims as the store keeps them.
type claims struct {
	Verbs    []memory.Verb `json:"verbs"`
	Audience string        `json:"aud"`
	Subject  string        `json:"sub"`
	Begins   time.Time     `json:"nbf"`
	Scope    struct {
		Project    string            `json:"project"`
		Projects   []string          `json:"projects"`
		Agent      string            `json:"agent"`
		Visibility memory.Visibility `json:"visibility"`
		Runtime    *runtimeClaims    `json:"runtime"`
	} `json:"scope"`
}

func claimsOf(raw []byte) (c claims, err error) {
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &c)
	}
	return c, err
}

// calledBy returns the name of a token, or that of its assistant.
func calledBy(g store.Grant) string { return cmp.Or(g.Name, runtimeOf(g)) }

// runtimeOf returns the name of a token's assistant; empty: there is none.
func runtimeOf(g store.Grant) string {
	c, err := claimsOf(g.Claims)
	if err != nil || c.Scope.Runtime == nil {
		return ""
	}
	return c.Scope.Runtime.Name
}

// lets says in words what a token allows.
func (c claims) lets() string {
	if c.Subject != "" {
		return "all that the owner may do"
	}
	verbs := make([]string, len(c.Verbs))
	for i, v := range c.Verbs {
		verbs[i] = string(v)
	}
	if c.Scope.Runtime != nil {
		return c.Scope.Runtime.lets(c.Verbs)
	}
	if c.whole() {
		return "all that the owner's own assistants may do: " + strings.Join(verbs, ", ")
	}
	return strings.Join(verbs, ", ")
}

// about says in words what the token covers.
func (c claims) about() string {
	if c.whole() || c.Subject != "" {
		return "everything, private memories too"
	}
	if c.Scope.Runtime != nil {
		return c.Scope.Runtime.about()
	}
	if slices.Equal(c.Verbs, []memory.Verb{memory.DeriveVerb}) && c.Scope.Agent != "" && c.Scope.Project == "" {
		return "tasks for agent " + cli.Clean(c.Scope.Agent) + ", where it is served; the token opens no memory"
	}
	reach := map[memory.Visibility]string{
		memory.Private: "private, shared and public memories", memory.Public: "public memories",
	}[c.Scope.Visibility]
	parts := []string{cmp.Or(reach, "shared and public memories")}
	if c.Scope.Project != "" {
		parts = append(parts, "of project "+cli.Clean(c.Scope.Project))
	}
	if len(c.Scope.Projects) > 0 {
		var names []string
		for _, p := range c.Scope.Projects {
			names = append(names, cmp.Or(cli.Clean(p), "none"))
		}
		parts = append(parts, "of projects "+strings.Join(names, ", "))
	}
	if c.Scope.Agent != "" {
		parts = append(parts, "of agent "+cli.Clean(c.Scope.Agent))
	}
	return strings.Join(parts, " ")
}

// whole reports whether a token has no limits (decision UD-13).
func (c claims) whole() bool {
	given := map[memory.Verb]bool{}
	for _, v := range c.Verbs {
		given[v] = true
	}
	s := c.Scope
	return len(given) == len(memory.Verbs()) && s.Project == "" && len(s.Projects) == 0 && s.Agent == "" && s.Visibility == "" && s.Runtime == nil
}

// tokenOut is a token for machines. The token itself appears only once.
type tokenOut struct {
	Token   string          `json:"token,omitempty"`
	ID      string          `json:"jti"`
	Name    string          `json:"name,omitempty"`
	State   string          `json:"state"`
	Issued  string          `json:"issued,omitempty"`
	Expires string          `json:"expires,omitempty"`
	Revoked string          `json:"revoked,omitempty"`
	Claims  json.RawMessage `json:"claims,omitempty"`
}

func showToken(a *cli.App, g store.Grant) tokenOut {
	return tokenOut{
		ID: g.ID, Name: calledBy(g), State: stateOf(g, a.Now()), Claims: g.Claims,
		Issued: cli.Stamp(g.Issued), Expires: cli.Stamp(g.Expires), Revoked: cli.Stamp(g.Revoked),
	}
}

// The states of a token.
const (
	inForce  = "in force"
	tooEarly = "not yet"
	expired  = "expired"
	revoked  = "revoked"
)

func stateOf(g store.Grant, now time.Time) string {
	c, err := claimsOf(g.Claims)
	switch {
	case !g.Revoked.IsZero():
		return revoked
	case !g.Expires.IsZero() && !now.Before(g.Expires):
		return expired
	case err == nil && now.Before(c.Begins):
		return tooEarly
	}
	return inForce
}

// tokenText reads a token, a jti or a token's name from the command line or standard input.
func tokenText(a *cli.App, arg string) (string, error) {
	text, err := a.Text(arg, cli.MaxSmall)
	if text = strings.TrimSpace(text); err == nil && text == "" {
		err = cli.Usagef("there is no token; give it, or - and the token on standard input")
	}
	return text, err
}
