package folder_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/replica/folder"
)

// onDisk reads all files below folders of this machine.
func onDisk(t testing.TB, dirs ...string) *shelf {
	t.Helper()
	s := newShelf()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				s.files[name], err = os.ReadFile(name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// carried lets two machines work, each in its own folder, which carry makes alike.
func carried(t *testing.T, dirs [2]string, carry func()) {
	t.Helper()
	all := family(t, "desk", "laptop")
	at := [2]folder.Storage{openLocal(t, dirs[0]), openLocal(t, dirs[1])}
	meet := func(until func() bool) {
		t.Helper()
		for range 60 {
			all[0].sync(t, at[0])
			all[1].sync(t, at[1])
			carry()
			if until() {
				return
			}
		}
		t.Fatalf("the machines do not meet:\n%s\n%s", all[0].says(), all[1].says())
	}
	same := func() bool { return all[0].says() == all[1].says() }
	all[0].note("secret", "SECRETTEXT")
	for n := range 3 { // both write before either hears of the other
		all[0].note(fmt.Sprint("a", n), fmt.Sprint("of the desk ", n))
		all[1].note(fmt.Sprint("b", n), fmt.Sprint("of the laptop ", n))
		meet(same)
	}
	all[1].has(t, "of the desk 2")
	all[0].has(t, "of the laptop 2")
	all[1].erase("secret")
	meet(func() bool {
		return same() && !strings.Contains(onDisk(t, dirs[:]...).opened(t, all...), "SECRETTEXT")
	})
	meet(func() bool {
		r, again := all[0].sync(t, at[0]), all[1].sync(t, at[1])
		return len(r.Troubles)+len(again.Troubles) == 0 && r.BytesWritten+again.BytesWritten == 0
	})
	alike(t, all...)
}

// run runs a program in a folder.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Two working trees of git carry the folder: commits on both sides, merged.
func TestGitCarries(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	top := t.TempDir()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
		"GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"} {
		t.Setenv(name, value)
	}
	run(t, top, "git", "init", "-q", "--bare", "-b", "main", "origin")
	dirs := [2]string{filepath.Join(top, "desk"), filepath.Join(top, "laptop")}
	for _, dir := range dirs {
		run(t, top, "git", "clone", "-q", "origin", dir)
		run(t, dir, "git", "checkout", "-q", "-B", "main")
	}
	run(t, dirs[0], "git", "commit", "-q", "--allow-empty", "-m", "begin")
	run(t, dirs[0], "git", "push", "-q", "origin", "main")
	run(t, dirs[1], "git", "pull", "-q", "origin", "main")
	carried(t, dirs, func() {
		for _, dir := range dirs {
			run(t, dir, "git", "add", "-A")
			run(t, dir, "git", "commit", "-q", "--allow-empty", "-m", "sync")
		}
		pull := func(dir string) { run(t, dir, "git", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main") }
		for _, dir := range dirs {
			pull(dir)
			run(t, dir, "git", "push", "-q", "origin", "main")
		}
		pull(dirs[0])
	})
}

// Two Syncthings carry the folder, on this machine alone.
func TestSyncthingCarries(t *testing.T) {
	if os.Getenv("SATCHEL_LONG") == "" {
		t.Skip("make test-sync-tools runs it")
	}
	if _, err := exec.LookPath("syncthing"); err != nil {
		t.Skip("Syncthing is not here: make test-sync-tools installs it as root on Debian")
	}
	top := t.TempDir()
	var home, dirs, device, listen, gui [2]string
	for i := range home {
		home[i], dirs[i] = filepath.Join(top, fmt.Sprint("home", i)), filepath.Join(top, fmt.Sprint("folder", i))
		if err := os.MkdirAll(filepath.Join(dirs[i], ".stfolder"), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, top, "syncthing", "generate", "--home="+home[i], "--no-default-folder", "--skip-port-probing")
		device[i] = run(t, top, "syncthing", "--device-id", "--home="+home[i])
		listen[i], gui[i] = freePort(t), freePort(t)
	}
	for i := range home {
		config := fmt.Sprintf(`<configuration version="35">
<folder id="memories" path="%s" type="sendreceive" rescanIntervalS="2" fsWatcherEnabled="true" fsWatcherDelayS="1"><device id="%s"/><device id="%s"/></folder>
<device id="%s" name="one"><address>tcp://%s</address></device><device id="%s" name="two"><address>tcp://%s</address></device>
<gui enabled="true" tls="false"><address>%s</address><apikey>key</apikey></gui>
<options><listenAddress>tcp://%s</listenAddress><globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
<relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted><crashReportingEnabled>false</crashReportingEnabled>
<autoUpgradeIntervalH>0</autoUpgradeIntervalH><startBrowser>false</startBrowser><reconnectionIntervalS>1</reconnectionIntervalS></options>
</configuration>`, dirs[i], device[0], device[1], device[0], listen[0], device[1], listen[1], gui[i], listen[i])
		if err := os.WriteFile(filepath.Join(home[i], "config.xml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		startSyncthing(t, home[i])
	}
	carried(t, dirs, func() {
		for i := range gui {
			scan(gui[i])
		}
		time.Sleep(500 * time.Millisecond)
	})
}

func startSyncthing(t *testing.T, home string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "syncthing", "serve", "--home="+home, "--no-browser", "--no-restart", "--no-upgrade", "--logfile=-")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends its own process with it
	cmd.WaitDelay = 10 * time.Second
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // t.Context has ended it
		if t.Failed() {
			t.Logf("Syncthing said: %s", said.String())
		}
	})
}

// scan lets a Syncthing look at its folder at once. One that has not begun yet looks later.
func scan(gui string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+gui+"/rest/db/scan?folder=memories", nil)
	if err != nil {
		return
	}
	r.Header.Set("X-API-Key", "key")
	if answer, err := http.DefaultClient.Do(r); err == nil {
		_ = answer.Body.Close() // only the scan counts
	}
}

// freePort is an address on which nobody listens.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
