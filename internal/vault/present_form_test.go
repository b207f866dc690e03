package vault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/ump"
)

// whole is a record with every member there is, and with one that nobody knows.
const whole = `{
	"ump": "0.1", "id": "urn:ump:abcdefgh", "kind": "semantic",
	"body": {"text": "the bridge is of basalt", "structured": {"satchel": {"mine": 1}, "other": [1, 2]}, "x_body": 1},
	"scope": {"owner": "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z", "user": "u", "project": "p", "agent": "a", "session": "s", "visibility": "private"},
	"time": {"created": "2026-06-04T10:00:00Z", "observed": "2026-06-04T10:00:00Z", "valid_from": "2026-06-04T10:00:00Z", "valid_to": "2026-08-04T10:00:00Z"},
	"lifecycle": {"confidence": 0.5, "salience": 0.5, "decay": "none", "status": "active"},
	"supersedes": ["urn:ump:old22222"], "superseded_by": ["urn:ump:next2222"],
	"relations": [{"type": "about", "target": "entity:bridge"}],
	"provenance": {"actor": "ada", "actor_kind": "user", "method": "said", "evidence": [{"ref": "e"}], "source": {"ref": "r", "provider": "p"}},
	"consent": {"exportable": true, "redact": ["body.structured.other"], "retention": "P1Y"},
	"x_unknown": {"a": 1}
}`

// TestOnlyEngineChanged: what may differ between what an owner signed and an unsigned
// present form, and that nothing else may, member by member (decision UD-6).
func TestOnlyEngineChanged(t *testing.T) {
	const bury = `"lifecycle":{"status":"tombstoned"}`
	const forgotten = `"body":{"structured":{"satchel":{"forgotten":{"at":"2026-06-05T10:00:00Z","reason":"outdated"}}}}`
	for _, c := range []struct {
		name, patch string
		sound       bool
	}{
		{"nothing", `{}`, true},
		{"closed earlier", `{"time":{"valid_to":"2026-07-04T10:00:00Z"}}`, true},
		{"closed later", `{"time":{"valid_to":"2026-09-04T10:00:00Z"}}`, false},
		{"opened", `{"time":{"valid_to":null}}`, false},
		{"superseded", `{"superseded_by":["urn:ump:next2222","urn:ump:more2222"]}`, true},
		{"superseded no more", `{"superseded_by":null}`, true},
		{"tombstoned", `{` + bury + `}`, true},
		{"tombstoned, and why", `{` + bury + `,` + forgotten + `}`, true},
		{"why, and not tombstoned", `{` + forgotten + `}`, false},
		{"a candidate", `{"lifecycle":{"status":"candidate"}}`, false},
		{"a relation more", `{"relations":[{"type":"about","target":"entity:bridge"},{"type":"about","target":"entity:river"}]}`, true},
		{"a relation before", `{"relations":[{"type":"about","target":"entity:river"},{"type":"about","target":"entity:bridge"}]}`, false},
		{"another relation", `{"relations":[{"type":"about","target":"entity:river"}]}`, false},
		{"a relation less", `{"relations":null}`, false},
		{"text", `{"body":{"text":"the bridge is of wood"}}`, false},
		{"text of a tombstone", `{` + bury + `,"body":{"text":"[erased]"}}`, false},
		{"structured", `{"body":{"structured":{"other":[1]}}}`, false},
		{"structured gone", `{"body":{"structured":null}}`, false},
		{"structured of a tombstone", `{` + bury + `,"body":{"structured":{"satchel":{"mine":2}}}}`, false},
		{"unknown in the body", `{"body":{"x_body":2}}`, false},
		{"new in the body", `{"body":{"x_new":2}}`, false},
		{"id", `{"id":"urn:ump:abcdefgg"}`, false},
		{"edition", `{"ump":"1.0"}`, false},
		{"kind", `{"kind":"identity"}`, false},
		{"owner", `{"scope":{"owner":"did:key:z6MkmNL6xksdEJENGk9Z1qqGsY5njKQdjU1UhnUEUvWyQUVX"}}`, false},
		{"user", `{"scope":{"user":"v"}}`, false},
		{"project", `{"scope":{"project":"q"}}`, false},
		{"agent", `{"scope":{"agent":null}}`, false},
		{"session", `{"scope":{"session":"t"}}`, false},
		{"visibility", `{"scope":{"visibility":"public"}}`, false},
		{"created", `{"time":{"created":"2026-06-04T10:00:01Z"}}`, false},
		{"observed", `{"time":{"observed":"2026-06-03T10:00:00Z"}}`, false},
		{"valid from", `{"time":{"valid_from":"2026-06-05T10:00:00Z"}}`, false},
		{"confidence", `{"lifecycle":{"confidence":1}}`, false},
		{"salience", `{"lifecycle":{"salience":1}}`, false},
		{"decay", `{"lifecycle":{"decay":null}}`, false},
		{"supersedes", `{"supersedes":["urn:ump:other222"]}`, false},
		{"supersedes nothing", `{"supersedes":null}`, false},
		{"actor", `{"provenance":{"actor":"bob"}}`, false},
		{"method", `{"provenance":{"method":"guessed"}}`, false},
		{"evidence", `{"provenance":{"evidence":[{"ref":"e"},{"ref":"f"}]}}`, false},
		{"source", `{"provenance":{"source":null}}`, false},
		{"provenance", `{"provenance":null}`, false},
		{"exportable", `{"consent":{"exportable":false}}`, false},
		{"redact", `{"consent":{"redact":null}}`, false},
		{"retention", `{"consent":{"retention":"P2Y"}}`, false},
		{"consent", `{"consent":null}`, false},
		{"unknown", `{"x_unknown":{"a":2}}`, false},
		{"new", `{"x_new":1}`, false},
	} {
		t.Run("UMP-6.1-4 "+c.name, func(t *testing.T) {
			err := vault.OnlyEngineChanged([]byte(whole), patched(t, whole, c.patch))
			if c.sound && err != nil || !c.sound && !errors.Is(err, vault.ErrBeyondEngine) {
				t.Errorf("got %v, sound: %v", err, c.sound)
			}
		})
	}
	schema := parsed(t, string(ump.ResponseSchema(ump.OpGet))).Get("properties").Get("record")
	everyMember(t, schema, parsed(t, whole), "") // so that none was left out above
}

