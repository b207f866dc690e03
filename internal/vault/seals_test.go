package vault_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// attack changes tables as somebody may who has the database, and no key. Statements
// name an owner by $1 as table owners knows it.
func (h *house) attack(owner memory.DID, statements ...string) {
	h.T.Helper()
	var exec func(statement string) (int64, error)
	if h.Path != "" {
		db, err := sql.Open("sqlite", h.Path)
		if err != nil {
			h.T.Fatal(err)
		}
		defer db.Close()
		exec = func(statement string) (int64, error) {
			done, err := db.Exec(strings.ReplaceAll(statement, "$1", "'"+string(owner)+"'"))
			if err != nil {
				return 0, err
			}
			return done.RowsAffected()
		}
	} else {
		at := h.URL + "?search_path=satchel,public"
		if strings.Contains(h.URL, "?") {
			at = h.URL + "&search_path=satchel,public"
		}
		exec = func(statement string) (int64, error) {
			return int64(len(pgtest.Query(h.T, at, strings.ReplaceAll(statement, "$1", "'"+string(owner)+"'")+" RETURNING 1"))), nil
		}
	}
	for _, s := range statements {
		if n, err := exec(s); err != nil || n == 0 {
			h.T.Fatalf("%s: %d rows, %v", s, n, err)
		}
	}
}

// named is what another server finds wrong with the store.
func (h *house) named() []string {
	h.T.Helper()
	found, err := h.server().Health(h.Ctx)
	if err != nil {
		h.T.Fatal(err)
	}
	return found
}

const ofOwner = ` WHERE owner = (SELECT owner FROM owners WHERE did = $1)`

// TestTamperingWithAccounts takes away, inserts and changes what table owners and table
// grants say of owners, whether their keys are kept or not.
func TestTamperingWithAccounts(t *testing.T) {
	racing.Skip(t)
	onEach(t, testTamperingWithAccounts)
}

func testTamperingWithAccounts(t *testing.T, open opener) {
	for name, tt := range map[string]struct {
		alone  bool // the owner has the key, and nobody else
		attack []string
	}{
		"UMP-5.2-8 the key is taken away, with what was revoked": {false, []string{
			`DELETE FROM grants` + ofOwner, `UPDATE owners SET account = NULL, revoked = '', secret = '' WHERE did = $1`}},
		"UMP-5.2-8 a revocation is undone":   {true, []string{`UPDATE grants SET revoked = NULL` + ofOwner}},
		"UMP-5.2-8 a revocation is deleted":  {true, []string{`DELETE FROM grants` + ofOwner}},
		"UMP-5.2-8 all revocations are gone": {true, []string{`DELETE FROM grants` + ofOwner, `UPDATE owners SET revoked = '' WHERE did = $1`}},
		"a quota is taken away":              {true, []string{`UPDATE owners SET quota_records = 0 WHERE did = $1`}},
		"the quota of one whose key is kept": {false, []string{`UPDATE owners SET quota_records = 0, account = NULL WHERE did = $1`}},
	} {
		t.Run(name, func(t *testing.T) {
			h, ada := open.shared(t), vaulttest.Seeded(t, 21)
			o := vault.AccountOrder{Key: ada, Quota: store.Quota{Records: 5}}
			if tt.alone {
				o = vault.AccountOrder{Public: ada.DID(), Quota: store.Quota{Records: 5}}
			}
			h.Order(o)
			token := vaulttest.TokenOf(t, ada, true)
			if err := h.RevokeToken(h.Ctx, h.Admitted(ada), "another-token-of-tests"); err != nil {
				t.Fatal(err)
			}
			if _, err := h.Admit(h.Ctx, token); err != nil {
				t.Fatalf("before: %v", err)
			}
			if found := h.named(); len(found) > 0 {
				t.Fatalf("before: %q", found)
			}
			h.attack(ada.DID(), tt.attack...)
			for _, v := range []*house{h, h.server()} {
				_, err := v.Admit(h.Ctx, token)
				vaulttest.WantKind(t, err, memory.Unauthorized)
			}
			if found := h.named(); len(found) == 0 {
				t.Error("nothing is found")
			}
		})
	}
}

// TestInsertedAccount adds a stranger to table owners.
func TestInsertedAccount(t *testing.T) { onEach(t, testInsertedAccount) }

func testInsertedAccount(t *testing.T, open opener) {
	h, ada, stranger := open.shared(t), vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 66)
	h.Order(vault.AccountOrder{Public: ada.DID()})
	if _, err := h.Admit(h.Ctx, vaulttest.TokenOf(t, stranger, true)); memory.KindOf(err) != memory.Unauthorized {
		t.Fatalf("before: %v", err)
	}
	keyless := h.Again(func(memory.DID) []byte { return nil }) // what it writes anybody can who has the database
	defer keyless.Close()
	err := keyless.Update(h.Ctx, stranger.DID(), func(w store.Writer) error { return w.SetAccount(store.Account{Added: vaulttest.Start()}) })
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Admit(h.Ctx, vaulttest.TokenOf(t, stranger, true))
	vaulttest.WantKind(t, err, memory.Unauthorized)
	if found := h.named(); !slices.ContainsFunc(found, func(f string) bool {
		return strings.Contains(f, "without the owner's secret") || strings.Contains(f, "outside of satchel")
	}) {
		t.Errorf("found %q", found)
	}
}

// TestRemovedOwnersComeBack lets owners in again who were removed, with the key kept or
// not, whichever it was before.
func TestRemovedOwnersComeBack(t *testing.T) { onEach(t, testRemovedOwnersComeBack) }

func testRemovedOwnersComeBack(t *testing.T, open opener) {
	h, ada := open.shared(t), vaulttest.Seeded(t, 21)
	kept, alone := vault.AccountOrder{Key: ada}, vault.AccountOrder{Public: ada.DID()}
	for _, o := range []vault.AccountOrder{kept, alone, alone, kept, kept} {
		other := h.server()
		h.Order(o)
		c := other.Admitted(ada)
		other.Brings(c, vaulttest.SignedBy(t, ada, "here again"))
		if err := other.RevokeToken(h.Ctx, c, "revoked-of-tests"); err != nil {
			t.Fatal(err)
		}
		if _, err := h.RemoveOwner(h.Ctx, h.Me(), ada.DID()); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Admit(h.Ctx, vaulttest.TokenOf(t, ada, true)); memory.KindOf(err) != memory.Unauthorized {
			t.Fatalf("removed: %v", err)
		}
		h.Healthy()
	}
	h.Order(alone)
	claims := ump.Claims{Issuer: ada.DID(), Verbs: memory.Verbs(), Expires: vaulttest.Start().Add(240 * 3600e9), ID: "revoked-of-tests"}
	token, err := ump.MintToken(claims, ada)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Admit(h.Ctx, token); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("what was revoked before: %v", err)
	}
}
