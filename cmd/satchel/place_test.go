package main

import (
	"strings"
	"testing"
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
		got := withoutPassword(url)
		if strings.Contains(got, "ter2") {
			t.Errorf("%s is named %s", url, got)
		}
		if want != "" && got != want {
			t.Errorf("%s is named %s, want %s", url, got, want)
		}
		if secret := strings.Contains(url, "ter2"); hasPassword(url) != secret {
			t.Errorf("%s has a password: %v", url, !secret)
		}
		text := hushed("connect to " + url + ": refused")
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
		a, _, _ := person(t, t.Context())
		a.store = at
		for name, find := range map[string]func() (home, error){"--store": a.home, "store move": func() (home, error) { return a.storeAt(at) }} {
			_, err := find()
			if statusOf(err) != exitUsage || strings.Contains(describe(err), "hunter2") || strings.Contains(describe(err), "ana") {
				t.Errorf("%s %q ends with %d: %v", name, at, statusOf(err), err)
			}
		}
	}
	for _, at := range []string{"folder", "./host=db", "/tmp/user=ana/x", "a=b", "postgres", "localhost=1"} {
		a, _, _ := person(t, t.Context())
		a.store = at
		if h, err := a.home(); err != nil || h.remote() {
			t.Errorf("%q is no folder: %v", at, err)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1000": 1000, "64K": 64 << 10, "200M": 200 << 20, "2GiB": 2 << 30, "1TB": 1 << 40} {
		var got size
		if err := got.UnmarshalText([]byte(text)); err != nil || int64(got) != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1.5M", "M", "10X", "99999999T", "9999999999999999999", "1 M"} {
		var got size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
	for n, want := range map[size]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 200 << 20: "200 MiB", 3 << 40: "3 TiB"} {
		if got := n.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(n), got, want)
		}
	}
}
