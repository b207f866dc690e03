package ump_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestAuthorVersions: versions that are authored together are those that are authored one
// by one, first without their successor and then with it.
func TestAuthorVersions(t *testing.T) {
	drafts := make([]memory.Record, 3)
	for i := range drafts {
		at := birthTime.Add(time.Duration(i) * time.Hour)
		drafts[i] = memory.Record{
			Kind: memory.Semantic, Scope: memory.Scope{Owner: "alice"}, Time: memory.Times{Created: at},
			Body: memory.Body{Text: "The gate squeaks.", Structured: []byte(`{"n":2.50}`)},
		}
	}
	want := make([]memory.Record, len(drafts))
	author := func(r memory.Record) memory.Record {
		t.Helper()
		made, err := ump.Author(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for i, r := range drafts {
		if i > 0 {
			r.Supersedes = []memory.ID{want[i-1].ID}
		}
		want[i] = author(r)
	}
	for i := range want[1:] {
		want[i].SupersededBy, want[i].Origin = []memory.ID{want[i+1].ID}, nil
		want[i] = author(want[i])
	}
	got, err := ump.AuthorVersions(drafts)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	drafts[1].Body.Text = ""
	if _, err := ump.AuthorVersions(drafts); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a version without a text: %v", err)
	}
	if got, err := ump.AuthorVersions(nil); len(got) > 0 || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}
