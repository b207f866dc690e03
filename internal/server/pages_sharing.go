package server

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// tokenClaims are what a token says, as far as pages show it.
type tokenClaims struct {
	Verbs   []memory.Verb `json:"verbs"`
	Subject string        `json:"sub"`
	Scope   struct {
		Project    string            `json:"project"`
		Projects   []string          `json:"projects"`
		Agent      string            `json:"agent"`
		Visibility memory.Visibility `json:"visibility"`
		Runtime    *struct {
			Name       string   `json:"name"`
			Scope      string   `json:"scope"`
			Categories []string `json:"categories"`
		} `json:"runtime"`
	} `json:"scope"`
}

// claimsOf reads the claims of a token. Those of a token from elsewhere are not known.
func claimsOf(text []byte) (c tokenClaims) {
	if len(text) > 0 && json.Unmarshal(text, &c) != nil {
		return tokenClaims{}
	}
	return c
}

// runtime returns the name of the assistant that a token was made for.
func (c tokenClaims) runtime() string {
	if c.Scope.Runtime == nil {
		return ""
	}
	return c.Scope.Runtime.Name
}

// Tokens lists the tokens.
func (p watchPages) Tokens(ctx context.Context, c memory.Caller, now time.Time) ([]pages.Token, error) {
	grants, err := p.Vault.Tokens(ctx, c)
	if err != nil {
		return nil, err
	}
	readers, err := p.assistants.Readers(ctx, c, time.Time{})
	if err != nil {
		return nil, err
	}
	var all []pages.Token
	for _, g := range grants {
		t := tokenOf(g.ID, g.Name, g.Claims, g.Expires)
		switch {
		case !g.Revoked.IsZero():
			t.Ended, t.Why = true, "revoked"
		case !g.Expires.IsZero() && !now.Before(g.Expires):
			t.Ended, t.Why = true, "expired"
		}
		for _, r := range readers {
			if r.Token == g.ID && r.Last.After(t.Used) {
				t.Used = r.Last
			}
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b pages.Token) int { return cmp.Compare(yes(a.Ended), yes(b.Ended)) })
	return all, nil
}

// tokenOf returns a token by what is kept of it.
func tokenOf(id, name string, claims []byte, until time.Time) pages.Token {
	c := claimsOf(claims)
	t := pages.Token{ID: id, Name: name, Verbs: c.Verbs, Whole: c.Subject != "", For: c.runtime(), Until: until, Projects: c.Scope.Projects,
		Scope: memory.Scope{Project: c.Scope.Project, Agent: c.Scope.Agent, Visibility: c.Scope.Visibility}}
	if r := c.Scope.Runtime; r != nil {
		t.Within = cmp.Or(r.Scope, strings.Join(r.Categories, ", "))
	}
	return t
}

// RevokeToken makes a token worthless that is in the list.
func (p watchPages) RevokeToken(ctx context.Context, c memory.Caller, id string) error {
	grants, err := p.Vault.Tokens(ctx, c)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.ID == id {
			return p.Vault.RevokeToken(ctx, c, id)
		}
	}
	return &memory.Error{Kind: memory.NotFound, Op: "token", Message: "there is no such token; Sharing lists them"}
}

// MintToken makes a token.
func (p watchPages) MintToken(ctx context.Context, c memory.Caller, o pages.TokenOrder) (string, pages.Token, error) {
	secret, g, err := p.Vault.MintToken(ctx, c, vault.TokenOrder{Verbs: o.Verbs, Project: o.Project, Visibility: o.Visibility, Expires: o.Until, Name: o.Name})
	if err != nil {
		return "", pages.Token{}, err
	}
	return secret, tokenOf(g.ID, g.Name, g.Claims, g.Expires), nil
}

// SetVisibility makes a version of a memory that says who can see it.
func (p watchPages) SetVisibility(ctx context.Context, c memory.Caller, id memory.ID, to memory.Visibility) (memory.ID, error) {
	patch, err := json.Marshal(map[string]any{"scope": map[string]any{"visibility": to}})
	if err != nil {
		return "", err
	}
	done, err := p.Revise(ctx, c, memory.Revision{ID: id, Patch: patch})
	return done.ID, err
}

// Visits lists the browsers that were let in.
func (p watchPages) Visits(ctx context.Context, c memory.Caller, cookie string) ([]pages.Visit, error) {
	list, err := p.visits.Visits(ctx, c, cookie)
	out := make([]pages.Visit, len(list))
	for i, v := range list {
		out[i] = pages.Visit{ID: v.ID, Browser: v.Browser, Made: v.Made, Seen: v.Seen, Ends: v.Ends, This: v.This}
	}
	return out, err
}

// EndVisit turns a browser out.
func (p watchPages) EndVisit(ctx context.Context, c memory.Caller, id string) error {
	return p.visits.End(ctx, c, id)
}
