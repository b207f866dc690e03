package ump_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestDraftNulls(t *testing.T) {
	for _, c := range []struct{ name, draft, left string }{
		{"every member of a record",
			`{"ump":null,"id":null,"kind":null,"scope":null,"time":null,"lifecycle":null,"supersedes":null,"superseded_by":null,"relations":null,"provenance":null,"consent":null,"integrity":null,"body":{"text":"x","structured":null}}`,
			`{"body":{"text":"x"}}`},
		{"every member of its parts",
			`{"body":{"text":"x"},"scope":{"owner":null,"user":null,"project":"p","agent":null,"session":null,"visibility":null},"time":{"created":null,"observed":null,"valid_from":null,"valid_to":null},` +
				`"lifecycle":{"confidence":null,"salience":1,"decay":null,"status":null},"consent":{"retention":null,"exportable":null,"redact":[]},` +
				`"provenance":{"actor":"a","actor_kind":"user","method":"m","source":{"ref":null,"provider":"p"},"evidence":[{"ref":"e","weight":null},{"ref":"f","weight":1}]}}`,
			`{"body":{"text":"x"},"scope":{"project":"p"},"time":{"valid_to":null},"lifecycle":{"salience":1},"consent":{"redact":[]},` +
				`"provenance":{"actor":"a","actor_kind":"user","method":"m","source":{"provider":"p"},"evidence":[{"ref":"e"},{"ref":"f","weight":1}]}}`},
		{"parts that say nothing at all",
			`{"body":{"text":"x"},"scope":{"owner":null},"lifecycle":{"decay":null},"consent":{"redact":null},"provenance":{"actor":null,"actor_kind":null,"method":null,"source":{"ref":null,"provider":null},"evidence":null}}`,
			`{"body":{"text":"x"}}`},
		{"but not of members nobody knows",
			`{"x":null,"body":{"text":"x","structured":{"a":null},"y":null},"scope":{"z":null},"consent":{}}`,
			`{"x":null,"body":{"text":"x","structured":{"a":null},"y":null},"scope":{"z":null},"consent":{}}`},
	} {
		t.Run("UMP-3.3-2 null says that it is left out: "+c.name, func(t *testing.T) {
			d, err := ump.DecodeDraft([]byte(c.draft), codec.Options{Owner: ownerDID})
			if err != nil || string(d.Record.Origin) != c.left || d.Complete {
				t.Fatalf("%v: it is taken as %s, want %s", err, d.Record.Origin, c.left)
			}
			if r := d.Record; r.Kind != memory.Semantic || r.Scope.Owner != ownerDID || r.Scope.Visibility != memory.Private {
				t.Errorf("it is not filled in: %+v", r)
			}
			d.Record.Time.Created = birthTime
			if _, err := ump.Author(d.Record, ownerKey(t)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("UMP-3.3-9 null where something is needed is refused", func(t *testing.T) {
		for path, body := range map[string]string{
			"/body":                      `{"body":null}`,
			"/body/text":                 `{"body":{"text":null,"structured":null}}`,
			"/relations/0/target":        `{"body":{"text":"x"},"relations":[{"type":"about","target":null}]}`,
			"/provenance/evidence/0/ref": `{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":"user","method":"m","evidence":[{"ref":null}]}}`,
		} {
			_, err := ump.DecodeDraft([]byte(body), codec.Options{Owner: ownerDID})
			if e, ok := err.(*codec.ParseError); !ok || e.Path != path {
				t.Errorf("%s: %v", body, err)
			}
		}
		_, err := ump.DecodeDraft([]byte(`{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":null,"method":"m"}}`), codec.Options{Owner: ownerDID})
		if memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("half a provenance: %v", err)
		}
	})
	t.Run("UMP-3.3-4 nothing is dropped from a signed record", func(t *testing.T) {
		form := string(mustAuthor(t, `{"body":{"text":"x"}}`).Origin)
		for _, draft := range []string{form, strings.Replace(form, `"time":{`, `"time":{"valid_to":null,`, 1), strings.Replace(form, `{"ump"`, `{"own":null,"ump"`, 1)} {
			d, err := ump.DecodeDraft([]byte(draft), codec.Options{Owner: ownerDID})
			if err != nil || !d.Complete || string(d.Record.Origin) != draft {
				t.Errorf("%v: it is taken as %s", err, d.Record.Origin)
			}
		}
		if _, err := ump.DecodeDraft([]byte(strings.Replace(form, `{"ump"`, `{"lifecycle":null,"ump"`, 1)), codec.Options{Owner: ownerDID}); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("null in a signed record: %v", err)
		}
	})
	t.Run("null in a stored record is no absence", func(t *testing.T) {
		form := strings.Replace(string(mustAuthor(t, `{"body":{"text":"x"}}`).Origin), `{"ump"`, `{"lifecycle":null,"ump"`, 1)
		if _, err := ump.Decode([]byte(form), codec.Options{}); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%v", err)
		}
	})
}

func TestRequestNulls(t *testing.T) {
	f := &fake{}
	t.Run("UMP-3.2-1 null in the scope of a recall is as good as absent", func(t *testing.T) {
		for _, scope := range []string{`{"owner":null,"user":null,"project":null,"agent":null,"session":null,"visibility":null}`, `{"project":"p","user":null,"visibility":null}`} {
			want(t, f, ump.OpRecall, `{"query":"x","scope":`+scope+`}`, `{"results":[]}`)
		}
		if f.query.Scope != (memory.Scope{Project: "p"}) {
			t.Errorf("asked %+v", f.query)
		}
	})
	t.Run("UMP-3.3-2 null in a draft that is remembered", func(t *testing.T) {
		want(t, f, ump.OpRemember, `{"record":{"body":{"text":"x","structured":null},"kind":null,"scope":null}}`, `{"id":"urn:ump:new","result":"created"}`)
		if string(f.draft.Record.Origin) != `{"body":{"text":"x"}}` {
			t.Errorf("offered %s", f.draft.Record.Origin)
		}
	})
	t.Run("null in what is optional to forget", func(t *testing.T) {
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"other","note":null,"hard":null,"chain":null}`, `{"result":"tombstoned"}`)
	})
	t.Run("null as the view", func(t *testing.T) {
		f.record = mustDecode(t, vaultNote)
		if _, err := call(f, ump.OpGet, `{"id":"urn:ump:aaaa","view":null}`); err != nil || f.view != memory.CurrentView {
			t.Errorf("%v, %s", err, f.view)
		}
	})
	t.Run("null in a patch takes a member away", func(t *testing.T) {
		want(t, f, ump.OpRevise, `{"id":"urn:ump:aaaa","patch":{"lifecycle":null,"scope":{"project":null}}}`, `{"id":"urn:ump:new","supersedes":["urn:ump:aaaa"]}`)
		if string(f.revision.Patch) != `{"lifecycle":null,"scope":{"project":null}}` {
			t.Errorf("asked for %s", f.revision.Patch)
		}
	})
}
