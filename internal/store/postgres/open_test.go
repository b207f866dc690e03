package postgres

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestRolling brings the schema further while a program of this release runs.
func TestRolling(t *testing.T) {
	db := made(t)
	s := openSealed(t, db, secretOf)
	update(t, s, func(w store.Writer) error { return w.SetMoved("x") })
	known, err := latest()
	must(t, err)
	use := func() map[string]error {
		_, _, taken := s.Take(t.Context(), ada, "p", 1, 1, 1)
		_, listed := s.Owners(t.Context())
		again, opened := Open(t.Context(), db, Options{})
		if opened == nil {
			opened = again.Close()
		}
		return map[string]error{
			"View":   s.View(t.Context(), ada, func(store.Reader) error { return nil }),
			"Update": s.Update(t.Context(), ada, func(w store.Writer) error { return w.SetMoved("y") }),
			"Take":   taken, "Owners": listed, "Open": opened,
		}
	}
	for _, c := range []struct {
		what                string
		version, compatible int
		want                error
	}{
		{"a later schema that leaves room for this release", known + 1, known, nil},
		{"a later schema that does not", known + 1, known + 1, store.ErrNewer},
		{"an earlier schema", known - 1, known - 1, store.ErrOperator},
		{"this schema", known, known, nil},
	} {
		setVersion(t, db, c.version, c.compatible)
		for call, err := range use() {
			if c.version < known && known == 1 {
				c.want = store.ErrNotStore // there is no schema 0
			}
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%s: %s: %v", c.what, call, err)
			}
		}
	}
	setVersion(t, db, known+1, known)
	if err := Migrate(t.Context(), db, Options{}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("migrate what is later: %v", err)
	}
}

func setVersion(t *testing.T, db string, version, compatible int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), db)
	must(t, err)
	_, err = c.Exec(t.Context(), `UPDATE schema_version SET version = $1, compatible = $2`, version, compatible)
	must(t, errors.Join(err, c.Close(t.Context())))
}

