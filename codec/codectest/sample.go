package codectest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

const (
	canary        = "canary-7f3a" // in the sample text; no error may repeat it
	sampleOwner   = memory.DID("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z")
	sampleID      = memory.ID("urn:ump:j5x4b2migzhct3ltgdobq2tdxdoo2yubwudlscl4cfevwvoill3q")
	sampleOtherID = memory.ID("urn:ump:hrrkpwjcm5qney7tdtmigrexzbogjfmmbkhxbs4ahor3qwiozsgq")
)

var sampleTime = time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)

// sample holds two values of a field that are both valid in the sample record.
type sample struct {
	one, two any
	// needed: the format refuses a record without the field, or an empty field means the
	// same as one of the values.
	needed bool
}

// samples has an entry for every field of memory.Record that holds a value, by its pointer
// in UMP; "*" is any element.
func samples() map[string]sample {
	at := func(hours int) time.Time { return sampleTime.Add(time.Duration(hours) * time.Hour) }
	return map[string]sample{
		"/ump":                          {one: "0.1", two: "1.0", needed: true},
		"/id":                           {one: string(sampleID), two: "urn:ump:brain:Note-1~a.b_c", needed: true},
		"/kind":                         {one: "semantic", two: "procedural", needed: true},
		"/body/text":                    {one: "The garden gate is locked at night. " + canary, two: "Ünïcödé 中文 🤖 kept as it is. " + canary, needed: true},
		"/body/structured":              {one: json.RawMessage(`{"gate":{"open":false}}`), two: json.RawMessage(`{"gate":[true,null,"x",0.5]}`)},
		"/scope/owner":                  {one: string(sampleOwner), two: "did:web:example.com", needed: true},
		"/scope/user":                   {one: "did:web:one.example", two: "did:web:two.example"},
		"/scope/project":                {one: "github.com/example/garden", two: "yes"},
		"/scope/agent":                  {one: "planner", two: "123"},
		"/scope/session":                {one: "sess_1", two: "2026-06-04"},
		"/scope/visibility":             {one: "private", two: "shared", needed: true},
		"/time/created":                 {one: at(0), two: at(-1), needed: true},
		"/time/observed":                {one: at(-2), two: at(-3).Add(time.Nanosecond)},
		"/time/valid_from":              {one: at(-4), two: at(-5).Add(time.Millisecond)},
		"/time/valid_to":                {one: at(40_000), two: at(50_000)},
		"/lifecycle/confidence":         {one: 0.75, two: 0.0},
		"/lifecycle/salience":           {one: 0.5, two: 1.0},
		"/lifecycle/decay":              {one: "half_life:P90D", two: "none"},
		"/lifecycle/status":             {one: "active", two: "candidate"},
		"/supersedes/*":                 {one: string(sampleOtherID), two: "urn:ump:aa"},
		"/superseded_by/*":              {one: "urn:ump:bb", two: "urn:ump:cc"},
		"/relations/*/type":             {one: "about", two: "x-near", needed: true},
		"/relations/*/target":           {one: "entity:gate", two: "urn:ump:dd", needed: true},
		"/provenance/actor":             {one: string(sampleOwner), two: "gardener", needed: true},
		"/provenance/actor_kind":        {one: "user", two: "agent", needed: true},
		"/provenance/method":            {one: "stated", two: "user_correction", needed: true},
		"/provenance/source/ref":        {one: "sess_1#turn_2", two: "sess_1#turn_3"},
		"/provenance/source/provider":   {one: "notebook", two: "diary"},
		"/provenance/evidence/*/ref":    {one: "sess_1#turn_2", two: "sess_1#turn_4", needed: true},
		"/provenance/evidence/*/weight": {one: 1.0, two: 0.25},
		"/consent/retention":            {one: "P36500D", two: "P100Y"},
		"/consent/exportable":           {one: true, two: false},
		"/consent/redact/*":             {one: "body.structured.gate", two: "relations[0]"},
		"/integrity/content_hash":       {one: "blake3:jd7lvor6nytwa35tfffac6lj4uztalwi2y6eg5fauava27j2esbq", two: "blake3:3zrubnxbri54ufojdscjodjogk7pyh23ucverg6u5ujkkdk4lffa", needed: true},
		"/integrity/signature":          {one: "ed25519:78Zw0n1pJDZ0YDO2HyvHLwXm5YCkIwK+EYokDUbyc/6PlFxrA8P1Abumn1/cy2FTjeGxj5y5WQvI2XCynwZ/Ag==", two: "ed25519:88hKjhUbWfE0sa9xlshXq1qPDTDcV2Bkz22J1Fz90dusn6sFfK4zvx766BtRWOYVVROOAJEzXPUfdBoKobj9Aw==", needed: true},
		"/integrity/signer":             {one: string(sampleOwner), two: "did:web:example.com", needed: true},
	}
}

// texts returns texts that a careless format damages: by trimming or escaping, or by
// mistaking them for its own marks.
func texts() []string {
	return []string{
		"a", "ends with a line\n", "\n\nbegins with two", "  indented", "trailing  ", "\t", "a\r\nb", "a\rb", "a\n\n\nb",
		"---", "above\n---\nbelow", "# heading", "key: value", "a|b|c", `a\|b\\`, `{"a":1}`, "[a]", "null", "true", "0.10", "@X", "'", `"`, `\`, `\n`, "%41", "&amp;", "<b>",
		"nul \x00 bell \x07 del \x7f", "next \u0085 line \u2028 paragraph \u2029", "\ufeffmark", "\u00a0hard\u00a0", "中文 🤖 e\u0301 \u202e", "\uffff",
	}
}

// full returns a record with a value in every field but integrity.
func full(t *testing.T) memory.Record {
	t.Helper()
	r := everything(t)
	r.Integrity = nil
	return r
}

func everything(t *testing.T) memory.Record {
	t.Helper()
	var r memory.Record
	for pointer, s := range samples() {
		set(t, &r, pointer, s.one)
	}
	return r
}