// everyMember checks that a record has each member that its schema names.
func everyMember(t *testing.T, schema, record canon.Value, base string) {
	t.Helper()
	for _, m := range schema.Get("properties").Members() {
		path, held := base+"/"+m.Name, record.Get(m.Name)
		if held.Type() == canon.TypeUndefined && !strings.HasPrefix(path, "/integrity") {
			t.Errorf("the record has no %s", path)
		}
		everyMember(t, m.Value, held, path)
	}
}

// TestOnlyEngineChangedOfLittle: a record that says as little as it may.
func TestOnlyEngineChangedOfLittle(t *testing.T) {
	const little = `{"ump":"0.1","id":"urn:ump:abcdefgh","kind":"semantic","body":{"text":"x"},` +
		`"scope":{"owner":"did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z","visibility":"private"},` +
		`"time":{"created":"2026-06-04T10:00:00Z","valid_to":null}}`
	for name, patch := range map[string]string{
		"tombstoned": `{"lifecycle":{"status":"tombstoned"},"time":{"valid_to":"2026-07-04T10:00:00Z"},` +
			`"body":{"structured":{"satchel":{"forgotten":{"reason":"outdated"}}}}}`,
		"superseded": `{"superseded_by":["urn:ump:next2222"],"time":{"valid_to":"2026-07-04T10:00:00Z"}}`,
	} {
		if err := vault.OnlyEngineChanged([]byte(little), patched(t, little, patch)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := vault.OnlyEngineChanged([]byte(little), []byte("{")); err == nil {
		t.Error("what cannot be read is sound")
	}
}

func parsed(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func patched(t *testing.T, form, patch string) []byte {
	t.Helper()
	return canon.MergePatch(parsed(t, form), parsed(t, patch)).Append(nil)
}