// TestMigrations sees that the last migration says its number.
func TestMigrations(t *testing.T) {
	db := made(t)
	c, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer c.Close(t.Context())
	var v version
	must(t, c.QueryRow(t.Context(), statements[schemaStatement]).Scan(&v.number, &v.compatible))
	known, err := latest()
	must(t, err)
	if int(v.number) != known || v.compatible > v.number {
		t.Errorf("the schema says %d, compatible with %d; the last migration is %d", v.number, v.compatible, known)
	}
	_, err = c.Exec(t.Context(), `DROP POLICY own ON records; GRANT DELETE ON audit TO satchel; ALTER TABLE changes DISABLE ROW LEVEL SECURITY`)
	must(t, err)
	if _, err := Open(t.Context(), db, Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("a broken wall: %v", err)
	}
	var all sync.WaitGroup
	for range 3 { // at the same time, and again and again
		all.Go(func() {
			if err := Migrate(t.Context(), db, Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := Open(t.Context(), db, Options{})
	must(t, err)
	must(t, s.Close())
}

func TestOpenRefuses(t *testing.T) {
	empty := pgtest.Database(t)
	u, err := url.Parse(empty)
	must(t, err)
	other := *u
	other.Path = "/nowhere"
	down := *u
	down.Host = "127.0.0.1:1"
	for _, c := range []struct {
		what, url string
		want      error
	}{
		{"an empty database", empty, store.ErrNotStore},
		{"no database", other.String(), store.ErrNotStore},
		{"no server", down.String(), store.ErrUnavailable},
		{"no URL", "postgres://u:" + secretWord + "@host:port/x", store.ErrNotStore},
		{"a wrong parameter", "postgres://u:" + secretWord + "@127.0.0.1:1/x?sslmode=strange", store.ErrNotStore},
		{"a password", "postgres://u:" + secretWord + "@127.0.0.1:1/x", store.ErrUnavailable},
	} {
		_, err := Open(t.Context(), c.url, Options{ConnectTimeout: 5 * time.Second})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
		if all := everything(err); strings.Contains(all, secretWord) {
			t.Errorf("%s: the password shows: %s", c.what, all)
		}
	}
}

const secretWord = "correcthorse"

// everything is what an error and all its causes say.
func everything(err error) string {
	text := err.Error()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			text += " | " + everything(cause)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			text += " | " + everything(cause)
		}
	}
	return text
}

// TestUserWithoutPower opens a store as a user that may not work as the role, and as
// one that may.
func TestUserWithoutPower(t *testing.T) {
	db := made(t)
	name := "user_" + strings.ToLower(t.Name())
	execute(t, db, `CREATE ROLE `+name+` LOGIN`)
	defer execute(t, db, `DROP ROLE `+name)
	u, err := url.Parse(db)
	must(t, err)
	u.User = url.User(name)
	if _, err := Open(t.Context(), u.String(), Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("not a member: %v", err)
	}
	if err := Migrate(t.Context(), u.String(), Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("migrate: %v", err)
	}
	execute(t, db, `GRANT satchel TO `+name)
	s := openSealed(t, u.String(), secretOf)
	update(t, s, func(w store.Writer) error { return w.SetMoved("x") })
	if err := Scrub(t.Context(), u.String(), Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("scrub: %v", err)
	}
	must(t, s.Close())
}

// TestSettings sees that the URL comes before what is usual.
func TestSettings(t *testing.T) {
	db := made(t)
	for _, c := range []struct{ more, setting, want string }{
		{"", "statement_timeout", "30s"},
		{"", "lock_timeout", "10s"},
		{"", "idle_in_transaction_session_timeout", "1min"},
		{"", "application_name", "satchel"},
		{"", "plan_cache_mode", "force_generic_plan"},
		{"", "jit", "off"},
		{"", "enable_seqscan", "off"},
		{"", "role", "satchel"},
		{"&statement_timeout=5000", "statement_timeout", "5s"},
		{"&application_name=mine", "application_name", "mine"},
		{"&options=-c%20lock_timeout%3D7s", "lock_timeout", "7s"},
	} {
		s := openSealed(t, db+c.more, nil)
		var got string
		must(t, s.pool.QueryRow(t.Context(), `SELECT current_setting($1)`, c.setting).Scan(&got))
		if got != c.want {
			t.Errorf("%s with %q is %s, want %s", c.setting, c.more, got, c.want)
		}
		must(t, s.Close())
	}
	for more, want := range map[string]int32{"": int32(Options{}.withDefaults().Pool), "&pool_max_conns=3": 3} {
		s := openSealed(t, db+more, nil)
		if got := s.pool.Config().MaxConns; got != want {
			t.Errorf("%q: %d connections, want %d", more, got, want)
		}
	}
}

func TestTranslate(t *testing.T) {
	for code, want := range map[string]error{
		"53100": store.ErrFull, "53200": store.ErrFull, "55P03": store.ErrBusy, "57014": store.ErrBusy, "23505": store.ErrAltered, "40001": store.ErrBusy,
		"40P01": store.ErrBusy, "25006": store.ErrReadOnly, "42501": store.ErrOperator, "3D000": store.ErrNotStore, "42P05": store.ErrOperator, "26000": store.ErrOperator,
		"42P01": store.ErrNotStore, "28P01": store.ErrOperator, "53300": store.ErrUnavailable, "57P01": store.ErrUnavailable,
		"57P03": store.ErrUnavailable, "08006": store.ErrUnavailable, "25P03": store.ErrUnavailable, "54000": store.ErrBusy,
	} {
		err := translate("op", &pgconn.PgError{Code: code, Message: secretWord, Detail: secretWord, TableName: secretWord})
		if !errors.Is(err, want) || strings.Contains(everything(err), secretWord) {
			t.Errorf("%s: %s", code, everything(err))
		}
	}
	for _, cause := range []error{io.ErrUnexpectedEOF, errBroken, &pgconn.ConnectError{}} {
		if err := translate("op", cause); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%T: %v", cause, err)
		}
	}
	for _, cause := range []error{store.ErrNotFound, errOwn, t.Context().Err()} {
		if err := translate("op", cause); err != cause {
			t.Errorf("%v became %v", cause, err)
		}
	}
	for code, want := range map[string]bool{"40001": true, "40P01": true, "57P01": true, "08006": true, "23505": false, "57014": false, "55P03": false, "53300": false} {
		if again(&pgconn.PgError{Code: code}) != want {
			t.Errorf("%s is to be tried again: %v", code, !want)
		}
	}
}
