package ump_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// mustDecode reads a record that is known to be valid.
func mustDecode(t testing.TB, form string) memory.Record {
	t.Helper()
	r, err := ump.Decode([]byte(form), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustAuthor(t testing.TB, draft string) memory.Record {
	t.Helper()
	d, err := ump.DecodeDraft([]byte(draft), codec.Options{Owner: ownerDID})
	if err != nil {
		t.Fatal(err)
	}
	d.Record.Time.Created = birthTime
	r, err := ump.Author(d.Record, ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAuthor(t *testing.T) {
	r := mustAuthor(t, `{"x":{"n":2.50},"body":{"text":"The gate squeaks.","mood":"calm"},"lifecycle":{"confidence":1.0}}`)
	t.Run("UMP-6.2-2 the id is 52 characters of base32", func(t *testing.T) {
		if !regexp.MustCompile(`^urn:ump:[a-z2-7]{52}$`).MatchString(string(r.ID)) || !ump.IsBirthID(r.Origin) {
			t.Errorf("id is %s", r.ID)
		}
	})
	t.Run("UMP-2-27 unknown members and spellings are inside the hash", func(t *testing.T) {
		if !strings.Contains(string(r.Origin), `"n":2.50`) || !strings.Contains(string(r.Origin), `"mood":"calm"`) || !strings.Contains(string(r.Origin), `"confidence":1.0`) {
			t.Errorf("born as %s", r.Origin)
		}
		if err := ump.Verify(r.Origin); err != nil {
			t.Error(err)
		}
	})
	t.Run("UMP-2-11 nothing is added that was not said", func(t *testing.T) {
		want := `{"ump":"0.1","id":"` + string(r.ID) + `","kind":"semantic","scope":{"owner":"` + string(ownerDID) + `","visibility":"private"},"time":{"created":"2026-06-04T10:00:00Z"},`
		if !strings.HasPrefix(string(r.Origin), want) {
			t.Errorf("born as %s, want it to begin with %s", r.Origin, want)
		}
	})
	t.Run("UMP-6.2-3 the same draft on another server has the same id", func(t *testing.T) {
		if again := mustAuthor(t, `{"lifecycle":{"confidence":1},"body":{"mood":"calm","text":"The gate squeaks."},"x":{"n":2.5}}`); again.ID != r.ID {
			t.Errorf("%s and %s", again.ID, r.ID)
		}
	})
	t.Run("UMP-2-3 an id that is given stays", func(t *testing.T) {
		if r := mustAuthor(t, `{"id":"urn:ump:brain:1","body":{"text":"x"}}`); r.ID != "urn:ump:brain:1" || ump.Verify(r.Origin) != nil {
			t.Errorf("%s: %v", r.ID, ump.Verify(r.Origin))
		}
	})
	t.Run("UD-6 without a key there is no integrity", func(t *testing.T) {
		d, _ := ump.DecodeDraft([]byte(`{"body":{"text":"x"}}`), codec.Options{Owner: "alice"})
		d.Record.Time.Created = birthTime
		r, err := ump.Author(d.Record, nil)
		if err != nil || r.Integrity != nil || parse(t, r.Origin).Has("integrity") {
			t.Errorf("%s, %v", r.Origin, err)
		}
	})
	t.Run("UMP-2.8-3 nobody but the owner signs", func(t *testing.T) {
		stranger := r
		stranger.Scope.Owner = "did:web:example.com"
		if _, err := ump.Author(stranger, ownerKey(t)); !errors.Is(err, ump.ErrSigner) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("UMP-2-12 a record is born private", func(t *testing.T) {
		open := r
		open.ID, open.Origin, open.Scope.Visibility = "", nil, ""
		open, err := ump.Author(open, nil)
		if v, _ := parse(t, open.Origin).At("/scope/visibility"); err != nil || v.Text() != "private" {
			t.Errorf("%s, %v", open.Origin, err)
		}
	})
	t.Run("UMP-2-16 nothing invalid is signed", func(t *testing.T) {
		wrong := r
		wrong.Time.ValidFrom, wrong.Time.ValidTo = birthTime, birthTime.Add(-time.Second)
		if _, err := ump.Author(wrong, ownerKey(t)); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("UMP-2-7 structured is an object in a record made by a program too", func(t *testing.T) {
		for _, raw := range []string{`[1]`, `{"a":1,"a":2}`, `{`} {
			wrong := r
			wrong.Body.Structured = []byte(raw)
			if _, err := ump.Author(wrong, nil); memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("%s: error is %v", raw, err)
			}
		}
	})
}

func TestRandomID(t *testing.T) {
	t.Run("UMP-6.2-1 a random id is 26 characters of base32", func(t *testing.T) {
		id, err := ump.RandomID(bytes.NewReader(bytes.Repeat([]byte{0xff}, 16)))
		if err != nil || id != "urn:ump:77777777777777777777777774" || !ump.ValidID(id) {
			t.Errorf("%s, %v", id, err)
		}
		if _, err := ump.RandomID(bytes.NewReader(make([]byte, 15))); err == nil {
			t.Error("too little randomness is enough")
		}
	})
}

func TestAmend(t *testing.T) {
	born := mustDecode(t, `{"y":1,"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"x"},"scope":{"owner":"`+string(ownerDID)+`","visibility":"private"},"time":{"created":"2026-06-04T12:00:00.0+02:00","valid_to":null},"superseded_by":[]}`)
	signed, err := ump.Author(born, ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	closed := signed
	closed.Time.ValidTo = birthTime.Add(time.Hour)
	closed.SupersededBy = []memory.ID{"urn:ump:bbbb"}

	t.Run("UMP-3.5-9 the engine's change is signed again, under the same id", func(t *testing.T) {
		r, err := ump.Amend(closed, ownerKey(t))
		if err != nil || ump.Verify(r.Current) != nil || r.ID != born.ID {
			t.Fatalf("%v, %v", err, ump.Verify(r.Current))
		}
		if !bytes.Equal(r.Origin, signed.Origin) || ump.Verify(r.Origin) != nil {
			t.Error("the origin changed")
		}
		v := parse(t, r.Current)
		if v.Get("y").Spelling() != "1" || v.Get("time").Get("created").Text() != "2026-06-04T12:00:00.0+02:00" ||
			v.Get("time").Get("valid_to").Text() != "2026-06-04T11:00:00Z" || v.Get("superseded_by").Len() != 1 {
			t.Errorf("the record is now %s", r.Current)
		}
		if *mustDecode(t, string(r.Current)).Integrity != *r.Integrity {
			t.Error("Integrity does not say what Current says")
		}
	})
	t.Run("UD-6 without a key a changed record has no integrity", func(t *testing.T) {
		r, err := ump.Amend(closed, nil)
		if err != nil || r.Integrity != nil || parse(t, r.Current).Has("integrity") {
			t.Errorf("%s, %v", r.Current, err)
		}
	})
	t.Run("UMP-2.8-3 nobody but the owner signs a change, and nothing invalid is signed", func(t *testing.T) {
		foreign := mustDecode(t, strings.Replace(string(born.Origin), string(ownerDID), "did:web:example.com", 1))
		foreign.Lifecycle.Status = memory.Tombstoned
		if _, err := ump.Amend(foreign, ownerKey(t)); !errors.Is(err, ump.ErrSigner) {
			t.Errorf("error is %v", err)
		}
		wrong := signed
		wrong.Lifecycle.Status = "gone"
		if _, err := ump.Amend(wrong, ownerKey(t)); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("error is %v", err)
		}
		if _, err := ump.Amend(memory.Record{}, nil); err == nil {
			t.Error("a record without a form is amended")
		}
	})
	t.Run("UD-6 what differs in nothing stays as it is", func(t *testing.T) {
		same := signed
		same.Time.Created = same.Time.Created.UTC()
		r, err := ump.Amend(same, nil)
		if err != nil || r.Current != nil || *r.Integrity != *signed.Integrity {
			t.Errorf("%s, %v", r.Current, err)
		}
	})
	t.Run("UD-6 what says again what was authored has no current form", func(t *testing.T) {
		r, err := ump.Amend(closed, ownerKey(t))
		if err != nil {
			t.Fatal(err)
		}
		r.Time.ValidTo, r.SupersededBy = time.Time{}, nil
		r, err = ump.Amend(r, nil)
		if err != nil || r.Current != nil || *r.Integrity != *signed.Integrity {
			t.Errorf("%s, %v", r.Current, err)
		}
	})
	t.Run("UD-6 one change follows another", func(t *testing.T) {
		r, err := ump.Amend(closed, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Lifecycle.Status = memory.Tombstoned
		if r, err = ump.Amend(r, nil); err != nil || parse(t, r.Current).Get("lifecycle").Get("status").Text() != "tombstoned" {
			t.Errorf("%s, %v", r.Current, err)
		}
	})
}

func TestEncode(t *testing.T) {
	form := `{"z":0,"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"x"},"scope":{"owner":"` + string(ownerDID) + `"},"time":{"created":"2026-06-04T12:00:00+02:00"},"relations":[{"type":"about","target":"entity:a","since":1}]}`
	r, err := ump.Author(mustDecode(t, form), ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("UD-6 an edit takes a stale signature away", func(t *testing.T) {
		edited := r
		edited.Body.Text = "y"
		got, err := ump.Encode(edited)
		if err != nil || parse(t, got).Has("integrity") || parse(t, got).Get("body").Get("text").Text() != "y" {
			t.Errorf("%s, %v", got, err)
		}
	})
	t.Run("UMP-2-27 an edit keeps what it does not touch", func(t *testing.T) {
		edited := r
		edited.Relations = append([]memory.Relation{}, append(r.Relations, memory.Relation{Type: "about", Target: "entity:b"})...)
		got, err := ump.Encode(edited)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := parse(t, got).At("/relations/0/since")
		second, _ := parse(t, got).At("/relations/1/target")
		if first.Spelling() != "1" || second.Text() != "entity:b" || parse(t, got).Get("z").Spelling() != "0" {
			t.Errorf("encoded as %s", got)
		}
	})
	t.Run("what no record can be is not encoded", func(t *testing.T) {
		if got, err := ump.Encode(memory.Record{}); memory.KindOf(err) != memory.Unsupported && memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%s, %v", got, err)
		}
	})
	t.Run("UMP-2-12 a new record says who may read it", func(t *testing.T) {
		fresh := r
		fresh.Origin, fresh.Integrity, fresh.Scope.Visibility = nil, nil, ""
		got, err := ump.Encode(fresh)
		if v, _ := parse(t, got).At("/scope/visibility"); err != nil || v.Text() != "private" {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestStrict(t *testing.T) {
	form := []byte(`{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","x":1,"body":{"text":"x","y":1,"structured":{"free":1}},"scope":{"owner":"alice","z":1},"time":{"created":"2026-06-04T10:00:00Z"},"relations":[{"type":"about","target":"entity:a","w":1}]}`)
	t.Run("UMP-2-27 unknown members are no violation", func(t *testing.T) {
		if found := ump.Violations(form, codec.Options{}); len(found) > 0 {
			t.Errorf("%v", found)
		}
	})
	var paths []string
	for _, e := range ump.Violations(form, codec.Options{Strict: true}) {
		paths = append(paths, e.Rule+" "+e.Path)
	}
	want := "UMP-2-27 /x UMP-2-27 /scope/z UMP-2-27 /body/y UMP-2-27 /relations/0/w UMP-2.2-2 /scope/owner UMP-2-24 /provenance"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("strict finds %s, want %s", got, want)
	}
}

func TestUnresolvableSigner(t *testing.T) {
	form := strings.ReplaceAll(string(mustAuthor(t, `{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":"user","method":"m"}}`).Origin), string(ownerDID), "did:web:example.com")
	t.Run("UMP-5.1-1 a signer that cannot be resolved is unusual, not wrong", func(t *testing.T) {
		if found := ump.Violations([]byte(form), codec.Options{}); len(found) > 0 {
			t.Errorf("found %v", found)
		}
		if found := ump.Violations([]byte(form), codec.Options{Strict: true}); len(found) != 1 || found[0].Kind != memory.Unsupported {
			t.Errorf("strictly found %v", found)
		}
	})
}

func TestLimits(t *testing.T) {
	form := `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"123456789"},"scope":{"owner":"alice","agent":"123456789"},"time":{"created":"2026-06-04T10:00:00Z"},"supersedes":["urn:ump:bbbbbbbbbbbbbbbbbbbbbbbb"]}`
	for path, lim := range map[string]codec.Limits{"/body/text": {Text: 8}, "/scope/agent": {Name: 8}, "/supersedes/0": {Name: 25}} {
		var paths []string
		for _, e := range ump.Violations([]byte(form), codec.Options{Limits: lim}) {
			paths = append(paths, e.Path)
		}
		if !strings.Contains(strings.Join(paths, " "), path) {
			t.Errorf("beyond %+v: %v, want one at %s", lim, paths, path)
		}
		if _, err := ump.Decode([]byte(form), codec.Options{Limits: codec.Limits{Text: 9, Name: 32}}); err != nil {
			t.Errorf("at the limit: %v", err)
		}
	}
}

func TestLeapSecond(t *testing.T) {
	r := mustDecode(t, `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"x"},"scope":{"owner":"o"},"time":{"created":"2016-12-31t23:59:60z"}}`)
	if want := time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC); !r.Time.Created.Equal(want) {
		t.Errorf("a leap second is %s, want %s", r.Time.Created, want)
	}
}

func TestTimesThatCannotBeKept(t *testing.T) {
	for said, want := range map[string]string{
		"0001-01-01T00:00:00Z": "outside", "0000-06-01T00:00:00Z": "outside", "0001-01-01T00:00:00+01:00": "outside",
		"9999-12-31T23:59:59-01:00": "outside", "0001-01-01T00:00:01Z": "", "9999-12-31T23:59:59Z": "", "2026-06-04": "RFC 3339", "soon": "RFC 3339", "2026-06-04T10:00:00": "RFC 3339",
	} {
		form := `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"x"},"scope":{"owner":"o"},"time":{"created":"` + said + `"}}`
		_, err := ump.Decode([]byte(form), codec.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", said, err)
		}
	}
}

func TestAuthorTimesThatCannotBeKept(t *testing.T) {
	whole := mustDecode(t, vaultNote)
	whole.Origin = nil
	for i, year := range []int{0, 1, 9999, 10_000} {
		at := time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		for name, set := range map[string]func(*memory.Times){
			"created": func(x *memory.Times) { x.Created = at }, "observed": func(x *memory.Times) { x.Observed = at },
			"valid_from": func(x *memory.Times) { x.ValidFrom = at }, "valid_to": func(x *memory.Times) { x.ValidTo = at },
		} {
			r := whole
			r.Time = memory.Times{Created: at}
			set(&r.Time)
			_, err := ump.Author(r, nil)
			if bad := i%3 == 0; (err != nil) != bad || bad && memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("UMP-2-16 %s in the year %d: %v", name, year, err)
			}
		}
	}
}

func TestFileName(t *testing.T) {
	for id, want := range map[memory.ID]string{"urn:ump:a": "a.ump.md", "urn:ump:a:b~c": "a%3Ab~c.ump.md", "urn:ump:nul": "%6Eul.ump.md", "urn:ump:com1.b": "%63om1.b.ump.md", "urn:ump:Nul": "%4Eul.ump.md", "urn:ump:../a": "", "a": ""} {
		if got, err := ump.FileName(id); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is in %q, %v; want %q", id, got, err, want)
		}
	}
	long := strings.Repeat("a", 240)
	seen := map[string]memory.ID{}
	for _, rest := range []string{
		"note", "Note", "NOTE", "note:1", "note~1", long, long + "bbbbbbbb", long + "bbbbbbbbb", long + "bbbbbbbbbbbbbbb", long + "bbbbbbbbbbbbbbB",
		strings.Repeat("A", 255), strings.Repeat("A", 254) + "a", strings.Repeat("a:", 127),
	} {
		name, err := ump.FileName(memory.ID("urn:ump:" + rest))
		if err != nil || len(name) > 255 || !strings.HasSuffix(name, ".ump.md") {
			t.Errorf("%s is in %q (%d bytes), %v", rest, name, len(name), err)
		}
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%s and %s are in one file where case does not count: %s", rest, other, name)
		}
		seen[strings.ToLower(name)] = memory.ID(rest)
	}
}

func TestLevel2(t *testing.T) {
	r := mustAuthor(t, `{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":"import","method":"m","source":{"provider":"p"}}}`)
	if err := ump.CheckLevel2(r); err != nil {
		t.Fatal(err)
	}
	t.Run("UMP-2.6-4 an import names its provider", func(t *testing.T) {
		for _, source := range []*memory.Source{nil, {Ref: "x"}} {
			wrong, p := r, *r.Provenance
			p.Source = source
			wrong.Provenance = &p
			if err := ump.CheckLevel2(wrong); memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("error is %v", err)
			}
		}
	})
	t.Run("UMP-2.6-3 provenance is required", func(t *testing.T) {
		wrong := r
		wrong.Provenance = nil
		if err := ump.CheckLevel2(wrong); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("UMP-2.2-2 the owner is a DID", func(t *testing.T) {
		for owner, want := range map[memory.DID]bool{"did:web:x": true, "did:key:z6M": true, "did:a1:b:c": true, "alice": false, "did:": false, "did:web": false, "did:web:": false, "did:WEB:x": false, "did::x": false, "": false, "urn:did:web:x": false} {
			other := r
			other.Scope.Owner = owner
			if err := ump.CheckLevel2(other); (err == nil) != want {
				t.Errorf("%q: error is %v", owner, err)
			}
		}
	})
}

func TestEvidence(t *testing.T) {
	t.Run("UMP-2.6-5 evidence keeps its order", func(t *testing.T) {
		r := mustAuthor(t, `{"body":{"text":"a"},"provenance":{"actor":"a","actor_kind":"user","method":"m","evidence":[{"ref":"c"},{"ref":"a"},{"ref":"b"}]}}`)
		for name, r := range map[string]memory.Record{"authored": r, "read": mustDecode(t, string(r.Form()))} {
			r.Origin = nil
			form, err := ump.Encode(r)
			if err != nil || !strings.Contains(string(form), `"evidence":[{"ref":"c"},{"ref":"a"},{"ref":"b"}]`) {
				t.Errorf("%s: %s, %v", name, form, err)
			}
		}
	})
}

func TestRelationTypes(t *testing.T) {
	t.Run("UMP-2.5-2 five types are reserved", func(t *testing.T) {
		got := []string{memory.About, memory.Contradicts, memory.DependsOn, memory.DerivedFrom, memory.DuplicateOf}
		if strings.Join(got, " ") != "about contradicts depends_on derived_from duplicate_of" {
			t.Errorf("they are %v", got)
		}
	})
}

func TestErrorsKeepContent(t *testing.T) {
	t.Run("UMP-3.7-6 errors do not repeat content", func(t *testing.T) {
		const secret = "swordfish"
		for _, form := range []string{
			`{"ump":"swordfish","id":"swordfish","kind":"swordfish","body":{"text":"swordfish","structured":"swordfish"},"scope":{"owner":5,"visibility":"swordfish"},"time":{"created":"swordfish"}}`,
			`{"body":{"text":"swordfish"},"consent":{"retention":"swordfish","redact":["swordfish["]},"lifecycle":{"status":"swordfish"},"relations":[{"type":"a","target":"swordfish"}]}`,
			`{"body":{"text":"swordfish`, `{"body":"swordfish" "`, "{\"body\":{\"text\":\"swordfish\xff\"}}",
		} {
			for _, e := range ump.Violations([]byte(form), codec.Options{Strict: true}) {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("%v", e)
				}
			}
			_, err := ump.DecodeDraft([]byte(form), codec.Options{})
			if err == nil || strings.Contains(err.Error(), secret) || bytes.Contains(ump.ErrorEnvelope(err), []byte(secret)) {
				t.Errorf("%v", err)
			}
		}
	})
}
