package racing_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
)

// TestMarked: the expression by which make test runs tests without the race detector names
// every test that the detector skips, and every test over each kind of store; its packages
// are those of these tests. What it missed would run nowhere.
func TestMarked(t *testing.T) {
	marked, err := regexp.Compile(say(t))
	if err != nil {
		t.Fatal(err)
	}
	folders := strings.Fields(say(t, "packages"))
	skips := regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\) \{\s+(?:racing\.Skip|onEach|vaulttest\.OnEach)\(`)
	found := 0
	err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range skips.FindAllStringSubmatch(string(text), -1) {
			inside := regexp.MustCompile(`^../../(internal|ump|aimem)/`).MatchString(path)
			if found++; inside && (!marked.MatchString(m[1]) || !slices.Contains(folders, "./"+filepath.ToSlash(filepath.Dir(path))[6:])) {
				t.Errorf("%s: %s is skipped under the race detector, and would run nowhere", path, m[1])
			}
		}
		return err
	})
	if err != nil || found < 280 {
		t.Errorf("%d tests are marked, %v", found, err)
	}
	if marked.MatchString("TestMarked") {
		t.Error("a test that says nothing is marked, too")
	}
}

// say runs the script.
func say(t *testing.T, args ...string) string {
	t.Helper()
	said, err := exec.Command("./marked.sh", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(said))
}

// part is a test that notes whether it was skipped.
type part struct {
	testing.TB
	name    string
	skipped bool
}

func (p *part) Helper()      {}
func (p *part) Name() string { return p.name }
func (p *part) Skip(...any)  { p.skipped = true }

// TestRan: beside the race detector runs what it skips, and nothing else.
func TestRan(t *testing.T) {
	if racing.Detector {
		t.Skip("the detector is at work")
	}
	racing.Skip(&part{name: "TestSlow"})
	for _, c := range []struct {
		beside, name string
		skipped      bool
	}{
		{"rest", "TestSlow", false}, {"rest", "TestSlow/postgres", false}, {"rest", "TestSlow/postgres/deep", false},
		{"rest", "TestSlower/postgres", true}, {"rest", "TestQuick", true}, {"rest", "TestQuick/TestSlow", true},
		{"", "TestQuick/postgres", false},
	} {
		t.Setenv("SATCHEL_UNRACED", c.beside)
		p := &part{name: c.name}
		if racing.Ran(p); p.skipped != c.skipped {
			t.Errorf("SATCHEL_UNRACED=%s, %s: skipped is %v", c.beside, c.name, p.skipped)
		}
	}
}
