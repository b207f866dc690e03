package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/keys"
)

// TestScripts runs testdata/script with the real program. $OWNER is the DID of
// the first key of RFC 8032, 7.1, and the file rfc.kit its recovery kit, for
// stores whose owner a document can name. Besides the commands of testscript
// there are
//
//	satchel …           runs the program in the script's [readyProgram]
//	feed FILE satchel … does so, and the program reads FILE as its standard input
//	exec satchel …      runs the program in a process of its own. That process reads what
//	                    stdin and ttyin of testscript prepared, and it may print help or
//	                    its version, after which the program exits at once
//	exits N satchel …   the command ends with status N; likewise exits N feed FILE satchel …
//	                    and exits N exec satchel …
//	keep NAME REGEXP    $NAME becomes what the first group matches in stdout
//	pack FILE PATH…     the files and folders are packed, by the ending: .zip, .tar, .tgz or .gz
//	tear FILE           the last half of the file is gone
//	mode OCTAL FILE     the file or folder has these permissions
//	edit FILE OLD NEW   the first OLD in the file becomes NEW
//	expect WANT FILE    the file is as WANT, in which BIN and WORK stand for
//	                    $BIN and $WORK
//
// and the condition race: the race detector is at work.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts(t, testscript.Params{Dir: scriptFolder, RequireUniqueNames: true}, nil)
}

// TestDatabaseScripts runs testdata/database as [TestScripts] does, each script with a database
// of its own: $DB is its URL, $APP that of a user who may do what
// programs may, $SECRET the URL with a password that must never be shown, and
// $SATCHEL_STORE the same as $DB.
func TestDatabaseScripts(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(databaseFolder, "*.txt"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no scripts were found: %v", err)
	}
	for _, script := range found {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) {
			t.Parallel()
			db := pgtest.Database(t)
			secret := strings.Replace(db, "postgres@", "postgres:hunter2@", 1)
			if secret == db {
				t.Fatalf("%s names no user", db)
			}
			scripts(t, testscript.Params{Files: []string{script}}, map[string]string{"DB": db, "APP": pgtest.Program(t, db), "SECRET": secret, "SATCHEL_STORE": db})
		})
	}
}

// scripts runs scripts in surroundings of their own.
func scripts(t *testing.T, p testscript.Params, settings map[string]string) {
	t.Helper()
	seed, err := hex.DecodeString("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
	if err != nil {
		t.Fatal(err)
	}
	p.Setup = func(env *testscript.Env) error {
		home := filepath.Join(env.WorkDir, "home")
		env.Setenv("HOME", home)
		env.Setenv("USERPROFILE", home)
		env.Setenv("TZ", "UTC")
		env.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(env.WorkDir, "no-bus")) // no keyring
		for name, value := range settings {
			env.Setenv(name, value)
		}
		key, err := keys.FromSeed(seed)
		if err != nil {
			return err
		}
		env.Setenv("OWNER", string(key.DID()))
		return errors.Join(prepareReady(env), os.MkdirAll(home, 0o700),
			os.WriteFile(filepath.Join(env.WorkDir, "rfc.kit"), []byte(keys.Recovery(key)+"\n"), 0o600))
	}
	p.Condition = func(cond string) (bool, error) {
		if cond != "race" {
			return false, fmt.Errorf("unknown condition %q", cond)
		}
		return racing.Detector, nil
	}
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){
		"satchel": satchel, "feed": feed, "exits": exits, "keep": keep, "mode": mode, "edit": edit, "expect": expect, "pack": pack, "tear": tear,
	}
	testscript.Run(t, p)
	if p.Dir == "" {
		return
	}
	if found, err := filepath.Glob(filepath.Join(p.Dir, "*.txt")); err != nil || len(found) == 0 {
		t.Fatalf("no scripts were found: %v", err)
	}
}

func satchel(ts *testscript.TestScript, neg bool, args []string) {
	succeeds(ts, neg, append([]string{"satchel"}, args...))
}

func feed(ts *testscript.TestScript, neg bool, args []string) {
	succeeds(ts, neg, append([]string{"feed"}, args...))
}

// succeeds runs a command, which fails if neg.
func succeeds(ts *testscript.TestScript, neg bool, args []string) {
	if status := statusOf(ts, args); (status != 0) != neg {
		ts.Fatalf("exit status %d", status)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := statusOf(ts, args[1:]); got != want || neg {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// statusOf runs a command and returns its exit status.
func statusOf(ts *testscript.TestScript, args []string) int {
	r := ts.Value(readyKey{}).(*readyProgram)
	switch {
	case args[0] == "satchel":
		return r.run(ts, "", args[1:])
	case args[0] == "feed" && len(args) > 2 && args[2] == "satchel":
		return r.run(ts, ts.ReadFile(args[1]), args[3:])
	case args[0] != "exec":
		ts.Fatalf("write satchel, feed FILE satchel or exec COMMAND")
	}
	err := ts.Exec(args[1], args[2:]...)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	}
	ts.Check(err)
	return 0
}

func keep(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("%s is not in stdout", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func mode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if info.Mode().Perm() != os.FileMode(want) {
		ts.Fatalf("%s has mode %o, want %o", args[1], info.Mode().Perm(), want)
	}
}

func edit(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(data), args[1], args[2], 1)), 0o600))
}

func expect(ts *testscript.TestScript, _ bool, args []string) {
	want := strings.NewReplacer("BIN", ts.Getenv("BIN"), "WORK", ts.Getenv("WORK")).Replace(ts.ReadFile(args[0]))
	if got := ts.ReadFile(args[1]); got != want {
		ts.Fatalf("%s is\n%s\nwant\n%s", args[1], got, want)
	}
}
