package audit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// full has every field set.
func full(l audit.Log) audit.Entry {
	return audit.Entry{
		At: noon(0).Add(123456789), Act: audit.Grant, Who: audit.Token("j-1"), Via: "http",
		Records: []string{l.Mark("urn:ump:a"), l.Mark("urn:ump:b")}, Count: 7,
		Reason: "UMP-5.2-3", Result: "pending", Format: "ump-md", Import: 12, Token: "j-2",
		Verbs: []memory.Verb{memory.ReadVerb, memory.ExportVerb}, Project: l.Mark("github.com/a/b"), Agent: l.Mark("coder"),
		Visibility: memory.Shared, Until: noon(60),
	}
}

// TestLayout holds the stored form, which later releases must read.
func TestLayout(t *testing.T) {
	l := logOf(t, 1)
	f := &fake{}
	if err := l.Append(f, full(l), audit.Entry{At: noon(1), Act: audit.Erase}); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/log.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s\n%s\n\n%s", f.entries[0], f.entries[1], f.head)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestEntriesComeBack(t *testing.T) {
	l := logOf(t, 1)
	f := &fake{}
	bundle := audit.Entry{At: noon(2), Act: audit.Import, Producer: "elsewhere-prod", Signature: "absent", Checksum: "sha256:" + strings.Repeat("0f", 32)}
	want := []audit.Entry{{At: noon(1), Act: audit.Erase}, full(l), bundle}
	if err := l.Append(f, want...); err != nil {
		t.Fatal(err)
	}
	f.entries = append(f.entries, []byte("{"), []byte(`{"act":"read"}`), []byte(`{"act":"read","at":"2026-03-01T12:00:00Z","newer":[1]}`))
	got, err := audit.Entries(f, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	want[1].Number, want[2].Number = 1, 2
	want = append(want, audit.Entry{Number: 3, Act: audit.Unreadable}, audit.Entry{Number: 4, Act: audit.Unreadable},
		audit.Entry{Number: 5, Act: audit.Read, At: noon(0)})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	f.entries[3], f.entries[4] = nil, nil
	if rest, err := audit.Entries(f, 3, 10); err != nil || len(rest) != 2 || rest[0].Act != audit.Missing || rest[1].Number != 4 {
		t.Errorf("from 3: %+v, %v", rest, err)
	}
	if rest, err := audit.Entries(f, 3, 1); err != nil || len(rest) != 1 {
		t.Errorf("one from 3: %+v, %v", rest, err)
	}
	if rest, err := audit.Entries(f, 6, 10); err != nil || len(rest) != 0 {
		t.Errorf("from the end: %+v, %v", rest, err)
	}
	if rest, err := audit.Entries(f, 5, 1); err != nil || len(rest) != 1 || rest[0].Number != 5 {
		t.Errorf("from 5: %+v, %v", rest, err)
	}
}

// TestEntriesAreBounded: however much an act concerned, and whatever a client
// calls itself.
func TestEntriesAreBounded(t *testing.T) {
	l := logOf(t, 1)
	e := audit.Entry{At: noon(0), Act: audit.Read, Who: audit.Agent(strings.Repeat("\x01é", 5000)), Token: "\xff" + strings.Repeat("x", 500)}
	for i := range 5000 {
		e.Records = append(e.Records, l.Mark(fmt.Sprint(i)))
	}
	f := &fake{}
	if err := l.Append(f, e); err != nil {
		t.Fatal(err)
	}
	if n := len(f.entries[0]); n > 64<<10 || !json.Valid(f.entries[0]) {
		t.Errorf("the entry has %d bytes", n)
	}
	got, err := audit.Entries(f, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got[0].Records) != 1000 || got[0].Count != 5000 || len(got[0].Who) > 200 || len(got[0].Token) > 200 {
		t.Errorf("%d marks of %d, who of %d bytes, token of %d", len(got[0].Records), got[0].Count, len(got[0].Who), len(got[0].Token))
	}
	if len(e.Records) != 5000 {
		t.Error("the caller's entry was changed")
	}
}

// TestCodes: what the program says of acts is no content.
func TestCodes(t *testing.T) {
	l := logOf(t, 1)
	for _, code := range []string{"", "user_revoked", "UMP-5.2-3", "ump-md", "/ump/memory/{id}", "/.well-known/ump.json", "unauthorized", "other"} {
		f := &fake{}
		if err := l.Append(f, audit.Entry{At: noon(0), Act: audit.Refuse, Reason: code, Result: code}); err != nil || len(f.entries) != 1 {
			t.Errorf("%q: %v", code, err)
		}
	}
}

// TestNeeds: what an agent needs is logged by codes, each once, and not without end.
func TestNeeds(t *testing.T) {
	l, f := logOf(t, 1), &fake{}
	many := []string{"tool.mcp", "my secret wish", "tool.mcp", "auth.vault(x)", ""}
	for i := range 200 {
		many = append(many, fmt.Sprint("io.", i))
	}
	if err := l.Append(f, audit.Entry{At: noon(0), Act: audit.TurnDown, Needs: many}); err != nil {
		t.Fatal(err)
	}
	got, err := audit.Entries(f, 0, 1)
	if err != nil || len(got) != 1 || len(got[0].Needs) != 100 {
		t.Fatalf("got %v, %v", got, err)
	}
	if want := []string{"tool.mcp", "unregistered", "io.0"}; !slices.Equal(got[0].Needs[:3], want) {
		t.Errorf("got %q, want %q", got[0].Needs[:3], want)
	}
}

// TestNoContent: what could be content is refused.
func TestNoContent(t *testing.T) {
	l := logOf(t, 1)
	at := noon(0)
	for name, e := range map[string]audit.Entry{
		"a raw id":             {At: at, Act: audit.Erase, Records: []string{"urn:ump:aaaa"}},
		"a project":            {At: at, Act: audit.Grant, Project: "github.com/owner/repo"},
		"an agent":             {At: at, Act: audit.Grant, Agent: "coder"},
		"words as a reason":    {At: at, Act: audit.Forget, Reason: "I said so"},
		"words as a result":    {At: at, Act: audit.Damage, Result: "my secret"},
		"a long reason":        {At: at, Act: audit.Forget, Reason: strings.Repeat("x", 65)},
		"words as a format":    {At: at, Act: audit.Import, Format: "a b"},
		"words as a verb":      {At: at, Act: audit.Grant, Verbs: []memory.Verb{"read all"}},
		"words as a carrier":   {At: at, Act: audit.Read, Via: "a phone"},
		"no act":               {At: at},
		"no time":              {Act: audit.Read},
		"a mark in upper case": {At: at, Act: audit.Erase, Records: []string{strings.Repeat("A", 32)}},
	} {
		f := &fake{}
		err := l.Append(f, e)
		if memory.KindOf(err) != memory.Internal || len(f.entries) != 0 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestMarks(t *testing.T) {
	a, b := logOf(t, 1), logOf(t, 2)
	mark := a.Mark("urn:ump:a")
	if !audit.IsMark(mark) || mark != a.Mark("urn:ump:a") || mark == a.Mark("urn:ump:b") || mark == b.Mark("urn:ump:a") {
		t.Errorf("got %s", mark)
	}
	if got := (audit.Log{}).Mark("urn:ump:a"); got != "" {
		t.Errorf("without a secret: %s", got)
	}
	if audit.Secret(keys.Private{}) != nil {
		t.Error("the zero key has a secret")
	}
	if s := audit.Secret(*a.Key); len(s) != 32 || string(s) == string(a.Key.Seed()) {
		t.Errorf("the secret has %d bytes", len(s))
	}
	f := &fake{}
	if err := (audit.Log{Owner: a.Owner}).Append(f, audit.Entry{At: noon(0), Act: audit.Read, Records: []string{"", ""}}); err != nil {
		t.Fatal(err)
	}
	if got, err := audit.Entries(f, 0, 1); err != nil || got[0].Count != 2 || len(got[0].Records) != 0 {
		t.Errorf("marks that are missing: %+v, %v", got, err)
	}
}

func TestActs(t *testing.T) {
	l := logOf(t, 1)
	f := &fake{}
	for _, act := range audit.Acts() {
		if err := l.Append(f, audit.Entry{At: time.Unix(0, 0), Act: act}); err != nil {
			t.Errorf("%s: %v", act, err)
		}
	}
	if len(f.entries) != len(audit.Acts()) || len(f.entries) != 52 {
		t.Errorf("%d acts", len(f.entries))
	}
}
