package chatgpt_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

func records(t *testing.T, text string) []memory.Record {
	t.Helper()
	found, _, err := importtest.Read(chatgpt.Format(), importtest.File("conversations.json", text), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Records of a conversation name the conversation, the assistant and the time.
func TestScopeAndTimes(t *testing.T) {
	all := records(t, fixture(t))
	if len(all) != 4 {
		t.Fatalf("%d records", len(all))
	}
	head, said, undated := all[0], all[1], all[3]
	for _, r := range all[:2] {
		if r.Scope.Session != "c-1" || r.Scope.Agent != "chatgpt" || r.Provenance.Source.Provider != "chatgpt" {
			t.Errorf("%+v of %+v", r.Scope, r.Provenance.Source)
		}
	}
	if diff := cmp.Diff(memory.Times{Created: at(1735726000, 0), Observed: at(1735726000, 0), ValidFrom: at(1735725600, 250_000)}, head.Time); diff != "" {
		t.Errorf("the conversation: %s", diff)
	}
	if diff := cmp.Diff(memory.Times{Created: at(1735725601, 500_000), Observed: at(1735725601, 500_000)}, said.Time); diff != "" {
		t.Errorf("what was said: %s", diff)
	}
	if diff := cmp.Diff(memory.Times{Created: importtest.Modified()}, undated.Time); diff != "" {
		t.Errorf("what has no date: %s", diff)
	}
}

// An invalid date is kept as written, or is a loss.
func TestStrangeDates(t *testing.T) {
	for _, strange := range []string{`"notanumber"`, `1e300`, `-5`} {
		text := `[{"title":"T","conversation_id":"c","update_time":` + strange + `,"mapping":{"a":{"message":{"author":{"role":"user"},"create_time":` + strange + `,"content":{"parts":["Hello"]}}}}}]`
		found, losses, err := importtest.Read(chatgpt.Format(), importtest.File("conversations.json", text), importtest.Options())
		if err != nil || !strings.Contains(string(found[0].Body.Structured), `"update_time":`+strange) {
			t.Fatalf("%v, %s", err, found[0].Body.Structured)
		}
		if len(losses) != 2 || losses[1].Pointer != "/0" || !strings.HasPrefix(losses[1].Reason, "1 conversations and memories say more") {
			t.Errorf("%s: %v", strange, losses)
		}
	}
}

// A conversation without a date has that of its file to the second, also in a folder that
// was written later.
func TestDatedByFile(t *testing.T) {
	const text = `[{"title":"T","conversation_id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hello"]}}}}}]`
	written := importtest.Modified().Add(-time.Hour)
	src := importtest.Folder("export", map[string]string{"conversations.json": text})
	src.Tree.(fstest.MapFS)["conversations.json"].ModTime = written.Add(123456789)
	found, losses, err := importtest.Read(chatgpt.Format(), src, importtest.Options())
	if err != nil || len(losses) != 1 || !strings.Contains(losses[0].Reason, "dated by its file") {
		t.Fatal(err, losses)
	}
	for _, r := range found {
		if r.Time != (memory.Times{Created: written}) {
			t.Errorf("%+v, want only created, %v", r.Time, written)
		}
	}
}

// A conversation without a date, of standard input, is dated to when it is read, and the
// loss says so.
func TestDatedByNothing(t *testing.T) {
	src := importtest.File("standard input", `[{"title":"T","conversation_id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hello"]}}}}}]`)
	src.Modified = time.Time{}
	found, losses, err := importtest.Read(chatgpt.Format(), src, importtest.Options())
	if err != nil || len(losses) != 1 || !strings.HasSuffix(losses[0].Reason, "no file dates: it is dated to when it was read") {
		t.Fatal(err, losses)
	}
	for _, r := range found {
		if now := importtest.Options().Now().UTC().Truncate(time.Second); !r.Time.Created.Equal(now) {
			t.Errorf("dated %v, want %v", r.Time.Created, now)
		}
	}
}

// A saved memory that is switched off has ended.
func TestSwitchedOff(t *testing.T) {
	const text = `[{"id":"m","content":"Drinks tea.","enabled":false,"created_at":"2026-01-01T10:00:00Z","updated_at":"2026-01-02T10:00:00Z"}]`
	all := records(t, text)
	want := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	if len(all) != 1 || !all[0].Time.ValidTo.Equal(want) {
		t.Errorf("%+v", all)
	}
}

// Another title makes another record of the conversation, with the same reference, and
// changes none of the turns' records.
func TestRetitled(t *testing.T) {
	before, after := records(t, fixture(t)), records(t, strings.Replace(fixture(t), `"Trip"`, `"Journey"`, 1))
	if before[0].Body.Text == after[0].Body.Text || before[0].Provenance.Source.Ref != after[0].Provenance.Source.Ref {
		t.Errorf("%q, then %q", before[0].Body.Text, after[0].Body.Text)
	}
	if diff := cmp.Diff(before[1:], after[1:]); diff != "" {
		t.Error(diff)
	}
}

// CHATGPT-4: without an owner, or a date for a record, nothing is read.
func TestDrafts(t *testing.T) {
	noOwner, noDate := importtest.Options(), importtest.Options()
	noOwner.Owner, noDate.Now = "", nil
	src := importtest.File("x", fixture(t))
	src.Modified = time.Time{}
	for name, opt := range map[string]codec.Options{"no owner": noOwner, "no date": noDate} {
		_, _, err := importtest.Read(chatgpt.Format(), src, opt)
		if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "CHATGPT-4" {
			t.Errorf("%s: %v", name, err)
		}
	}
	dated, _, err := importtest.Read(chatgpt.Format(), src, importtest.Options())
	if err != nil || !dated[3].Time.Created.Equal(importtest.Options().Now()) {
		t.Errorf("the clock does not date it: %v", err)
	}
}

// Units are the elements of the files, including those without records, and the item made
// of all of them.
func TestUnits(t *testing.T) {
	turn := `{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hello"]}}},"x":{"children":["a"],"message":{"author":{"role":"user"},"content":{"content_type":"user_editable_context","user_profile":"Ada"}}}}`
	turn = strings.Replace(turn, `{"message"`, `{"parent":"x","message"`, 1)
	text := `[{"title":"one","mapping":{}},{"title":"two","id":"c-2","mapping":` + turn + `},{"title":"three","mapping":{}}]`
	r, err := chatgpt.Format().Open(importtest.File("x", text), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	units := r.(codec.Units)
	got := []int{units.Unit()}
	for err == nil {
		if _, err = r.Next(); err == nil || errors.Is(err, io.EOF) {
			got = append(got, units.Unit())
		}
	}
	if diff := cmp.Diff([]int{0, 2, 2, 4, 4}, got); diff != "" || !errors.Is(err, io.EOF) {
		t.Errorf("%v: %s", err, diff)
	}
	if done, total := r.(codec.Progress).Reached(); done != int64(len(text)) || total != done {
		t.Errorf("reached %d of %d", done, total)
	}
}

// Validate reports the faults of each conversation.
func TestValidateReportsEverything(t *testing.T) {
	text := `[{"title":"a"},{"title":"b","mapping":{}},{"title":"c","mapping":7},{"title"`
	got := importtest.Violations(t, chatgpt.Format(), importtest.File("x", text), codec.Options{})
	if diff := cmp.Diff([]string{"CHATGPT-2 /0/mapping", "CHATGPT-2 /2/mapping", "CHATGPT-1 /3/title"}, got); diff != "" {
		t.Error(diff)
	}
}
