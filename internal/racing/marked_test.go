package racing_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMarked: the expression by which make test runs tests without the race detector names
// every test that the detector skips. A test that it missed would run nowhere.
func TestMarked(t *testing.T) {
	said, err := exec.Command("./marked.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	marked, err := regexp.Compile(strings.TrimSpace(string(said)))
	if err != nil {
		t.Fatal(err)
	}
	skips := regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\) \{\n\tracing\.Skip\(`)
	found := 0
	err = filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range skips.FindAllStringSubmatch(string(text), -1) {
			if found++; !marked.MatchString(m[1]) {
				t.Errorf("%s: %s is skipped under the race detector, and would run nowhere", path, m[1])
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d tests are marked, %v", found, err)
	}
	if marked.MatchString("TestMarked") {
		t.Error("a test that says nothing is marked, too")
	}
}
