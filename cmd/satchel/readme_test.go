package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// fenced returns the commands of the first block of shell in a document that comes
// after a text.
func fenced(t *testing.T, path, after string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), after)
	_, rest, found := strings.Cut(rest, "```sh\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("%s has no block of shell", path)
	}
	return strings.Split(strings.TrimSpace(block), "\n")
}

// words splits a command as a shell does that knows double quotes and comments.
func words(line string) (out []string) {
	line, _, _ = strings.Cut(line, " # ")
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// What README says to type works, in that order, and the questions are answered.
func TestReadme(t *testing.T) {
	commands := fenced(t, filepath.Join("..", "..", "README.md"), "## Try it")
	work := t.TempDir()
	if err := os.CopyFS(filepath.Join(work, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	a, out, messages := person(t, t.Context())
	id, answers := "", map[string]string{"allergic": "shellfish and nuts", "package manager": "pnpm"}
	for _, line := range commands {
		args := words(line)
		for i := range args {
			if args[i] == "ID" {
				args[i] = id
			}
		}
		before := len(out.String())
		if code := run(a, args[1:]); args[0] != "satchel" || code != exitDone {
			t.Fatalf("%s\nends with %d: %s", line, code, messages)
		}
		result := out.String()[before:]
		if args[1] == "remember" || args[1] == "revise" {
			id = strings.TrimSpace(result)
		}
		for asked, answer := range answers {
			if args[1] == "recall" && strings.Contains(line, asked) {
				if first, _, _ := strings.Cut(result, "\n"); !strings.Contains(first, answer) {
					t.Errorf("%s\nis answered first with %q, want %q", line, first, answer)
				}
				delete(answers, asked)
			}
		}
	}
	if len(answers) > 0 {
		t.Errorf("README asks nothing about %v", answers)
	}
}

// What README says of databases works, but for where the database is.
func TestReadmeDatabase(t *testing.T) {
	commands := fenced(t, filepath.Join("..", "..", "README.md"), "## PostgreSQL")
	a, out, messages := person(t, t.Context())
	db, home := pgtest.Database(t), t.TempDir()
	a.env = func(name string) string {
		return map[string]string{"HOME": home, "SATCHEL_STORE": db, "SATCHEL_HOME": filepath.Join(home, "operator")}[name]
	}
	for i, line := range commands {
		args := words(line)
		at, named := strings.CutPrefix(strings.Join(args, " "), "export SATCHEL_STORE=")
		switch {
		case i == 0 && !isDatabase(at):
			t.Fatalf("%s names no database", line)
		case i > 0 && named: // who keeps the tables gives way to who uses them
			db = pgtest.Program(t, db)
		}
		if named {
			continue
		}
		for i := range args {
			if args[i] == "DID" {
				args[i] = "did:key:z6Mkon3Necd6NkkyfoGoHxid2znGc59LU3K7mubaRcFbLfLX"
			}
		}
		if code := run(a, args[1:]); args[0] != "satchel" || code != exitDone {
			t.Fatalf("%s\nends with %d: %s", line, code, messages)
		}
	}
	if !strings.Contains(out.String(), "ana") || !strings.Contains(out.String(), "signs elsewhere") {
		t.Errorf("the owners are not listed: %s", out)
	}
}

// What ARCHITECTURE names is there: a file without a folder lies in one that was
// named before it in the same step.
func TestArchitectureNamesFiles(t *testing.T) {
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(data), "followed\n")
	named := 0
	for _, step := range regexp.MustCompile(`(?m)^\d\. `).Split(walks, -1) {
		var folders []string
		for _, m := range regexp.MustCompile("`([a-z/]+/)?([a-z_]+\\.go)`|`([a-z]+/[a-z/]+)`").FindAllStringSubmatch(step, -1) {
			if folder := m[1] + m[3]; folder != "" {
				folders = append(folders, folder)
			}
			if m[2] == "" {
				continue
			}
			named++
			if !slices.ContainsFunc(folders, func(folder string) bool {
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(folder), m[2]))
				return err == nil
			}) {
				t.Errorf("there is no %s in %v", m[2], folders)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d files are named", named)
	}
}
