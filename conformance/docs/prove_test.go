package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The package of the module that TestProve breaks, and its test.
const (
	brokenPackage = `package ump

const most = 9

type box[T any] struct{ items []T }

// within is a rule of one function.
func within(n int) bool { return n > 0 && n < most }

func (b *box[T]) add(items ...T) (n int, err error) {
	b.items = append(b.items, items...)
	return len(b.items), nil
}

func first[K comparable, V any](_ K, v V) V {
	return v
}
`
	brokenTest = `package ump

import (
	"os"
	"testing"
)

func TestA(t *testing.T) {
	t.Run("UMP-2-1 and UMP-2-2", func(t *testing.T) {
		if within(0) || !within(1) || within(9) || first("k", 7) != 7 {
			t.Error("no")
		}
	})
	t.Run("UMP-3-4", func(t *testing.T) {
		b := &box[int]{}
		if n, err := b.add(1, 2); n != 2 || err != nil {
			t.Error(n, err)
		}
		if text, err := os.ReadFile("../README.md"); err != nil || string(text) != "as it was" {
			t.Errorf("%s %v", text, err)
		}
	})
}
`
)

// TestProve breaks a small module, as make proof breaks this one.
func TestProve(t *testing.T) {
	fsys := small()
	lines := []string{
		"UMP-2-1\tump/a.go\tn > 0 && \t/**/\tump TestA",
		"UMP-2-1\tump/a.go\tmost = 9\tmost = 10\tump TestA",                                  // not in a function
		"UMP-2-2\tump/a.go\treturn v\tvar zero V\\n\\treturn zero\tump TestA",                // of types
		"UMP-3-4\tump/a.go\treturn len(b.items), nil\treturn len(items) - 1, nil\tump TestA", // of a receiver
		"UMP-3-4\tREADME.md\twas\twill be\tump TestA",
		"UMP-2-2\tump/a.go\tn < most\tn <= most-1\tump TestA",
		"UMP-2-2\tump/a.go\tn > 0 && n < most\tunknown(n)\tump TestA",
		"UMP-3-4\tump/a.go\tn > 0 && \t/**/\tump TestA",
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/broken\n\ngo 1.24\n", "README.md": "as it was", "ump/a.go": brokenPackage, "ump/a_test.go": brokenTest,
		proofs: "id\tfile\tcode\tbroken\ttest\n" + strings.ReplaceAll(strings.Join(lines, "\n"), `\\`, `\`) + "\n",
	} {
		fsys[name] = newFile(text)
	}
	for name, file := range fsys {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	failed, err := prove(root, nil, false, &out)
	const want = "UMP-3-4: ump TestA: goes red without a word of the row\nUMP-2-2: ump TestA: stays green\n" +
		"UMP-2-2: ump TestA: the broken code does not compile\n5 lines are proven, 3 are not\n"
	if failed != 3 || err != nil || out.String() != want {
		t.Errorf("%d, %v\n%s", failed, err, &out)
	}
	if text, err := os.ReadFile(filepath.Join(root, "ump/a.go")); err != nil || string(text) != brokenPackage {
		t.Errorf("the tree itself was changed: %v\n%s", err, text)
	}
	out.Reset()
	if failed, err := prove(root, []string{"UMP-3", "ENGRAM"}, false, &out); failed != 1 || err != nil || !strings.HasSuffix(out.String(), "2 lines are proven, 1 are not\n") {
		t.Errorf("%d, %v\n%s", failed, err, &out)
	}
}
