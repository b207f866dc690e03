package vault

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Admit returns whom a capability token lets in (UMP 5.2, decision UD-25): the
// issuer is the home owner or one whom that let in, the issuer signed it, now is its time, this
// is the server it was made for, and it was not revoked. The error is of kind
// Unauthorized.
func (v *Vault) Admit(ctx context.Context, token string) (memory.Caller, error) {
	const op = "authenticate"
	claims, err := ump.ReadToken(token)
	if err != nil {
		return memory.Caller{}, err
	}
	c := claims.Caller()
	if err := claims.Check(v.now(), v.audienceOf(claims.Issuer)); err != nil {
		return memory.Caller{}, v.refusal(c, op, "", err)
	}
	if err := v.letIn(ctx, claims); err != nil {
		return memory.Caller{}, v.refusal(c, op, "", err)
	}
	return c, nil
}

// letIn makes sure that the issuer is the home owner or was let in by it, and that
// the token was not revoked. That is read every time: another server may have
// changed it.
func (k *keyring) letIn(ctx context.Context, claims ump.Claims) error {
	var a store.Account
	err := k.store.View(ctx, claims.Issuer, func(r store.Reader) (err error) {
		if a, err = r.Account(); err != nil {
			return err
		}
		return k.inForce(r, claims, a)
	})
	if err == nil && claims.Issuer != k.home {
		err = k.settle(claims.Issuer, a)
	}
	return err
}

// inForce refuses a token that was revoked, or whose issuer's memory is not here.
func (k *keyring) inForce(r store.Reader, claims ump.Claims, a store.Account) error {
	m, err := MoveOf(r)
	switch {
	case err != nil:
		return err
	case m.State == MoveDone: // the issuer is nobody's memory any more
		return ump.TokenError(ump.ErrTokenRevoked)
	case claims.Issuer != k.home && a.Added.IsZero():
		k.residents.Delete(claims.Issuer)
		return unauthorized(ump.ErrTokenStranger, "UMP-5.2-3", "this server keeps nothing of the token's issuer")
	}
	g, err := r.Grant(claims.ID)
	switch {
	case errors.Is(err, store.ErrAltered):
		k.log.Error("vault", "op", "authenticate", "err", err)
		return unauthorized(ump.ErrTokenRevoked, "UMP-5.2-8", "it cannot be told whether the token was revoked; its owner finds out more with satchel doctor")
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil && !g.Revoked.IsZero():
		return ump.TokenError(ump.ErrTokenRevoked)
	}
	return err
}

func unauthorized(cause error, rule, message string) error {
	return &memory.Error{Kind: memory.Unauthorized, Op: "authenticate", Rule: rule, Message: message, Err: cause}
}

// audienceOf is whom tokens of an owner must be made for, if they say.
func (k *keyring) audienceOf(owner memory.DID) string {
	if k.audience != "" {
		return k.audience
	}
	return string(owner)
}

// TokenOrder says what a capability token is to allow.
type TokenOrder struct {
	Verbs      []memory.Verb
	Project    string            // empty: every project
	Agent      string            // empty: every agent
	Visibility memory.Visibility // most private kind it reaches; empty: shared
	Audience   string            // server it is for; empty: any that keeps the owner's memory
	NotBefore  time.Time         // zero: at once
	Expires    time.Time
	Name       string // for people
	Own        bool   // the bearer is the owner in person
	// Runtime makes a token for one assistant, which opens nothing but the context it
	// starts from; nil: it is not one.
	Runtime *memory.Runtime
}

