package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

func token(id string, revoked bool) store.Grant {
	g := store.Grant{ID: id, Claims: []byte(`{}`), Name: "a friend", Issued: birth, Expires: birth.Add(time.Hour)}
	if revoked {
		g.Revoked = birth.Add(time.Minute)
	}
	return g
}

// granted makes a store in which the tokens old and late are revoked, and kept and
// open are in force. earlier is as it was while late was in force.
func granted(t testing.TB, secret func(memory.DID) []byte) (path, earlier string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "satchel.db")
	earlier = path + ".earlier"
	s := openSealed(t, path, secret)
	for _, owner := range []memory.DID{ada, bob} {
		must(t, s.Update(t.Context(), owner, func(w store.Writer) error {
			return errors.Join(w.SetGrant(token("old", true)), w.SetGrant(token("late", false)),
				w.SetGrant(token("kept", false)), w.SetGrant(token("open", false)))
		}))
	}
	raw(t, path, func(db *sql.DB) { execute(t, db, "VACUUM INTO ?", earlier) })
	must(t, s.Update(t.Context(), ada, func(w store.Writer) error { return w.SetGrant(token("late", true)) }))
	must(t, s.Close())
	return path, earlier
}

// answers words what Grant says of tokens: + in force, - revoked, ? not found,
// ! altered.
func answers(t testing.TB, r store.Reader) string {
	t.Helper()
	var words []string
	for _, id := range []string{"old", "late", "kept", "open", "junk", "new"} {
		g, err := r.Grant(id)
		mark := "+"
		switch {
		case errors.Is(err, store.ErrAltered):
			mark = "!"
		case errors.Is(err, store.ErrNotFound):
			mark = "?"
		case err != nil:
			t.Error(id, err)
		case !g.Revoked.IsZero():
			mark = "-"
		}
		words = append(words, id+mark)
	}
	return strings.Join(words, " ")
}

const untouched = "old- late- kept+ open+ junk? new?"

