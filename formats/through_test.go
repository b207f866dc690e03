package formats_test

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
)

// through converts a document from one format to the next.
func through(t *testing.T, text string, names ...string) string {
	t.Helper()
	opt := codec.Options{Owner: "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z", Now: func() time.Time { return time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC) }}
	for i := range names[1:] {
		from, err := formats.ByName(names[i])
		if err != nil {
			t.Fatal(err)
		}
		to, err := formats.ByName(names[i+1])
		if err != nil {
			t.Fatal(err)
		}
		text = converted(t, text, from, to, opt)
	}
	return text
}

func converted(t *testing.T, text string, from, to codec.Format, opt codec.Options) string {
	t.Helper()
	r, err := from.Open(file("notes"+from.Extensions[0], text), opt)
	if err != nil {
		t.Fatalf("%s: %v", from.Name, err)
	}
	defer r.Close()
	var out bytes.Buffer
	w, err := to.Create(&out, opt)
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", from.Name, err)
		}
		if err := w.Write(record); err != nil {
			t.Fatalf("%s: %v", to.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("%s: %v", to.Name, err)
	}
	for _, l := range append(r.Losses(), w.Losses()...) {
		if l.Pointer == "/exported_at" {
			continue // of the bundle in between
		}
		t.Errorf("from %s to %s: %v", from.Name, to.Name, l)
	}
	return out.String()
}

// A person with many memories, in Engram.
const person = `{"engram_version":"0.1","issued_at":"2026-02-01T00:00:00Z","subject":{"id":"550e8400-e29b-41d4-a716-446655440000","display_name":"Ada"},
"identity":{"display_name":"Ada","timezone":"UTC"},
"beliefs":[{"id":"b1","category":"preference","key":"editor","value":"prefers a|b","confidence":0.9,"source":"corrected","status":"active","created_at":"2026-01-01T00:00:00Z","last_confirmed":"2026-01-20T00:00:00Z"}],
"evolution":[{"id":"e1","belief_id":"b1","old_value":"prefers C:\\new","new_value":"prefers a|b","trigger":"user_correction","changed_at":"2026-01-20T00:00:00Z"}],
"corrections":[{"id":"c1","belief_id":"b1","old_value":"prefers C:\\new","new_value":"prefers a|b","corrected_by":"user","corrected_at":"2026-01-20T00:00:00Z","status":"confirmed"}]}`

func TestAICFBetweenOthers(t *testing.T) {
	t.Run("check 6: Engram, UMP, AICF, UMP, Engram", func(t *testing.T) {
		want := through(t, person, "engram", "ump", "engram")
		got := through(t, person, "engram", "ump", "aicf", "ump", "engram")
		same(t, want, got)
		same(t, person, got)
	})
	archive, err := txtar.ParseFile("../aicf/testdata/read/file/every-section.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := string(archive.Files[0].Data)
	for _, other := range []string{"ump", "aimem", "engram"} {
		t.Run("AICF, "+other+", AICF", func(t *testing.T) {
			if got := through(t, text, "aicf", other, "aicf"); got != text {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, err := canon.Canonical([]byte(a), canon.Options{Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	y, err := canon.Canonical([]byte(b), canon.Options{Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("got\n%s\nwant\n%s", y, x)
	}
}

func TestEngramsAppendixThroughAICF(t *testing.T) {
	root := os.Getenv("SATCHEL_SHARED")
	if root == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	raw, err := os.ReadFile(root + "/specs/vectors/engram-appendix-a.json")
	if err != nil {
		t.Fatal(err)
	}
	same(t, through(t, string(raw), "engram", "ump", "engram"), through(t, string(raw), "engram", "ump", "aicf", "ump", "engram"))
}
