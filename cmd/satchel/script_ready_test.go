package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/satchel-memory/satchel/internal/cli"
)

// readyVariable is the environment variable that makes a process a [readyProgram].
const readyVariable = "SATCHEL_TEST_READY"

// beforeCommand finds what may stand before a command of a script.
var beforeCommand = regexp.MustCompile(`^(\[[^]]*\] )*(! |exits \d+ )?`)

// readyProgram is a process that runs the program for one command of a script after the other,
// because most commands take less time than the start of a process. As in a process of its own,
// each command has the folder and the environment of the script, and its own streams. A process
// whose script has ended is the next one's.
type readyProgram struct {
	settings []string // the variables of the environment that the script has
	cmd      *exec.Cmd
	calls    io.WriteCloser
	answers  *json.Decoder
	said     bytes.Buffer // of the process itself: why it panicked
	ended    bool
}

// idle are the processes that no script uses.
var idle struct {
	sync.Mutex
	all []*readyProgram
}

// readied returns a process that no script uses, or one that starts with its first command.
func readied() *readyProgram {
	idle.Lock()
	defer idle.Unlock()
	if len(idle.all) == 0 {
		return &readyProgram{}
	}
	r := idle.all[len(idle.all)-1]
	idle.all = idle.all[:len(idle.all)-1]
	return r
}

// leave keeps the process for the next script.
func (r *readyProgram) leave() {
	idle.Lock()
	defer idle.Unlock()
	if r.cmd != nil && !r.ended {
		idle.all = append(idle.all, r)
	}
}

// endReady ends the processes of all scripts.
func endReady() {
	for _, r := range idle.all {
		_ = r.calls.Close()
		_ = r.cmd.Wait()
	}
}

// readyCall is one run of the program.
type readyCall struct {
	Dir  string
	Env  [][2]string
	Args []string
	In   []byte // its standard input
}

// readyAnswer is the result of a readyCall.
type readyAnswer struct {
	Code     int
	Out, Err []byte
}

type readyKey struct{} // the key of a script's readyProgram

// scriptFolder holds the scripts of [TestScripts], and databaseFolder those of
// [TestDatabaseScripts].
var scriptFolder, databaseFolder = filepath.Join("testdata", "script"), filepath.Join("testdata", "database")

// allScripts returns the paths of the scripts of both.
func allScripts() ([]string, error) {
	one, err := filepath.Glob(filepath.Join(scriptFolder, "*.txt"))
	other, wrong := filepath.Glob(filepath.Join(databaseFolder, "*.txt"))
	return append(one, other...), errors.Join(err, wrong)
}

// envLine finds the lines of a script that set variables.
var envLine = regexp.MustCompile(`(?m)^(?:\[.*\] )?env (.*)$`)

// prepareReady gives a script a readyProgram.
func prepareReady(env *testscript.Env) error {
	r := readied()
	env.Defer(r.leave)
	r.settings = []string{"PWD"}
	for _, setting := range env.Vars {
		name, _, _ := strings.Cut(setting, "=")
		r.settings = append(r.settings, name)
	}
	set, err := scriptSettings()
	if err != nil {
		return err
	}
	r.settings = append(r.settings, set...)
	env.Values[readyKey{}] = r
	return nil
}

// scriptSettings returns the variables that scripts set.
var scriptSettings = sync.OnceValues(func() (names []string, err error) {
	scripts, err := allScripts()
	if err != nil {
		return nil, err
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			return nil, err
		}
		for _, line := range envLine.FindAllStringSubmatch(string(text), -1) {
			for _, setting := range strings.Fields(line[1]) {
				if name, _, ok := strings.Cut(setting, "="); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names, nil
})

// TestScriptInput: what stdin and ttyin of a script prepare, only a process of its own reads.
func TestScriptInput(t *testing.T) {
	t.Parallel()
	found, err := allScripts()
	if err != nil {
		t.Fatal(err)
	}
	prepared := 0
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		commands, _, _ := strings.Cut(string(text), "\n-- ")
		waiting := false
		for i, line := range strings.Split(commands, "\n") {
			switch word := strings.Fields(beforeCommand.ReplaceAllString(line, "") + " #")[0]; word {
			case "stdin", "ttyin":
				waiting = true
				prepared++
			case "exec":
				waiting = false
			case "feed", "satchel":
				if word == "feed" {
					prepared++
				}
				if waiting {
					t.Errorf("%s:%d: write exec satchel, which reads what is prepared", path, i+1)
				}
			}
		}
	}
	if prepared < 50 {
		t.Errorf("only %d lines prepare input", prepared)
	}
}

// run runs the program as the script's command, which reads in, and returns its exit status.
func (r *readyProgram) run(ts *testscript.TestScript, in string, args []string) int {
	if r.cmd == nil {
		ts.Check(r.start())
	}
	c := readyCall{Dir: ts.MkAbs("."), Args: args, In: []byte(in)}
	for _, name := range r.settings {
		if value := ts.Getenv(name); value != "" {
			c.Env = append(c.Env, [2]string{name, value})
		}
	}
	ts.Check(json.NewEncoder(r.calls).Encode(c))
	var a readyAnswer
	if err := r.answers.Decode(&a); err != nil {
		r.ended = true
		_ = r.cmd.Wait()
		ts.Fatalf("the program ended: %v\n%s", err, &r.said)
	}
	_, _ = ts.Stdout().Write(a.Out) // into memory
	_, _ = ts.Stderr().Write(a.Err)
	return a.Code
}

func (r *readyProgram) start() (err error) {
	path, err := exec.LookPath("satchel")
	if err != nil {
		return err
	}
	r.cmd = exec.Command(path)
	r.cmd.Env = append(os.Environ(), readyVariable+"=1")
	r.cmd.Stderr = &r.said
	if r.calls, err = r.cmd.StdinPipe(); err != nil {
		return err
	}
	answers, err := r.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	r.answers = json.NewDecoder(answers)
	return r.cmd.Start()
}

// serveReady runs the program for each call, until there are no more.
func serveReady(calls io.Reader, answers io.Writer) error {
	in, out := json.NewDecoder(calls), json.NewEncoder(answers)
	for {
		var c readyCall
		if err := in.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a, err := c.run()
		if err != nil {
			return err
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
}

// run does what [runProcess] does in a process of its own.
func (c readyCall) run() (readyAnswer, error) {
	os.Clearenv()
	for _, setting := range c.Env {
		if err := os.Setenv(setting[0], setting[1]); err != nil {
			return readyAnswer{}, err
		}
	}
	if err := os.Chdir(c.Dir); err != nil {
		return readyAnswer{}, err
	}
	in, end, err := os.Pipe()
	if err != nil {
		return readyAnswer{}, err
	}
	defer in.Close()
	go func() {
		_, _ = end.Write(c.In) // fails where the program reads no further
		_ = end.Close()
	}()
	var out, messages bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	a := &cli.App{Ctx: ctx, In: in, Out: &out, Err: &messages, Env: os.Getenv, Now: time.Now, SealCost: quickSeal}
	code := run(a, c.Args)
	return readyAnswer{code, out.Bytes(), messages.Bytes()}, nil
}
