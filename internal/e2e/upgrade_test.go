package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// before is the release that works beside this one while servers are replaced.
const before = "790df58"

// earlier builds the program of the release before.
func earlier(t *testing.T) string {
	t.Helper()
	if os.Getenv("SATCHEL_LONG") == "" {
		t.Skip("make test-all builds an earlier release and runs it beside this one")
	}
	git := func(args ...string) error {
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Logf("git %s: %s", strings.Join(args, " "), out)
		}
		return err
	}
	tree, built := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "satchel")
	if git("cat-file", "-e", before+"^{commit}") != nil {
		t.Skip("this clone does not hold commit " + before)
	}
	if err := git("worktree", "add", "--detach", tree, before); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = git("worktree", "remove", "--force", tree) })
	cmd := exec.Command("go", "build", "-o", built, "./cmd/satchel")
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return built
}

// TestRollingUpgrade brings the schema up to date beside three servers of an earlier release, and
// replaces one after the other, while owners work. Nothing that was acknowledged is lost,
// whichever release wrote it, and no call fails for good.
func TestRollingUpgrade(t *testing.T) {
	old := earlier(t)
	c := newClusterOf(t, old, 3)
	const step = 5 * time.Second
	l := begin(c, pace{lasts: 6 * step, owners: 40})
	l.caller.forgiving.Store(true)
	time.Sleep(step)
	now := *c.home
	now.program = ""
	operator := now
	operator.settings = append([]string{"SATCHEL_STORE=" + c.operator}, now.settings[1:]...)
	t.Log(operator.run("store", "migrate", "--plan"))
	t.Log(operator.run("store", "migrate"))
	for _, r := range c.replicas {
		time.Sleep(step)
		r.stop()
		r.home = &now
		r.start()
	}
	c.home.program = ""
	l.finish()
	for what, n := range l.caller.kinds {
		t.Logf("%6d × %s", n, what)
	}
	operator.run("store", "migrate", "--finish")
	late := now
	late.program = old
	if out, errs, err := late.try("list"); err == nil || !strings.Contains(errs, "update satchel") {
		t.Errorf("the earlier release after the upgrade: %v\n%s%s", err, out, errs)
	}
	if out, errs, err := now.try("doctor", "--all"); err != nil {
		t.Errorf("doctor: %v\n%s%s", err, out, errs)
	}
}
