package ump_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// vaultNote is a record with something to hide in every part.
const vaultNote = `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic",
"body":{"text":"The spare key lies under the pot.","structured":{"token":"t-1234567","list":["a","b","c"],"copy":{"seen":"it was t-1234567, then"},"pin":"42","same":"42","aimem":{"v":1,"chunk":{"content_hash":"sha256:00"},"embedding":{"data":"AAAA"}},"free":{"n":1},"rows":[{"a":"1","b":"row-secret"},{"a":"2"}],"seen":["row-secret again"]}},
"scope":{"owner":"did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z","project":"garden","visibility":"shared"},
"time":{"created":"2026-06-04T10:00:00Z","observed":"2026-06-04T09:00:00Z"},
"relations":[{"type":"about","target":"entity:pot"},{"type":"about","target":"entity:key"},{"type":"x-in","target":"entity:shed"}],
"provenance":{"actor":"gardener","actor_kind":"user","method":"stated","source":{"ref":"sess#1"},"evidence":[{"ref":"e1"},{"ref":"e2"}]},
"consent":{"redact":[]}}`

// redacted redacts vaultNote by paths and returns the copy.
func redacted(t *testing.T, paths ...string) memory.Record {
	t.Helper()
	r := mustDecode(t, vaultNote)
	r.Consent.Redact = paths
	r.Origin = nil
	r, err := ump.Author(r, ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	copied, err := ump.Redact(r, ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := ump.Verify(copied.Current); err != nil {
		t.Errorf("the copy does not verify: %v", err)
	}
	if copied.Origin != nil {
		t.Error("the copy has an origin")
	}
	if _, err := ump.Decode(copied.Current, codec.Options{}); err != nil {
		t.Errorf("the copy is no record: %v", err)
	}
	return copied
}

func TestRedact(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		gone  []string          // pointers that are no longer there
		kept  map[string]string // texts that are
	}{
		{"UMP-2.7-4 UMP-2.7-8 UMP-2.7-9 a member is removed, the policy stays, the copy verifies", []string{"body.structured.token"}, []string{"/body/structured/token"}, map[string]string{"/body/structured/pin": "42"}},
		{"UMP-2.7-5 a rooted path is the same path", []string{"$.body.structured.token"}, []string{"/body/structured/token"}, nil},
		{"UMP-2.7-5 a path that hits nothing does nothing", []string{"body.structured.none", "relations[9]", "body.text.x"}, nil, map[string]string{"/body/structured/token": "t-1234567", "/relations/2/target": "entity:shed"}},
		{"UMP-2.7-7 copies go with it", []string{"body.structured.token"}, []string{"/body/structured/copy"}, nil},
		{"UMP-2.7-7 a short value is a copy only as a whole", []string{"body.structured.pin"}, []string{"/body/structured/pin", "/body/structured/same"}, map[string]string{"/body/structured/token": "t-1234567"}},
		{"UMP-2.7-5 elements are counted as they stood", []string{"body.structured.list[0]", "$.body.structured.list[2]", "body.structured.list[0]"}, []string{"/body/structured/list/1"}, map[string]string{"/body/structured/list/0": "b"}},
		{"UMP-2.7-5 a wildcard hits every element", []string{"body.structured.list[*]"}, []string{"/body/structured/list/0"}, nil},
		{"UMP-2.7-5 a relation without its target goes", []string{"relations[0].target"}, []string{"/relations/2"}, map[string]string{"/relations/0/target": "entity:key"}},
		{"UMP-2.7-5 relations go as a whole", []string{"relations"}, []string{"/relations"}, nil},
		{"UMP-2.7-5 the text is replaced", []string{"body.text"}, []string{"/body/structured/aimem"}, map[string]string{"/body/text": ump.Redacted, "/body/structured/token": "t-1234567"}},
		{"UMP-2.7-5 the body keeps a text", []string{"body"}, []string{"/body/structured"}, map[string]string{"/body/text": ump.Redacted}},
		{"UMP-2.7-5 all of the body", []string{"body.*"}, []string{"/body/structured"}, map[string]string{"/body/text": ump.Redacted}},
		{"UMP-2.7-5 provenance keeps its shape", []string{"provenance.actor", "provenance.source", "provenance.evidence[0].ref"}, []string{"/provenance/source", "/provenance/evidence/1"}, map[string]string{"/provenance/actor": ump.Redacted, "/provenance/evidence/0/ref": "e2"}},
		{"UMP-2.7-5 a member of an element is removed", []string{"body.structured.rows[0].b"}, []string{"/body/structured/rows/0/b", "/body/structured/seen"}, map[string]string{"/body/structured/rows/0/a": "1", "/body/structured/rows/1/a": "2"}},
		{"UMP-2.7-5 what is inside and what is around it", []string{"body.structured.rows", "body.structured.rows[1].a", "body.structured.rows[*]"}, []string{"/body/structured/rows"}, nil},
		{"UMP-2.7-5 provenance without actor_kind goes", []string{"provenance.actor_kind"}, []string{"/provenance"}, nil},
		{"UMP-2.7-5 provenance goes as a whole", []string{"provenance"}, []string{"/provenance"}, nil},
		{"UMP-2.7-5 the project goes", []string{"scope['project']", "time.observed"}, []string{"/scope/project", "/time/observed"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := redacted(t, c.paths...)
			v := parse(t, copied.Current)
			for _, pointer := range c.gone {
				if _, ok := v.At(pointer); ok {
					t.Errorf("%s is still there: %s", pointer, copied.Current)
				}
			}
			for pointer, want := range c.kept {
				if got, _ := v.At(pointer); got.Text() != want {
					t.Errorf("%s is %q, want %q", pointer, got.Text(), want)
				}
			}
			if got := v.Get("consent").Get("redact").Len(); got != len(c.paths) {
				t.Errorf("the copy names %d paths, want %d", got, len(c.paths))
			}
			if copied.ID == "" || copied.ID != mustDecode(t, string(copied.Current)).ID {
				t.Error("the id changed")
			}
		})
	}
}

func TestRedactKeys(t *testing.T) {
	r, err := ump.Author(mustDecode(t, strings.Replace(vaultNote, `"redact":[]`, `"redact":["body.structured.token"]`, 1)), ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("UMP-2.7-8 without a key the copy is not signed", func(t *testing.T) {
		copied, err := ump.Redact(r, nil)
		if err != nil || copied.Integrity != nil || parse(t, copied.Current).Has("integrity") {
			t.Errorf("%s, %v", copied.Current, err)
		}
	})
	t.Run("UMP-2.7-8 a copy without anything removed keeps its signature", func(t *testing.T) {
		r, err := ump.Author(mustDecode(t, vaultNote), ownerKey(t))
		if err != nil {
			t.Fatal(err)
		}
		copied, err := ump.Redact(r, nil)
		if err != nil || string(copied.Current) != string(r.Origin) {
			t.Errorf("%s, %v", copied.Current, err)
		}
	})
	t.Run("UMP-2.7-4 a policy that cannot be applied withholds the record", func(t *testing.T) {
		for _, path := range []string{"][", "id", "scope", "consent.redact", "*"} {
			consent := memory.Consent{Redact: []string{"body.structured.token", path}}
			stored := r // as an older or foreign store may hold it
			stored.Consent = &consent
			if _, err := ump.Redact(stored, ownerKey(t)); !errors.Is(err, ump.ErrWithheld) || memory.KindOf(err) != memory.ConsentViolation {
				t.Errorf("%s: error is %v, want ErrWithheld", path, err)
			}
		}
	})
}

func TestShell(t *testing.T) {
	r, err := ump.Author(mustDecode(t, strings.Replace(vaultNote, `"ump"`, `"x":"t-1234567","ump"`, 1)), ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Time.ValidTo = birthTime.Add(time.Hour)
	for _, key := range []bool{true, false} {
		signer := ownerKey(t)
		if !key {
			signer = nil
		}
		shell, err := ump.Shell(r, ump.Erased, signer)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("UMP-3.6-2 a shell is a tombstone", func(t *testing.T) {
			if shell.Lifecycle.Status != memory.Tombstoned || shell.Body.Text != ump.Erased || shell.ID != r.ID || !shell.Time.ValidTo.Equal(r.Time.ValidTo) {
				t.Errorf("the shell is %s", shell.Current)
			}
			if key != (shell.Integrity != nil) || key && ump.Verify(shell.Current) != nil {
				t.Errorf("integrity is %v, %v", shell.Integrity, ump.Verify(shell.Current))
			}
		})
		t.Run("UMP-2.7-2 nothing of the content is left", func(t *testing.T) {
			for _, secret := range []string{"spare key", "t-1234567", "entity:", "sess#1", "e1", "aimem"} {
				if shell.Origin != nil || strings.Contains(string(shell.Current), secret) {
					t.Errorf("%q is left in %s", secret, shell.Current)
				}
			}
		})
	}
	if r.Provenance.Source == nil || r.Relations == nil {
		t.Error("the record itself was changed")
	}
}

func TestExpiry(t *testing.T) {
	r := mustDecode(t, vaultNote)
	if at, ok := ump.Expiry(r); ok {
		t.Errorf("without retention it expires at %s", at)
	}
	t.Run("UMP-2.7-1 retention counts from created", func(t *testing.T) {
		r.Consent.Retention = "P1D"
		if at, ok := ump.Expiry(r); !ok || !at.Equal(birthTime.AddDate(0, 0, 1)) {
			t.Errorf("it expires at %s, %t", at, ok)
		}
	})
}

func TestDuplicateKey(t *testing.T) {
	one := mustDecode(t, `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":" Caf\u00e9\n at  nine ","structured":{"a":1.0,"b":2}},"scope":{"owner":"o"},"time":{"created":"2026-06-04T10:00:00Z"}}`)
	same := mustDecode(t, `{"ump":"0.1","id":"urn:ump:bbbb","kind":"semantic","body":{"text":"Cafe\u0301 at nine","structured":{"b":2,"a":1}},"scope":{"owner":"o","visibility":"private","agent":"x"},"time":{"created":"2026-07-04T10:00:00Z"}}`)
	t.Run("UMP-3.3-5 the same said again has the same key", func(t *testing.T) {
		if got := ump.MergeText(one.Body.Text); got != "Café at nine" {
			t.Errorf("MergeText is %q", got)
		}
		if ump.DuplicateKey(one) != ump.DuplicateKey(same) || len(ump.DuplicateKey(one)) != 64 {
			t.Errorf("%s and %s", ump.DuplicateKey(one), ump.DuplicateKey(same))
		}
	})
	t.Run("UMP-3.3-12 a merge drops nothing", func(t *testing.T) {
		for name, change := range map[string]func(*memory.Record){
			"owner":      func(r *memory.Record) { r.Scope.Owner = "p" },
			"user":       func(r *memory.Record) { r.Scope.User = "u" },
			"project":    func(r *memory.Record) { r.Scope.Project = "u" },
			"visibility": func(r *memory.Record) { r.Scope.Visibility = memory.Shared },
			"kind":       func(r *memory.Record) { r.Kind = memory.Identity },
			"structured": func(r *memory.Record) { r.Body.Structured = nil },
			"empty":      func(r *memory.Record) { r.Body.Structured = []byte(`{}`) },
			"text":       func(r *memory.Record) { r.Body.Text = "café at nine" },
		} {
			other := same
			change(&other)
			if ump.DuplicateKey(other) == ump.DuplicateKey(one) {
				t.Errorf("another %s has the same key", name)
			}
		}
	})
}
