package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

var update = flag.Bool("update", false, "write the golden files anew")

func tree(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// states are what the tests send: a state with every member, one with next to none, and
// one whose members no schema knows.
func states(t testing.TB) map[string]canon.Value {
	t.Helper()
	all := map[string]canon.Value{}
	for _, name := range []string{"state", "failed-state"} {
		raw, err := os.ReadFile("../testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		all[name] = aaif.WithToken(tree(t, string(raw)), "a.b.c")
	}
	files, err := filepath.Glob("testdata/state-*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no states", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = aaif.WithToken(tree(t, string(raw)), "a.b.c")
	}
	return all
}

func sent(t testing.TB, state canon.Value, o handoff.SendOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := handoff.Send(context.Background(), &b, state, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// welcome admits everything.
func welcome(aaif.Binding, string) error { return nil }

func receive(stream string) (canon.Value, error) {
	return handoff.Receive(context.Background(), strings.NewReader(stream), handoff.Options{Admit: welcome})
}

// refusal expects a refusal with a code, and nothing besides.
func refusal(t *testing.T, stream string, codes ...aaif.Code) *codec.ParseError {
	t.Helper()
	v, err := receive(stream)
	if v.Type() != canon.TypeUndefined && err == nil {
		t.Errorf("accepted")
	}
	for _, code := range codes {
		if aaif.CodeOf(err) == code {
			p, _ := errors.AsType[*codec.ParseError](err)
			return p
		}
	}
	t.Errorf("got %s: %v, want %v", aaif.CodeOf(err), err, codes)
	return &codec.ParseError{}
}

func equal(t testing.TB, got, want canon.Value) {
	t.Helper()
	if g, w := string(got.AppendCanonical(nil)), string(want.AppendCanonical(nil)); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

// edited returns a stream with one line changed; the checksum is made right again.
func edited(t testing.TB, stream string, n int, edit func(canon.Value) canon.Value) string {
	t.Helper()
	list := strings.SplitAfter(stream, "\n")
	list[n] = string(edit(tree(t, list[n])).Append(nil)) + "\n"
	return strings.Join(list, "")
}
