package aicf

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

const twice = `@AICF_VERSION
version=3.1

@INSIGHTS
@INSIGHTS tests_run_on_every_change|GENERAL|HIGH|HIGH
@INSIGHTS the build is slow|GENERAL|HIGH|HIGH
@INSIGHTS Tests run on every change.|GENERAL|LOW|LOW|id=again
@INSIGHTS use C|GENERAL|LOW|LOW
@INSIGHTS use C++|GENERAL|LOW|LOW

@DECISIONS
@DECISIONS the build is slow|HIGH|HIGH|measured

`

func deduplicated(t *testing.T, data []byte, id string) Deduplication {
	t.Helper()
	d, err := contentsOf(t, data).Index().Deduplicate(id, time.Date(2025, 10, 6, 8, 0, 0, 5, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeduplicate(t *testing.T) {
	t.Run("AICF-CONS-10 AICF-COMP-3 one section names what says the same, and keeps it once", func(t *testing.T) {
		d := deduplicated(t, numbered(twice), "")
		if d.Section == nil || len(d.Groups) != 1 {
			t.Fatalf("got %+v", d)
		}
		if s := d.Section; !slices.Equal(s.SourceItems, []string{"insight_001", "again"}) || !slices.Equal(s.KeyFacts, []string{"Tests run on every change."}) || s.ID != "deduplication_001" {
			t.Errorf("got %+v", s)
		}
		c := contents(t, twice)
		before := len(c.Entries)
		c.Entries = append(c.Entries, d.Section)
		data, losses, err := Encode(c, WriteOptions{Preserve: true})
		if err != nil || len(losses) > 0 || !bytes.HasPrefix(data, numbered(twice)) || len(contentsOf(t, data).Entries) <= before {
			t.Errorf("the sources are not as they were: %v %v\n%s", err, losses, data)
		}
		for _, f := range mustValidate(t, data) {
			if f.Section == "CONSOLIDATION deduplication_001" {
				t.Errorf("strictly not valid: %s", f)
			}
		}
		if again := deduplicated(t, data, ""); again.Section != nil {
			t.Errorf("it is told again: %+v", again)
		}
		more := bytes.Replace(data, []byte("6|@INSIGHTS the build is slow"), []byte("6|@INSIGHTS tests run on every change"), 1)
		if again := deduplicated(t, more, ""); again.Section == nil || again.Section.ID != "deduplication_002" || len(again.Section.SourceItems) != 3 {
			t.Errorf("one more is not told: %+v", again)
		}
	})
	t.Run("AICF-COMP-8 what it saves and keeps is computed", func(t *testing.T) {
		first := deduplicated(t, numbered(twice), "").Section
		if first.CompressionRatio != "0.490" || first.InformationPreserved != "100.0%" {
			t.Errorf("got %s %s", first.CompressionRatio, first.InformationPreserved)
		}
		why := numbered("@DECISIONS\n@DECISIONS go east|HIGH|HIGH|sun\n@DECISIONS go east|HIGH|HIGH|wind\n\n")
		if s := deduplicated(t, why, "").Section; s.CompressionRatio != "0.667" || s.InformationPreserved != "50.0%" {
			t.Errorf("got %s %s", s.CompressionRatio, s.InformationPreserved)
		}
	})
	t.Run("AICF-CONS-1 an id that is taken is refused", func(t *testing.T) {
		_, err := contents(t, twice).Index().Deduplicate("again", time.Time{})
		if e, ok := errors.AsType[*codec.ParseError](err); !ok || e.Rule != "AICF-CONS-1" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nothing is said twice", func(t *testing.T) {
		if d := deduplicated(t, numbered(garden), "x"); d.Section != nil || len(d.Groups) > 0 {
			t.Errorf("got %+v", d)
		}
	})
}

func mustValidate(t *testing.T, data []byte) []Finding {
	t.Helper()
	found, err := Validate(data, Options{Strict: true, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
