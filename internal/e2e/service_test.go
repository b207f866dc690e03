//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// systemctl runs one unit of the user, as far as satchel service needs it. It records each
// call in the file calls. Files beside it let it misbehave: fails names verbs that fail,
// killat the number of the call in which the caller is killed, broken a program whose server
// ends at once.
const systemctl = `#!/bin/sh
cd FOLDER || exit 1
shift; verb=$1; name=$2
echo "$verb" >>calls
[ -e killat ] && [ "$(wc -l <calls)" -ge "$(cat killat)" ] && { rm killat; kill -9 $PPID; exit 1; }
[ -e fails ] && grep -qx -e "$verb" fails && { echo "Failed to $verb the unit: for no reason" >&2; exit 1; }
unit=$HOME/.config/systemd/user/$name.service
alive() { read -r pid <pid && read -r _ _ is _ <"/proc/$pid/stat" && [ "$is" != Z ]; } 2>/dev/null
case $verb in
show)
	load=not-found; [ -e "$unit" ] && load=loaded
	if alive; then state=active; else state=inactive; fi
	printf 'LoadState=%s\nActiveState=%s\nResult=%s\nMainPID=%s\nActiveEnterTimestamp=Mon 2026-11-30 03:44:18 UTC\nExecMainStatus=0\n' $load $state "$(cat result 2>/dev/null)" "$(cat pid 2>/dev/null)";;
start)
	alive && exit 0
	command=$(sed -n 's/^ExecStart=//p' "$unit")
	if [ -e broken ] && case $command in *"$(cat broken)"*) true;; *) false;; esac; then echo exit-code >result; exit 0; fi
	echo success >result
	setsid sh -c "exec $command" >>log 2>&1 </dev/null &
	echo $! >pid;;
stop)
	alive || exit 0
	kill "$(cat pid)"
	while alive; do sleep 0.05; done;;
esac
exit 0
`

// served is a machine with a systemctl of its own.
type served struct {
	*home
	fake string // the folder of systemctl
	port int
}

func newServed(t *testing.T) *served {
	t.Helper()
	h := newHome(t)
	s := &served{home: h, fake: filepath.Join(h.dir, "fake")}
	if err := os.Mkdir(s.fake, 0o700); err != nil {
		t.Fatal(err)
	}
	s.fakes("systemctl", strings.Replace(systemctl, "FOLDER", s.fake, 1))
	h.settings = []string{"PATH=" + s.fake + ":" + os.Getenv("PATH")}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	h.program = filepath.Join(h.dir, "bin", "satchel")
	s.release("")
	t.Cleanup(func() { _, _, _ = s.try("service", "uninstall") })
	return s
}

// fakes writes a file of systemctl.
func (s *served) fakes(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.fake, name), []byte(text), 0o700); err != nil {
		s.Fatal(err)
	}
}

// release puts another release in the place of the program: it differs by bytes at its end.
func (s *served) release(mark string) {
	s.Helper()
	in, err := os.Open(program)
	s.must(errors.Join(err, os.MkdirAll(filepath.Dir(s.program), 0o700)))
	defer in.Close()
	next, err := os.OpenFile(s.program+".next", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	s.must(err)
	_, err = next.ReadFrom(in)
	_, marked := next.WriteString(mark)
	s.must(errors.Join(err, marked, next.Close(), os.Rename(next.Name(), s.program)))
}

// state is what status --json prints.
type serviceState struct {
	Installed, Running, Ready          bool
	Address, Store, Program, Log, File string
	Advice                             string
}

func (s *served) state() (out serviceState) {
	s.Helper()
	text, errs, _ := s.try("service", "status", "--json") // it fails unless the server answers
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.Fatal(err, text, errs)
	}
	return out
}

// answers checks that the server is ready, and that the memory of the test is in its store.
func (s *served) answers() {
	s.Helper()
	if is := s.state(); !is.Ready || is.Advice != "" {
		s.Fatalf("it does not run: %+v", is)
	}
	got, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", s.port))
	if err != nil || got.Body.Close() != nil || got.StatusCode != http.StatusOK {
		s.Fatal("it does not answer:", err)
	}
	if out := s.run("recall", "bees"); !strings.Contains(out, "Ada keeps bees") {
		s.Fatal("the memory is gone:", out)
	}
}

func (s *served) install() {
	s.Helper()
	s.run("remember", "Ada keeps bees")
	s.run("service", "install", "--", "--addr", fmt.Sprintf("127.0.0.1:%d", s.port))
	s.answers()
}

