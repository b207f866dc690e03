package delegation_test

import (
	"os"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a [vaulttest.House] in which remote assistants work.
type house struct {
	*vaulttest.House
	*delegation.Service
}

type opener func(testing.TB) *house

func onEach(t *testing.T, test func(*testing.T, opener)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		test(t, func(t testing.TB) *house { h := open(t); return &house{h, delegation.New(h.Vault)} })
	})
}

const (
	client, back, challenge = "reg_client", "https://assistant.example/back", "of-the-verifier"
	resource                = "https://notes.example/mcp"
)

// readWrite are the verbs of most grants.
func readWrite() []memory.Verb { return []memory.Verb{memory.ReadVerb, memory.WriteVerb} }

// order is a good order, until change changes it.
func (h *house) order(change ...func(*delegation.Order)) delegation.Order {
	o := delegation.Order{Client: client, Redirect: back, Challenge: challenge,
		Token: vault.TokenOrder{Verbs: readWrite(), Visibility: memory.Shared, Audience: resource, Expires: h.Now.Add(30 * 24 * time.Hour), Name: "Claude"}}
	for _, c := range change {
		c(&o)
	}
	return o
}

// code grants and returns the code.
func (h *house) code(change ...func(*delegation.Order)) string {
	h.T.Helper()
	code, err := h.Grant(h.Ctx, h.Me(), h.order(change...))
	if err != nil {
		h.T.Fatal(err)
	}
	return code
}

func proof() delegation.Proof {
	return delegation.Proof{Client: client, Redirect: back, Challenge: challenge}
}

// tokens grants and exchanges.
func (h *house) tokens(change ...func(*delegation.Order)) delegation.Tokens {
	h.T.Helper()
	o := h.order(change...)
	t, err := h.Exchange(h.Ctx, h.code(change...), delegation.Proof{Client: o.Client, Redirect: o.Redirect, Challenge: o.Challenge})
	if err != nil {
		h.T.Fatal(err)
	}
	return t
}

// renewed spends a refresh token.
func (h *house) renewed(refresh string, verbs ...memory.Verb) delegation.Tokens {
	h.T.Helper()
	t, err := h.Refresh(h.Ctx, refresh, delegation.Renewal{Client: client, Verbs: verbs})
	if err != nil {
		h.T.Fatal(err)
	}
	return t
}

// good fails the test unless a token admits here, as want.
func (h *house) good(access string) {
	h.T.Helper()
	if _, err := h.AdmitAt(h.Ctx, access, resource); err != nil {
		h.T.Errorf("the token is refused: %v", err)
	}
}

// dead fails the test unless neither token nor secret is good for anything.
func (h *house) dead(t delegation.Tokens) {
	h.T.Helper()
	if _, err := h.AdmitAt(h.Ctx, t.Access, resource); memory.KindOf(err) != memory.Unauthorized {
		h.T.Errorf("the token is taken: %v", err)
	}
	h.refused(t.Refresh)
}

func (h *house) refused(refresh string) {
	h.T.Helper()
	_, err := h.Refresh(h.Ctx, refresh, delegation.Renewal{Client: client})
	vaulttest.WantKind(h.T, err, memory.Unauthorized)
}

// inForce returns the grants that are not revoked.
func (h *house) inForce() (list []store.Grant) {
	h.T.Helper()
	all, err := h.Tokens(h.Ctx, h.Me())
	if err != nil {
		h.T.Fatal(err)
	}
	for _, g := range all {
		if g.Revoked.IsZero() {
			list = append(list, g)
		}
	}
	return list
}

// ended fails the test unless the last revocation in the log has this reason.
func (h *house) ended(why string) {
	h.T.Helper()
	if e := h.Logged(audit.Revoke); e.Reason != why {
		h.T.Errorf("the log says %+v, want %s", e, why)
	}
}
