package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestInitsAtOnce lets several take one database into use: with a home folder each,
// one of them gets it; with one home folder, all do, under one key.
func TestInitsAtOnce(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("satchel") // the program that TestMain puts there
	if err != nil {
		t.Fatal(err)
	}
	owner := regexp.MustCompile(`owner +(did:key:\w+)`)
	for name, same := range map[string]bool{"a home each": false, "one home": true} {
		t.Run(name, func(t *testing.T) {
			url, dir := pgtest.Database(t), t.TempDir()
			satchel := func(home string, args ...string) (string, error) {
				c := exec.Command(program, args...)
				c.Env = []string{"HOME=" + dir, "SATCHEL_STORE=" + url, "SATCHEL_HOME=" + filepath.Join(dir, home)}
				var said bytes.Buffer
				c.Stdout, c.Stderr = &said, &said
				err := c.Run()
				return said.String(), err
			}
			said, failed := make([]string, 4), make([]error, 4)
			var group sync.WaitGroup
			for i := range said {
				home := "home"
				if !same {
					home = fmt.Sprintf("home%d", i)
				}
				group.Go(func() { said[i], failed[i] = satchel(home, "init") })
			}
			group.Wait()
			owners, last := map[string]bool{}, ""
			for i := range said {
				switch {
				case failed[i] == nil && owner.MatchString(said[i]):
					last = fmt.Sprintf("home%d", i)
					owners[owner.FindStringSubmatch(said[i])[1]] = true
				case same || !strings.Contains(said[i], "the store of another operator"):
					t.Errorf("one ends with %v: %s", failed[i], said[i])
				}
			}
			if same {
				last = "home"
			}
			if len(owners) != 1 {
				t.Fatalf("%d operate the database", len(owners))
			}
			listed, err := satchel(last, "owner", "list")
			if err != nil || strings.Count(listed, "did:key:") != 1 || !strings.Contains(listed, "operator") {
				t.Errorf("afterwards: %v: %s", err, listed)
			}
			if found, err := satchel(last, "remember", "it works"); err != nil {
				t.Errorf("afterwards: %v: %s", err, found)
			}
		})
	}
}

// TestHostsAtOnce starts the program as several hosts do at login, where there is no store
// yet: one makes it, and all use it.
func TestHostsAtOnce(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("satchel")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	satchel := func(in string, args ...string) (string, error) {
		c := exec.Command(program, args...)
		c.Env = []string{"HOME=" + home, "USERPROFILE=" + home}
		c.Stdin = strings.NewReader(in)
		said, err := c.CombinedOutput()
		return string(said), err
	}
	const begins = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	var group sync.WaitGroup
	made := make(chan bool, 5)
	for i := range cap(made) {
		group.Go(func() {
			remember := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_remember","arguments":{"record":{"body":{"text":"host %d was here"}}}}}`, i) + "\n"
			said, err := satchel(begins+remember, "mcp")
			if err != nil || !strings.Contains(said, "Remembered as") {
				t.Errorf("host %d: %v: %s", i, err, said)
			}
			made <- strings.Contains(said, "made one in")
		})
	}
	group.Wait()
	makers := 0
	for range cap(made) {
		if <-made {
			makers++
		}
	}
	listed, err := satchel("", "list")
	if n := strings.Count(listed, "was here"); err != nil || n != cap(made) || makers != 1 {
		t.Errorf("%d made it, and it holds %d: %v: %s", makers, n, err, listed)
	}
}
