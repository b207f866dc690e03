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

// Admit returns the caller that a capability token admits (UMP 5.2, decision UD-25).
// The issuer must be the home owner or an admitted owner, and must have signed the
// token. The token must be valid now, be made for this server, and not be revoked. The
// error is of kind Unauthorized.
func (v *Vault) Admit(ctx context.Context, token string) (memory.Caller, error) {
	claims, err := ump.ReadToken(token)
	if err != nil {
		return memory.Caller{}, err
	}
	return v.admitted(ctx, claims, v.audienceOf(claims.Issuer))
}

// admitTo is Admit for a token that names an audience, and no other than this one.
func (v *Vault) admitTo(ctx context.Context, token, audience string) (memory.Caller, error) {
	claims, err := ump.ReadToken(token)
	if err != nil {
		return memory.Caller{}, err
	}
	if claims.Audience == "" {
		return memory.Caller{}, ump.TokenError(ump.ErrTokenAudience)
	}
	return v.admitted(ctx, claims, audience)
}

func (v *Vault) admitted(ctx context.Context, claims ump.Claims, audience string) (memory.Caller, error) {
	const op = "authenticate"
	c := claims.Caller()
	if err := claims.Check(v.now(), audience); err != nil {
		return memory.Caller{}, v.refusal(c, op, "", err)
	}
	if err := v.letIn(ctx, claims); err != nil {
		return memory.Caller{}, v.refusal(c, op, "", err)
	}
	return c, nil
}

// letIn checks that the issuer is the home owner or an admitted owner, and that the
// token is not revoked. It reads the store every time, because another server may have
// changed either.
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

// inForce refuses a token that was revoked, or whose issuer has no memory here.
func (k *keyring) inForce(r store.Reader, claims ump.Claims, a store.Account) error {
	m, err := MoveOf(r)
	switch {
	case err != nil:
		return err
	case m.State == MoveDone: // the issuer has no memory any more
		return ump.TokenError(ump.ErrTokenRevoked)
	case claims.Issuer != k.home && a.Added.IsZero():
		k.ownerAccounts.Delete(claims.Issuer)
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

// audienceOf returns the audience that an owner's tokens must name if they name one.
func (k *keyring) audienceOf(owner memory.DID) string {
	if k.audience != "" {
		return k.audience
	}
	return string(owner)
}

// TokenOrder says what a new capability token allows.
type TokenOrder struct {
	Verbs      []memory.Verb
	Project    string            // empty: every project
	Projects   []string          // instead of Project; "" stands for the records without one
	Agent      string            // empty: every agent
	Visibility memory.Visibility // the most private visibility it reaches; empty: shared
	Audience   string            // the server it is for; empty: any server that keeps the owner's memory
	NotBefore  time.Time         // zero: at once
	Expires    time.Time
	Name       string // for people
	Own        bool   // the bearer is the owner in person
	// Runtime makes a token for one assistant. It opens only the context that the
	// assistant starts from; nil: the token is for no assistant.
	Runtime *memory.Runtime
}

// MintToken issues a capability token and stores its grant.
func (v *Vault) MintToken(ctx context.Context, c memory.Caller, o TokenOrder) (string, store.Grant, error) {
	const op = "token"
	token, g, err := NewGrant(KernelOf(v), op, c, o)
	if err != nil {
		return "", store.Grant{}, err
	}
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) error { return FileGrant(KernelOf(v), w, c, o, g) })
	return token, g, v.refusal(c, op, "", err)
}

// NewGrant returns the token and the grant of an order by the owner in person, whose key is
// open. It stores nothing, see [FileGrant].
func NewGrant(v Kernel, op string, c memory.Caller, o TokenOrder) (string, store.Grant, error) {
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
	if len(o.Projects) == 1 && o.Projects[0] != "" && o.Project == "" { // as every server reads it
		o.Project, o.Projects = o.Projects[0], nil
	}
	now := Instant(v.now())
	if !o.Expires.After(now) || !o.NotBefore.IsZero() && !o.Expires.After(o.NotBefore) {
		return "", store.Grant{}, Invalid(op, "/exp", "UMP-5.2-9", "a token must end in the future, after it begins")
	}
	claims := ump.Claims{
		Issuer: c.Owner, Audience: o.Audience, Verbs: o.Verbs, ID: nonce(),
		Scope:    memory.Scope{Project: o.Project, Agent: o.Agent, Visibility: o.Visibility},
		Projects: o.Projects, NotBefore: o.NotBefore, Expires: o.Expires, Runtime: o.Runtime,
	}
	if o.Own { // such a token is always for everything
		claims.Subject, claims.Verbs, claims.Scope, claims.Projects = string(c.Owner), memory.Verbs(), memory.Scope{}, nil
	}
	token, err := ump.MintToken(claims, *key)
	if err != nil {
		return "", store.Grant{}, v.refusal(c, op, "", err)
	}
	if claims, err = ump.ReadToken(token); err != nil {
		return "", store.Grant{}, v.refusal(c, op, "", err)
	}
	return token, store.Grant{ID: claims.ID, Claims: claims.JSON(), Name: o.Name, Issued: now, Expires: claims.Expires}, nil
}

// FileGrant stores a grant of [NewGrant], and notes it in the log.
func FileGrant(v Kernel, w store.Writer, c memory.Caller, o TokenOrder, g store.Grant) error {
	if err := w.SetGrant(g); err != nil {
		return err
	}
	project := o.Project
	if len(o.Projects) > 0 {
		project = strings.Join(o.Projects, "\n")
	}
	return v.note(w, c, audit.Entry{Act: audit.Grant, Token: g.ID, Verbs: o.Verbs,
		Visibility: o.Visibility, Project: v.AuditMark(c, project), Agent: v.AuditMark(c, o.Agent), Until: g.Expires})
}

func (x *access) mayManage(op string, c memory.Caller) error {
	if err := x.mayWrite(op, c); err != nil {
		return err
	}
	return x.mayOwn(op, c)
}

// Tokens lists the capability tokens that were issued or revoked here, latest first.
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

// RevokeToken ends a token early, wherever it was issued: from now on it admits nobody
// here. A second call changes nothing.
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

// grantAsListed returns an altered grant as not revoked, so that it can be revoked
// again. An attacker may have put back its earlier state.
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

// checkRuntime refuses a runtime's token with an unknown scope or an unknown category.
// It also refuses an issued_to that is no URI of a runtime (Engram 3.7).
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
