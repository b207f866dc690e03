package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// mostMarked is how many blocks of all documents may be left out: with mostElsewhere, ten.
const mostMarked = 7

// shellBlock is one block of shell in a document.
type shellBlock struct {
	line   int      // of its first command
	text   string   // the commands
	reason string   // why it is not run; empty: it is
	shown  []string // the lines of the output that stands behind it
}

var (
	notRunMarker = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	fenceLine    = regexp.MustCompile("^```([a-z]*)$")
	commandLine  = regexp.MustCompile(`^ {0,4}(satchel|curl|make|export) [^ ]`)
)

// TestDocuments runs every block of shell (```sh) of README.md and docs, in order, as
// a reader would. Each document has one shell, with a home of its own, in a folder
// that holds examples. There and in examples lie cert.pem and key.pem of localhost. These are the rules:
//
//   - A block that needs another machine, systemd or a vendor has a comment above it,
//     <!-- not run: REASON -->. The test prints the reasons, and allows mostMarked.
//   - A block of output (```text) right behind a block of shell says what that prints,
//     if each of its lines stands there in this order. The sign … stands for anything.
//   - `satchel serve` goes on in the background, as in another terminal. Its port is
//     free; 7777 in a document means that port. Only `satchel trust` keeps 7777, as it names
//     what stores without an address call themselves.
//   - postgres://satchel_owner@db.example/satchel and …satchel_app@… are a database of
//     the document's own.
//   - Commands stand in blocks of shell, and nowhere else. Pages below docs/cli are made
//     from the program's help: TestHelpExamples runs their examples.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "grep", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("skipped: there is no %s", program)
		}
	}
	marked, ran := 0, 0
	for _, path := range documentPaths(t) {
		blocks := blocksOf(t, path)
		for _, b := range blocks {
			if b.reason != "" {
				marked++
				t.Logf("%s:%d is not run: %s", path, b.line, b.reason)
			}
		}
		if slices.ContainsFunc(blocks, func(b shellBlock) bool { return b.reason == "" }) {
			ran++
			t.Run(path, func(t *testing.T) { t.Parallel(); runDocument(t, path, blocks) })
		}
	}
	if marked > mostMarked {
		t.Errorf("%d blocks are not run, more than %d", marked, mostMarked)
	}
	if ran < 8 {
		t.Errorf("only %d documents have commands", ran)
	}
}

// documentPaths returns the paths of README.md and all of docs, from the root of the tree.
func documentPaths(t *testing.T) []string {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	paths := []string{"README.md"}
	if err := fs.WalkDir(root, "docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return paths
}

// linesOf returns the lines of a document.
func linesOf(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n")
}

// blocksOf returns the blocks of shell of a document, and refuses commands elsewhere.
func blocksOf(t *testing.T, path string) (blocks []shellBlock) {
	t.Helper()
	kind, last, above := "", "", ""
	for i, line := range linesOf(t, path) {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m != nil && kind == "":
			if kind = m[1] + "`"; kind == "sh`" {
				b := shellBlock{line: i + 2}
				if marker := notRunMarker.FindStringSubmatch(above); marker != nil {
					b.reason = marker[1]
				}
				blocks = append(blocks, b)
			} else if kind == "text`" && above == "" && last == "sh`" {
				kind = "output"
			}
		case m != nil:
			last, kind, above = kind, "", ""
			continue
		case kind == "sh`":
			blocks[len(blocks)-1].text += line + "\n"
		case kind == "output":
			blocks[len(blocks)-1].shown = append(blocks[len(blocks)-1].shown, line)
		case commandLine.MatchString(line) && (kind != "" || strings.HasPrefix(line, "    ")) && !strings.HasPrefix(path, "docs/cli"):
			t.Errorf("%s:%d: a command stands outside of a block of shell", path, i+1)
		}
		if kind == "" && line != "" {
			above, last = line, ""
		}
	}
	return blocks
}

