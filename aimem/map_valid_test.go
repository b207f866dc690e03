package aimem

import (
	"bytes"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestWrittenIsValid: whatever records say, who reads the bundle made of them finds
// no fault. A manifest may be anybody's writing.
func TestWrittenIsValid(t *testing.T) {
	embedded := bytes.Replace(plainBundle(t), []byte(`"content":"Lives`), []byte(`"embedding":"AAAAAA==","content":"Lives`), 1)
	embedded = bytes.Replace(embedded, []byte(`"scope":`), []byte(`"embedding_dim":1,"embedding_model":"m","scope":`), 1)
	for name, edit := range map[string][2]string{
		"the time of a chunk":           {`"created_at":"2026-04-01T09:30:00.000Z"`, `"created_at":"2026-04-01T9:30:00.000Z"`},
		"an embedding":                  {`"data":"AAAAAA=="`, `"data":"AAAA\nAA=="`},
		"the time of an edge":           {`"created_at":"2026-04-15T08:00:00Z"`, `"created_at":"2026-04-15T8:00:00Z"`},
		"the time of an entity":         {`"created_at":"2026-04-01T09:30:00Z","id":"urn:aimem:prod-a:e2"`, `"created_at":"2026-04-01T9:30:00Z","id":"urn:aimem:prod-a:e2"`},
		"the weight of an edge":         {`"weight":0.5`, `"weight":1.5`},
		"the kind of an entity":         {`"kind":"person"`, `"kind":"persona"`},
		"the tenant":                    {`"tenant_id":"11111111-1111-1111-1111-111111111111"`, `"tenant_id":"1x:y"`},
		"the time of the export":        {`"exported_at":"2026-06-12T10:00:00Z"`, `"exported_at":"2026-06-12T1:00:00Z"`},
		"since when":                    {`"scope":"FULL"`, `"scope":"SINCE","since":"yesterday"`},
		"the dimension of embeddings":   {`"embedding_dim":1`, `"embedding_dim":1.5`},
		"the model of embeddings":       {`"embedding_model":"m"`, `"embedding_model":["m"]`},
		"an entity in a link of no URN": {`"entity_id":"urn:aimem:prod-a:e1"`, `"entity_id":7`},
	} {
		t.Run(name, func(t *testing.T) {
			records, _ := toRecords(t, bundle(t, embedded))
			edited := 0
			for i, r := range records {
				body := strings.Replace(string(r.Body.Structured), edit[0], edit[1], 1)
				if body == string(r.Body.Structured) {
					continue
				}
				edited++
				r.ID, r.Origin, r.Current, r.Body.Structured = "", nil, nil, []byte(body)
				var err error
				if records[i], err = ump.Author(r, nil); err != nil {
					t.Fatal(err)
				}
			}
			if edited != 1 {
				t.Fatalf("%d records say %s", edited, edit[0])
			}
			written, _ := toBundle(t, records...)
			faultless(t, written)
		})
	}
	t.Run("an owner who is no URI", func(t *testing.T) {
		r := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "Uses tabs."}, Time: memory.Times{Created: testNow}}
		r.Scope.Owner = "1x:y"
		r, err := ump.Author(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		written, _ := toBundle(t, r)
		faultless(t, written)
	})
}

func faultless(t *testing.T, b held) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, b, b.sum(t)); err != nil {
		t.Fatal(err)
	}
	src := codec.Source{File: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}
	if err := Validate(src, Options{ForeignIDs: true}, func(f *Fault) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
}