// refused runs a command that fails, and wants words in what it says.
func (s *served) refused(words string, args ...string) {
	s.Helper()
	out, errs, err := s.try(args...)
	if err == nil || !strings.Contains(errs, words) {
		s.Fatalf("satchel %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
}

func TestService(t *testing.T) {
	s := newServed(t)
	if is := s.state(); is.Installed || is.Running || is.Advice == "" {
		t.Errorf("before the installation: %+v", is)
	}
	s.refused("satchel service install makes it", "service", "start")
	s.install()
	unit, err := os.ReadFile(s.state().File)
	if err != nil || !strings.Contains(string(unit), fmt.Sprintf("--addr 127.0.0.1:%d", s.port)) {
		t.Errorf("the unit is %s %v", unit, err)
	}
	s.run("service", "stop")
	if is := s.state(); is.Running || !is.Installed || !strings.Contains(is.Advice, "service start") {
		t.Errorf("after a stop: %+v", is)
	}
	s.run("service", "start")
	s.answers()
	s.run("service", "install") // with the flags of before
	s.answers()
	s.fakes("fails", "daemon-reload\n")
	s.refused("for no reason", "service", "install")
	if err := os.Remove(filepath.Join(s.fake, "fails")); err != nil {
		t.Fatal(err)
	}
	out := s.run("service", "uninstall")
	if !strings.Contains(out, filepath.Join(s.dir, "store")) {
		t.Errorf("it does not say where the memory is: %s", out)
	}
	if is := s.state(); is.Installed || is.Running {
		t.Errorf("after its removal: %+v", is)
	}
	if out := s.run("recall", "bees"); !strings.Contains(out, "Ada keeps bees") {
		t.Error("the memory is gone:", out)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, ".local/share/satchel-service/satchel/*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
	t.Run("no secret is in the unit", func(t *testing.T) {
		remote := filepath.Join(s.dir, "remote") // the home folder of a database
		text, err := os.ReadFile(filepath.Join(s.dir, "store", "config.json"))
		if err = errors.Join(err, os.Mkdir(remote, 0o700)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(remote, "config.json"), []byte(strings.Replace(string(text), "{", `{"database": true,`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		s.refused("no place for one", "service", "install", "--store", "postgres://satchel:sesame@127.0.0.1/satchel", "--home", remote)
		sealed := *s
		sealed.home = &home{TB: t, dir: filepath.Join(s.dir, "sealed"), program: s.program, settings: append([]string{"HOME=" + s.dir, "SATCHEL_PASSPHRASE=sesame"}, s.settings...)}
		s.must(os.Mkdir(sealed.dir, 0o700))
		sealed.run("init")
		sealed.sealQuickly("sesame")
		sealed.refused("nobody to ask", "service", "install")
		if _, err := os.Stat(s.state().File); err == nil {
			t.Error("the unit was written")
		}
	})
}

func TestServiceUpgrade(t *testing.T) {
	s := newServed(t)
	s.install()
	s.release("second")
	if is := s.state(); !strings.Contains(is.Advice, "service upgrade") {
		t.Errorf("status does not notice the release: %+v", is)
	}
	s.run("service", "start") // start notices it too
	s.answers()
	backups, err := filepath.Glob(filepath.Join(s.dir, ".local/share/satchel-service/satchel/before-*.tar"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("the backups are %q %v", backups, err)
	}
	s.run("restore", "--store", filepath.Join(s.dir, "other"), backups[0])
	if out := s.run("recall", "--store", filepath.Join(s.dir, "other"), "bees"); !strings.Contains(out, "Ada keeps bees") {
		t.Error("the backup lacks the memory:", out)
	}
	t.Run("a release that does not answer", func(t *testing.T) {
		s.release("third")
		s.fakes("broken", s.program)
		out, errs, err := s.try("service", "upgrade", "--wait", "5s")
		if err == nil || !strings.Contains(errs, "was undone") || !strings.Contains(errs, "put it in the place of "+s.program) {
			t.Fatalf("it is said to run: %v\n%s%s", err, out, errs)
		}
		s.answers()
		if is := s.state(); is.Program == s.program {
			t.Errorf("the program that does not run is the service: %+v", is)
		}
		if err := os.Remove(filepath.Join(s.fake, "broken")); err != nil {
			t.Fatal(err)
		}
		s.run("service", "upgrade")
		s.answers()
		if is := s.state(); is.Program != s.program {
			t.Errorf("the release is not the service: %+v", is)
		}
	})
}

// TestServiceUpgradeKilled kills an upgrade in each of its calls of the system, and the way
// back in each of its own. The next upgrade goes on, and nothing is lost.
func TestServiceUpgradeKilled(t *testing.T) {
	s := newServed(t)
	s.install()
	for _, broken := range []bool{false, true} {
		for n := 1; ; n++ {
			s.release(fmt.Sprint(broken, n))
			if err := os.Remove(filepath.Join(s.fake, "calls")); err != nil {
				t.Fatal(err)
			}
			if broken {
				s.fakes("broken", s.program)
			}
			s.fakes("killat", fmt.Sprint(n))
			_, errs, err := s.try("service", "upgrade", "--wait", "5s")
			if broken {
				if err := os.Remove(filepath.Join(s.fake, "broken")); err != nil {
					t.Fatal(err)
				}
			}
			if os.Remove(filepath.Join(s.fake, "killat")) == nil { // nobody was killed
				if (err != nil) != broken {
					t.Fatalf("broken %v, uninterrupted: %v\n%s", broken, err, errs)
				}
				break
			}
			if err == nil {
				t.Fatalf("broken %v: it was killed in call %d, and ended well", broken, n)
			}
			out, errs, err := s.try("service", "upgrade")
			if err != nil && (!broken || !strings.Contains(errs, "was undone")) {
				t.Fatalf("broken %v, after call %d: %v\n%s%s", broken, n, err, out, errs)
			}
			s.answers()
			if n > 60 {
				t.Fatal("an upgrade makes too many calls")
			}
			if testing.Short() || os.Getenv("SATCHEL_LONG") == "" {
				n += 6 // some of them; make test-all takes each
			}
		}
		t.Logf("broken %v: done at %s", broken, time.Now().Format(time.TimeOnly))
	}
}
