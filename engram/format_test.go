package engram_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ownKey is the key whose seed is 32 times 3.
func ownKey() keys.Private {
	key, err := keys.FromSeed(bytes.Repeat([]byte{3}, 32))
	if err != nil {
		panic(err)
	}
	return key
}

// TestFormat runs what every format has to stand.
func TestFormat(t *testing.T) {
	key := ownKey()
	codectest.Suite{
		Format:    engram.Format(ump.Forms()),
		Options:   codec.Options{Owner: key.DID()},
		Documents: []codectest.Document{{Name: "an export of another's", Data: []byte(foreignExport)}},
		Sign: func(r memory.Record) (memory.Record, error) {
			r.Scope.Owner = key.DID()
			return ump.Author(r, &key)
		},
	}.Run(t)
}

// foreignExport is an export of a store that knows nothing of records.
const foreignExport = `{"engram_version":"0.1","issued_at":"2026-05-01T08:00:00Z","expires_at":"2026-05-01T20:00:00Z","kid":"k1",
"issuer":{"name":"Garden","url":"https://garden.example"},"subject":{"id":"did:web:rosa.example"},"scope":"full","x_note":1.50,
"signature":"AAAA","identity":{"display_name":"Rosa","timezone":"Europe/Berlin","x_pets":["cat"]},
"beliefs":[
{"id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01","category":"communication","key":"letters","value":"by hand","confidence":0.70,"source":"inferred","status":"active","created_at":"2026-01-02T03:04:05+01:00","stale_after_days":30,"tags":[],"x_mood":{"n":1.0}},
{"id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b02","category":"travel","key":"seat","value":"window","confidence":1,"source":"corrected","status":"archived","created_at":"2026-02-02T00:00:00Z"},
{"id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b03","status":"deleted","deleted_at":"2026-03-01T00:00:00Z"}],
"evolution":[
{"id":"1b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b02","belief_id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b02","old_value":"aisle","new_value":"window","changed_at":"2026-03-02T00:00:00Z","trigger":"expiry","note":"n"},
{"id":"1b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01","belief_id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01","old_value":"by post","new_value":"by hand","changed_at":"2026-02-01T00:00:00Z","trigger":"user_correction","context":"c"}],
"corrections":[
{"id":"2b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01","belief_id":"0b0c7a0e-58f1-4c5f-9a0e-0d6d6f0a1b01","corrected_by":"runtime","corrected_at":"2026-04-01T00:00:00Z","old_value":"by hand","new_value":"by carrier pigeon","method":"implicit","status":"pending_user_confirmation","runtime_id":"pal","observed_at":"2026-04-01T00:00:00Z"}]}`

func export(t testing.TB, opt codec.Options, records ...memory.Record) ([]byte, []codec.Loss) {
	t.Helper()
	var out bytes.Buffer
	w, err := engram.Format(ump.Forms()).Create(&out, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w.Losses()
}

// TestSameRecordAgain: an id is one belief's, whatever an archive says twice.
func TestSameRecordAgain(t *testing.T) {
	key := ownKey()
	one, err := ump.Author(memory.Record{
		Kind: memory.Semantic, Scope: memory.Scope{Owner: key.DID()}, Body: memory.Body{Text: "The kiln is lit on Fridays."},
		Time: memory.Times{Created: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := one
	other.Origin, other.Current, other.Body.Text = nil, nil, "The kiln is lit on Mondays."
	if other, err = ump.Author(other, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		again  memory.Record
		losses []codec.Loss
	}{
		"ENGRAM-3.4-1 the same is written once":           {again: one},
		"ENGRAM-3.4-1 another of the same id is left out": {other, []codec.Loss{{ID: one.ID, Reason: "a belief of this id stands before it; an id is one belief's"}}},
	} {
		t.Run(name, func(t *testing.T) {
			data, losses := export(t, codec.Options{Owner: key.DID()}, one, c.again)
			if diff := cmp.Diff(c.losses, losses); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
			if back, _ := open(t, codec.Options{Owner: key.DID()}, data); len(back) != 1 || back[0].Body.Text != one.Body.Text {
				t.Errorf("read again, they are %v", back)
			}
		})
	}
}

func open(t testing.TB, opt codec.Options, data []byte) ([]memory.Record, []codec.Loss) {
	t.Helper()
	r, err := engram.Format(ump.Forms()).Open(codec.Source{Name: "x.engram.json", File: bytes.NewReader(data), Size: int64(len(data))}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var records []memory.Record
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records, r.Losses()
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
}