// TestAlteredGrants does to a store what might let somebody in again.
func TestAlteredGrants(t *testing.T) {
	path, earlier := granted(t, secretOf)
	for name, tt := range map[string]struct{ do, want string }{
		"nothing": {"SELECT 1", untouched},
		"a revocation is undone": {
			"UPDATE grants SET revoked = NULL WHERE id = 'late'", "old- late! kept! open! junk! new!"},
		"a revocation is put back to before": {
			"ATTACH '" + earlier + "' AS e; REPLACE INTO grants SELECT * FROM e.grants WHERE owner = 1 AND id = 'late'",
			"old- late! kept! open! junk! new!"},
		"a revoked grant is removed": {
			"DELETE FROM grants WHERE id = 'late'", "old- late! kept! open! junk! new!"},
		"all grants are removed": {
			"DELETE FROM grants", "old! late! kept! open! junk! new!"},
		"a revoked grant makes room for another": {
			"UPDATE grants SET id = 'junk' WHERE id = 'late'", "old- late! kept! open! junk! new!"},
		"a revoked grant has an id of another type": {
			"UPDATE grants SET id = CAST(id AS BLOB) WHERE id = 'late'", "old- late! kept! open! junk! new!"},
		"a revoked grant goes to another owner": {
			"DELETE FROM grants WHERE owner = 2 AND id = 'late'; UPDATE grants SET owner = 2 WHERE id = 'late'",
			"old- late! kept! open! junk! new!"},
		"a grant is revoked": {
			"UPDATE grants SET revoked = 1 WHERE id = 'kept'", "old- late- kept! open! junk! new!"},
		"a revoked grant is put there": {
			"INSERT INTO grants SELECT owner, 'junk', claims, name, issued, expires, revoked, seal FROM grants WHERE id = 'old'",
			"old- late- kept! open! junk! new!"},
		"the owner's row says otherwise as well": {
			"DELETE FROM grants WHERE id = 'late'; UPDATE owners SET revoked = (SELECT revoked FROM e.owners WHERE owner = 1)",
			"old- late! kept! open! junk! new!"},
		"the owner's row alone says otherwise": {
			"UPDATE owners SET revoked = zeroblob(16)", "old- late- kept! open! junk! new!"},
		"the owner's row is not as it was": {
			"UPDATE owners SET imported = 7", "old- late- kept! open! junk! new!"},
		"the owner's row has no seal": {
			"UPDATE owners SET seal = x''", "old- late- kept! open! junk! new!"},
		"a grant in force has another end": {
			"UPDATE grants SET expires = expires + 1 WHERE id = 'kept'", "old- late- kept! open+ junk? new?"},
		"a grant in force is removed": { // it says itself whom it lets in
			"DELETE FROM grants WHERE id = 'kept'", "old- late- kept? open+ junk? new?"},
		"another owner's": {
			"DELETE FROM grants WHERE owner = 2", untouched},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(tt.do, " e.") && !strings.HasPrefix(tt.do, "ATTACH") {
				tt.do = "ATTACH '" + earlier + "' AS e; " + tt.do
			}
			s := behind(t, path, secretOf, statements(t, strings.Split(tt.do, "; ")...))
			both(t, s, func(r store.Reader) {
				if got := answers(t, r); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestAlteredGrantHidden makes the only revoked grant impossible to find, while it
// is there.
func TestAlteredGrantHidden(t *testing.T) {
	_, earlier := granted(t, secretOf)
	s := behind(t, earlier, secretOf, statements(t, "UPDATE grants SET id = CAST(id AS BLOB) WHERE id = 'old'"))
	both(t, s, func(r store.Reader) {
		if got, want := answers(t, r), "old! late+ kept+ open+ junk? new?"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestAlteredGrantsStay changes grants behind the store's back and files others
// afterwards: that covers up nothing.
func TestAlteredGrantsStay(t *testing.T) {
	path, _ := granted(t, secretOf)
	for name, tt := range map[string]struct{ do, want string }{
		"nothing":                      {"SELECT 1", "old- late- kept+ open- junk? new-"},
		"a revoked grant is removed":   {"DELETE FROM grants WHERE id = 'late'", "old- late! kept! open- junk! new-"},
		"a revocation is undone":       {"UPDATE grants SET revoked = NULL WHERE id = 'late'", "old- late! kept! open- junk! new-"},
		"a revoked grant is put there": {"INSERT INTO grants SELECT owner, 'junk', claims, name, issued, expires, revoked, seal FROM grants WHERE id = 'old'", "old- late- kept! open- junk! new-"},
		"the owner's row is changed":   {"UPDATE owners SET imported = 7", "old- late- kept! open- junk! new-"},
	} {
		t.Run(name, func(t *testing.T) {
			s := behind(t, path, secretOf, statements(t, tt.do))
			update(t, s, func(w store.Writer) error { return w.SetGrant(token("open", true)) })
			update(t, s, func(w store.Writer) error {
				err := w.SetGrant(token("new", true))
				if got := answers(t, w); got != tt.want {
					t.Errorf("in the transaction\ngot  %s\nwant %s", got, tt.want)
				}
				return err
			})
			both(t, s, func(r store.Reader) {
				if got := answers(t, r); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestAlteredGrantBefore puts a revoked grant there before the store has revoked
// any, and takes away the first that it does.
func TestAlteredGrantBefore(t *testing.T) {
	s := openSealed(t, filepath.Join(t.TempDir(), "satchel.db"), secretOf)
	update(t, s, func(w store.Writer) error { return w.SetGrant(token("open", false)) })
	look := func(want string) {
		t.Helper()
		both(t, s, func(r store.Reader) {
			if got := answers(t, r); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	raw(t, s.path, statements(t, "INSERT INTO grants VALUES (1, 'junk', NULL, '', 0, NULL, 1, zeroblob(16))"))
	look("old? late? kept? open+ junk! new?")
	update(t, s, func(w store.Writer) error { return w.SetGrant(token("late", true)) })
	look("old? late- kept? open+ junk! new?")
	raw(t, s.path, statements(t, "DELETE FROM grants WHERE id = 'late'"))
	look("old! late! kept! open! junk! new!")
}

// TestGrantInForceAgain takes a revocation back, as the store may, and erases the
// owner: both are as they should be.
func TestGrantInForceAgain(t *testing.T) {
	path, _ := granted(t, secretOf)
	s := openSealed(t, path, secretOf)
	look := func(want string) {
		t.Helper()
		both(t, s, func(r store.Reader) {
			if got := answers(t, r); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
		sound(t, s)
	}
	look(untouched)
	update(t, s, func(w store.Writer) error { return w.SetGrant(token("late", false)) })
	look("old- late+ kept+ open+ junk? new?")
	update(t, s, func(w store.Writer) error { return w.EraseOwner() })
	look("old? late? kept? open? junk? new?")
	update(t, s, func(w store.Writer) error { return w.SetGrant(token("new", true)) })
	look("old? late? kept? open? junk? new-")
}

// TestAlteredGrantsWithoutSecret tells nothing, because nothing can be told.
func TestAlteredGrantsWithoutSecret(t *testing.T) {
	for name, secret := range map[string]func(memory.DID) []byte{"sealed": secretOf, "never sealed": nil} {
		path, _ := granted(t, secret)
		s := behind(t, path, nil, statements(t, "UPDATE grants SET revoked = NULL WHERE id = 'late'", "DELETE FROM grants WHERE id = 'old'"))
		both(t, s, func(r store.Reader) {
			if got, want := answers(t, r), "old? late+ kept+ open+ junk? new?"; got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		})
	}
	path, _ := granted(t, nil)
	both(t, openSealed(t, path, secretOf), func(r store.Reader) {
		if got, want := answers(t, r), "old! late! kept! open! junk! new!"; got != want {
			t.Errorf("written without the secret: got %s, want %s", got, want)
		}
	})
}

// TestAlteredGrantsListed expects that the list shows nobody in force who is not
// let in.
func TestAlteredGrantsListed(t *testing.T) {
	path, _ := granted(t, secretOf)
	s := behind(t, path, secretOf, statements(t,
		"UPDATE grants SET revoked = NULL WHERE id = 'late'",
		"UPDATE grants SET name = 'an enemy', issued = -62135596800000000 WHERE id = 'kept'", // the zero time
	))
	both(t, s, func(r store.Reader) {
		grants, err := r.Grants()
		must(t, err)
		revoked := make(map[string]time.Time)
		for _, g := range grants {
			revoked[g.ID] = g.Revoked
		}
		want := map[string]time.Time{"old": birth.Add(time.Minute), "late": birth, "open": {}, "kept": time.Unix(0, 0)}
		for id, at := range want {
			if !revoked[id].Equal(at) {
				t.Errorf("%s is listed as revoked at %v, want %v", id, revoked[id], at)
			}
		}
		if len(grants) != len(want) {
			t.Errorf("%d grants are listed", len(grants))
		}
	})
}