// runDocument runs the blocks of a document in one shell.
func runDocument(t *testing.T, path string, blocks []shellBlock) {
	work, env := surroundings(t)
	prelude, err := os.ReadFile(filepath.Join("testdata", "documents", "prelude.sh"))
	if err != nil {
		t.Fatal(err)
	}
	script := bytes.NewBuffer(prelude)
	for _, b := range blocks {
		if b.reason == "" {
			fmt.Fprintf(script, "place %s:%d\n%s\n", path, b.line, b.text)
		}
	}
	const named = "trust add http://127.0.0.1:7777"
	text := strings.ReplaceAll(script.String(), "7777", env["PORT"])
	text = strings.ReplaceAll(text, strings.ReplaceAll(named, "7777", env["PORT"]), named)
	text = strings.ReplaceAll(text, "0.0.0.0:", "127.0.0.1:")
	if text, err = withDatabases(t, text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "document.sh")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", file)
	cmd.Dir, cmd.WaitDelay = work, 5*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	compareOutput(t, path, blocks, string(said))
}

// withDatabases puts a database of the document's own in the place of those at db.example.
func withDatabases(t *testing.T, text string) (string, error) {
	t.Helper()
	if !strings.Contains(text, "@db.example/") {
		return text, nil
	}
	db := pgtest.Database(t)
	text = regexp.MustCompile(`postgres://satchel_owner@db\.example/satchel(\?[a-zA-Z0-9=&/._-]*)?`).ReplaceAllLiteralString(text, db)
	text = regexp.MustCompile(`postgres://satchel_app@db\.example/satchel(\?[a-zA-Z0-9=&/._-]*)?`).ReplaceAllLiteralString(text, pgtest.Program(t, db))
	if strings.Contains(text, "@db.example/") {
		return "", fmt.Errorf("a database at db.example has another name than satchel")
	}
	return text, nil
}

// surroundings makes the folder that a document runs in, and what its shell knows.
func surroundings(t *testing.T) (work string, env map[string]string) {
	t.Helper()
	program, err := exec.LookPath("satchel")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	top := t.TempDir()
	work = filepath.Join(top, "clone")
	wrapper, err := os.ReadFile(filepath.Join("testdata", "documents", "satchel.sh"))
	cert, key := clitest.Certificate(t, 1)
	for _, step := range []error{
		err, listener.Close(),
		os.CopyFS(filepath.Join(work, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))),
		os.MkdirAll(filepath.Join(top, "home"), 0o700), os.MkdirAll(filepath.Join(top, "bin"), 0o700),
		os.MkdirAll(filepath.Join(top, "tmp"), 0o700), os.MkdirAll(filepath.Join(top, "serve"), 0o700),
		os.WriteFile(filepath.Join(work, "examples", "cert.pem"), cert, 0o600), os.WriteFile(filepath.Join(work, "cert.pem"), cert, 0o600),
		os.WriteFile(filepath.Join(work, "examples", "key.pem"), key, 0o600), os.WriteFile(filepath.Join(work, "key.pem"), key, 0o600),
		os.WriteFile(filepath.Join(top, "bin", "satchel"), wrapper, 0o700),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	return work, map[string]string{
		"PATH": filepath.Join(top, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "PROGRAM": program,
		"HOME": filepath.Join(top, "home"), "TMPDIR": filepath.Join(top, "tmp"), "SERVE": filepath.Join(top, "serve"),
		"PORT": strconv.Itoa(port), "TZ": "UTC", "SATCHEL_PASSPHRASE": "a passphrase for documents",
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + filepath.Join(top, "no-bus"), // no keyring
	}
}

// compareOutput holds what a document shows as output to what its blocks printed.
func compareOutput(t *testing.T, path string, blocks []shellBlock, said string) {
	t.Helper()
	for _, b := range blocks {
		_, printed, _ := strings.Cut(said, fmt.Sprintf("#at %s:%d\n", path, b.line))
		printed, _, _ = strings.Cut(printed, "\n#at ")
		rest := printed
		for _, line := range b.shown {
			parts := strings.Split(strings.TrimSpace(line), "…")
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			at := regexp.MustCompile(strings.Join(parts, ".*?")).FindStringIndex(rest)
			if at == nil {
				t.Errorf("%s:%d: the commands do not print %q, at this place:\n%s", path, b.line, line, printed)
				break
			}
			rest = rest[at[1]:]
		}
	}
}
