package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// program is the path of the binary under test.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "satchel-e2e-")
	if err == nil {
		program = filepath.Join(dir, "satchel")
		err = build(program, "../../cmd/satchel")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = os.Unsetenv("GOGC") // the program runs as people run it; without the variable nothing changes
	code := m.Run()
	_ = os.RemoveAll(dir) // a leftover in the temporary folder harms nobody
	os.Exit(code)
}

// build makes a program of a package, without C as a release is. It lets go run copy the
// program, because go run alone keeps what it linked in the build cache. This process never
// holds the file: what a process once held counts for the programs that it starts, see
// [home.peak].
func build(path, of string) error {
	cmd := exec.Command("go", "run", "-exec=cp", "-ldflags=-s -w", of, path)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go run: %w\n%s", err, out)
	}
	return nil
}

// prepared is a home, or a folder of several, that is made once and copied for each test that
// begins with it.
type prepared struct {
	once sync.Once
	dir  string
}

// copy copies the home, which the first call makes in an empty folder.
func (p *prepared) copy(t testing.TB, name string, fill func(h *home)) *home {
	t.Helper()
	p.once.Do(func() {
		h := &home{TB: t, dir: filepath.Join(filepath.Dir(program), name)}
		h.must(os.Mkdir(h.dir, 0o700))
		fill(h)
		p.dir = h.dir
	})
	if p.dir == "" {
		t.Fatal("another test could not make the home ", name)
	}
	h := &home{TB: t, dir: filepath.Join(t.TempDir(), "home")}
	if out, err := exec.Command("cp", "-a", p.dir, h.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return h
}

// home is a person's machine: a home folder with a store in it.
type home struct {
	testing.TB
	dir      string
	settings []string // further variables of the environment, as NAME=value
	program  string   // path of another release; empty: the program under test
}

// newHome makes a store with satchel init.
func newHome(t testing.TB) *home {
	t.Helper()
	h := &home{TB: t, dir: t.TempDir()}
	h.run("init")
	return h
}

// command prepares a call of the program with nothing of this machine around it.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(h.program, program), args...)
	cmd.Dir = h.dir
	cmd.Env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "SATCHEL_STORE=" + filepath.Join(h.dir, "store")}, h.settings...)
	return cmd
}

// run calls the program and returns what it printed on standard output.
func (h *home) run(args ...string) string {
	h.Helper()
	out, errs, err := h.try(args...)
	if err != nil {
		h.Fatalf("satchel %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out
}

func (h *home) try(args ...string) (string, string, error) {
	var out, errs bytes.Buffer
	cmd := h.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return out.String(), errs.String(), err
}

// session is an MCP client at work with the program.
type session struct {
	testing.TB
	*mcp.ClientSession
	cmd *exec.Cmd
}

// connect starts satchel mcp and initialises a session with it.
func (h *home) connect(args ...string) *session {
	h.Helper()
	cmd := h.command(append([]string{"mcp"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	s, err := client().Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		h.Fatalf("connect: %v\n%s", err, errs.String())
	}
	return &session{TB: h, ClientSession: s, cmd: cmd}
}

func client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
}

// call calls a tool and returns its structured answer.
func (s *session) call(tool, arguments string) (map[string]any, error) {
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return nil, err
	}
	answer, ok := r.StructuredContent.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s answered without structured content: %+v", tool, r)
	}
	if r.IsError {
		return answer, fmt.Errorf("%s: %v", tool, answer["error"])
	}
	return answer, nil
}

func (s *session) must(tool, arguments string) map[string]any {
	s.Helper()
	answer, err := s.call(tool, arguments)
	if err != nil {
		s.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return answer
}

// texts returns the texts of a recall's answer.
func texts(answer map[string]any) []string {
	var out []string
	results, _ := answer["results"].([]any)
	for _, r := range results {
		rec := r.(map[string]any)["record"].(map[string]any)
		out = append(out, rec["body"].(map[string]any)["text"].(string))
	}
	return out
}
