package operate

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestNoPasswordIsShown(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://host/db":                              "postgres://host/db",
		"postgres://ana@host:5432/db?sslmode=verify-full": "postgres://ana@host:5432/db?sslmode=verify-full",
		"postgres://ana:hunter2@host/db":                  "postgres://ana@host/db",
		"postgresql://ana:hunter2@host/db":                "postgresql://ana@host/db",
		"postgres://ana:hun%20ter2@host/db":               "postgres://ana@host/db",
		"postgres://:hunter2@host/db":                     "postgres://@host/db",
		"postgres://ana:hunter2@one:1,two:2/db":           "",
		"postgres://ana:hun%ter2@host/db":                 "",
		"postgres://ana:hunter2@x@host/db":                "",
		"postgres://ana:hunter2/x@host/db":                "",
		"postgres:///db?password=hunter2&user=ana":        "postgres:///db?user=ana",
		"postgres:///db?sslpassword=hunter2":              "postgres:///db",
		"postgres:///db?Password=hunter2;":                "",
	} {
		got := cli.WithoutPassword(url)
		if strings.Contains(got, "ter2") {
			t.Errorf("%s is named %s", url, got)
		}
		if want != "" && got != want {
			t.Errorf("%s is named %s, want %s", url, got, want)
		}
		if secret := strings.Contains(url, "ter2"); cli.HasPassword(url) != secret {
			t.Errorf("%s has a password: %v", url, !secret)
		}
		text := cli.HidePasswords("connect to " + url + ": refused")
		if strings.Contains(text, "ter2") || !strings.HasPrefix(text, "connect to postgres") || !strings.HasSuffix(text, "refused") {
			t.Errorf("in a message, %s becomes %s", url, text)
		}
	}
}

// TestDatabasesAreNoFolders refuses other ways to name a database, and what folders
// may be called is a folder still.
func TestDatabasesAreNoFolders(t *testing.T) {
	for _, at := range []string{
		"host=db password=hunter2 dbname=x", "dbname=x password=hunter2", "password = hunter2", "user=ana\tpassword=hunter2",
		"HOST=/var/run password=hunter2", "sslmode=require password=hunter2",
		"postgres:ana:hunter2@host/x", "postgresql:ana:hunter2@host/x", "postgres:/ana:hunter2@host/x", "Postgres://ana:hunter2@host/x",
		" postgres://ana:hunter2@host/x",
	} {
		a, _, _ := clitest.Person(t, t.Context())
		a.Store = at
		for name, find := range map[string]func() (cli.Home, error){"--store": a.Home, "store move": func() (cli.Home, error) { return storeAt(a, at) }} {
			_, err := find()
			if cli.StatusOf(err) != cli.ExitUsage || strings.Contains(cli.Describe(err), "hunter2") || strings.Contains(cli.Describe(err), "ana") {
				t.Errorf("%s %q ends with %d: %v", name, at, cli.StatusOf(err), err)
			}
		}
	}
	for _, at := range []string{"folder", "./host=db", "/tmp/user=ana/x", "a=b", "postgres", "localhost=1"} {
		a, _, _ := clitest.Person(t, t.Context())
		a.Store = at
		if h, err := a.Home(); err != nil || h.InDatabase() {
			t.Errorf("%q is no folder: %v", at, err)
		}
	}
}