// MintToken issues a capability token and files what it allows.
func (v *Vault) MintToken(ctx context.Context, c memory.Caller, o TokenOrder) (string, store.Grant, error) {
	const op = "token"
	if err := v.mayManage(op, c); err != nil {
		return "", store.Grant{}, err
	}
	key := v.holder(c.Owner)
	if key == nil {
		return "", store.Grant{}, &memory.Error{Kind: memory.Unsupported, Op: op, Message: "the owner's key is not open here: tokens cannot be signed"}
	}
	if err := checkRuntime(op, o.Runtime); err != nil {
		return "", store.Grant{}, err
	}
	now := Instant(v.now())
	if !o.Expires.After(now) || !o.NotBefore.IsZero() && !o.Expires.After(o.NotBefore) {
		return "", store.Grant{}, Invalid(op, "/exp", "UMP-5.2-9", "a token must end in the future, after it begins")
	}
	claims := ump.Claims{
		Issuer: c.Owner, Audience: o.Audience, Verbs: o.Verbs, ID: nonce(),
		Scope:     memory.Scope{Project: o.Project, Agent: o.Agent, Visibility: o.Visibility},
		NotBefore: o.NotBefore, Expires: o.Expires, Runtime: o.Runtime,
	}
	if o.Own { // for everything, or it is none
		claims.Subject, claims.Verbs, claims.Scope = string(c.Owner), memory.Verbs(), memory.Scope{}
	}
	token, err := ump.MintToken(claims, *key)
	if err != nil {
		return "", store.Grant{}, v.refusal(c, op, "", err)
	}
	if claims, err = ump.ReadToken(token); err != nil {
		return "", store.Grant{}, v.refusal(c, op, "", err)
	}
	g := store.Grant{ID: claims.ID, Claims: claims.JSON(), Name: o.Name, Issued: now, Expires: claims.Expires}
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		if err := w.SetGrant(g); err != nil {
			return err
		}
		return v.note(w, c, audit.Entry{Act: audit.Grant, Token: g.ID, Verbs: o.Verbs,
			Visibility: o.Visibility, Project: v.AuditMark(c, o.Project), Agent: v.AuditMark(c, o.Agent), Until: claims.Expires})
	})
	return token, g, v.refusal(c, op, "", err)
}

func (x *access) mayManage(op string, c memory.Caller) error {
	if err := x.mayWrite(op, c); err != nil {
		return err
	}
	return x.mayOwn(op, c)
}

// Tokens lists the capability tokens that were issued or revoked here, latest
// first.
func (v *Vault) Tokens(ctx context.Context, c memory.Caller) ([]store.Grant, error) {
	const op = "token"
	if err := v.mayOwn(op, c); err != nil {
		return nil, err
	}
	var out []store.Grant
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		out, err = r.Grants()
		return err
	})
	return out, v.refusal(c, op, "", err)
}

// RevokeToken ends a token before its time, wherever it was issued: nobody is
// let in with it here from now on. Once is enough.
func (v *Vault) RevokeToken(ctx context.Context, c memory.Caller, id string) error {
	const op = "token"
	if err := v.mayManage(op, c); err != nil {
		return err
	}
	if !ump.ValidTokenID(id) {
		return Invalid(op, "/jti", "UMP-5.2-8", "name the token by its jti; token list shows them")
	}
	now := Instant(v.now())
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		g, err := w.Grant(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			g, err = store.Grant{ID: id, Issued: now}, nil
		case errors.Is(err, store.ErrAltered):
			g, err = grantAsListed(w, id, now)
		}
		if err != nil || !g.Revoked.IsZero() {
			return err
		}
		g.Revoked = now
		if err := w.SetGrant(g); err != nil {
			return err
		}
		return v.note(w, c, audit.Entry{Act: audit.Revoke, Token: id})
	})
	return v.refusal(c, op, "", err)
}

// grantAsListed returns a grant that cannot be believed as one to be revoked once more:
// it may have been put back to what it said before.
func grantAsListed(r store.Reader, id string, now time.Time) (store.Grant, error) {
	list, err := r.Grants()
	for _, g := range list {
		if g.ID == id {
			g.Revoked = time.Time{}
			return g, err
		}
	}
	return store.Grant{ID: id, Issued: now}, err
}

// checkRuntime refuses a token for a runtime that nothing could be had with, or that
// says to whom it was issued in a way that no definition of a scope may (Engram 3.7).
func checkRuntime(op string, r *memory.Runtime) error {
	if r == nil {
		return nil
	}
	unknown := func(c string) bool { return !engram.Category(c).Standard() }
	switch {
	case r.Scope != "" && !slices.Contains(engram.Scopes(), engram.Scope(r.Scope)):
		return Invalid(op, "/scope/runtime/scope", "ENGRAM-3.9-DISC-3", "the scope of a token for an assistant is full, professional, personal, financial or minimal")
	case slices.ContainsFunc(r.Categories, unknown):
		return Invalid(op, "/scope/runtime/categories", "ENGRAM-3.4-4", "the categories are "+categoryNames())
	case r.IssuedTo != "" && !engram.IsRuntimeURI(r.IssuedTo):
		return Invalid(op, "/scope/runtime/issued_to", "ENGRAM-3.7-7", "an assistant is named by a URI that begins with https://, did: or urn:")
	}
	return nil
}

func categoryNames() string {
	var names []string
	for _, c := range engram.Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}
