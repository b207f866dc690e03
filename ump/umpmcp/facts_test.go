package umpmcp

import (
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

// A model is shown the same of a record as of its document.
func TestFacts(t *testing.T) {
	for name, form := range map[string]string{
		"shared, with every time": `{"ump":"0.1","id":"urn:ump:a","kind":"episodic","scope":{"owner":"did:key:x","visibility":"shared","project":"orchard"},` +
			`"time":{"created":"2026-01-02T00:00:00Z","observed":"2026-01-03T23:59:59-11:00","valid_from":"2026-01-04T00:30:00+05:30","valid_to":"2026-02-01T00:00:00+14:00"},` +
			`"body":{"text":"pears <b> \u200b"},"lifecycle":{"status":"candidate"}}`,
		"private, observed": `{"ump":"0.1","id":"urn:ump:b","kind":"semantic","scope":{"owner":"did:key:x","visibility":"private"},` +
			`"time":{"created":"2026-01-02T00:00:00Z","observed":"2026-01-03t01:00:00.5z"},"body":{"text":"plums"},"lifecycle":{"status":"tombstoned"}}`,
		"created": `{"ump":"0.1","id":"urn:ump:c","kind":"identity","scope":{"owner":"did:key:x"},"time":{"created":"2026-12-31T23:00:00-08:00"},"body":{"text":"nuts"}}`,
	} {
		record, err := ump.DecodeForm([]byte(form), codec.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		document, err := canon.Parse([]byte(form), canon.Options{Bytes: int64(len(form))})
		if err != nil {
			t.Fatal(name, err)
		}
		if got, want := hitOf(factsOf(&record), "did:key:y").header("1"), hitOf(factsIn(document), "did:key:y").header("1"); ump.FrameLine(got...) != ump.FrameLine(want...) || record.Body.Text != factsIn(document).text {
			t.Errorf("%s: %v, as a document %v", name, got, want)
		}
	}
}
