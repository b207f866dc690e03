package arch

import (
	"os"
	"strings"
	"testing"
)

const root = "../.."

func TestTheModuleKeepsItsShape(t *testing.T) {
	found, err := Check(os.DirFS(root), Packages(), Policy())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

func TestEveryLibraryHasAReason(t *testing.T) {
	text, err := os.ReadFile(root + "/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range Policy() {
		if !strings.Contains(string(text), "`"+lib.Module+"`") {
			t.Errorf("CONTRIBUTING.md gives no reason for %s", lib.Module)
		}
	}
}

func TestEveryRowOfTheTablesIsReached(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Packages() {
		if first, _ := find(Packages(), row.Path); seen[row.Path] || first.Job != row.Job {
			t.Errorf("%s is hidden by an earlier row", row.Path)
		}
		seen[row.Path] = true
		for _, use := range row.Test {
			if _, ok := find(Packages(), use); !ok {
				t.Errorf("%s: tests may import %s, which is no row", row.Path, use)
			}
		}
	}
	for _, lib := range Policy() {
		for _, user := range lib.Users {
			if !seen[user] {
				t.Errorf("%s: %s is no row of the table of packages", lib.Module, user)
			}
		}
	}
}
