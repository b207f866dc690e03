package aimem_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
)

func TestInstant(t *testing.T) {
	for s, want := range map[string]string{
		"2026-06-12T10:00:00Z":             "2026-06-12T10:00:00Z",
		"2026-06-12t10:00:00.500z":         "2026-06-12T10:00:00.5Z",
		"2026-06-12T10:00:00+00:00":        "2026-06-12T10:00:00Z",
		"2026-06-12T01:30:00+07:00":        "2026-06-11T18:30:00Z",
		"2016-12-31T23:59:60Z":             "2017-01-01T00:00:00Z",
		"2017-01-01T05:29:60.5+05:30":      "2017-01-01T00:00:00.5Z",
		"2026-06-12T10:60:00Z":             "",
		"2026-06-12T10:60:60Z":             "",
		"2026-06-12T10:00:60Z":             "",
		"2026-06-12T23:59:60Z":             "",
		"2026-06-12T10:00:61Z":             "",
		"2026-06-12T24:00:00Z":             "",
		"2026-06-12T10:00:00,5Z":           "",
		"2026-06-12T10:00:00.Z":            "",
		"2026-06-12T10:00:00+24:00":        "",
		"2026-06-12T10:00:00+07:60":        "",
		"2026-06-12T10:00:00+0700":         "",
		"2026-06-12T10:00:00":              "",
		"2026-06-12T10:00Z":                "",
		"2026-6-12T10:00:00Z":              "",
		"2026-02-29T10:00:00Z":             "",
		"2026-06-12 10:00:00Z":             "",
		"":                                 "",
		"Z":                                "",
		strings.Repeat("2026-06-12T10", 9): "",
	} {
		at, ok := aimem.Instant(s)
		if ok != (want != "") || ok && at.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("Instant(%q) = %v, %v; want %q", s, at, ok, want)
		}
	}
}

// TestTimesOfRecords: a chunk is of a time that a record can be of, or it is
// refused with a pointer, before anything becomes of it.
func TestTimesOfRecords(t *testing.T) {
	at := func(created string) string {
		return strings.Replace(chunkOf("x", ""), "2026-04-01T09:30:00Z", created, 1)
	}
	for _, created := range []string{"0001-01-01T00:00:00.000000001Z", "9999-12-31T23:59:59.999Z", "2016-12-31T23:59:60Z"} {
		t.Run("AIMEM-2.2-20 "+created+" is kept", func(t *testing.T) {
			c, err := open(t, withChunks(t, at(created)), aimem.Options{}).Chunk("urn:aimem:garden:1")
			if err != nil || c.Created.IsZero() || c.CreatedAt != created {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
	for _, created := range []string{"0000-06-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "2026-06-12T10:60:00Z"} {
		t.Run("AIMEM-2.2-20 "+created+" is refused", func(t *testing.T) {
			_, err := aimem.Open(source("x", withChunks(t, at(created))), aimem.Options{})
			if f := faultOf(err); f.Code != aimem.InvalidTimestamp || f.Pointer != "/chunks/0/created_at" || f.Rule != "AIMEM-2.2-20" {
				t.Errorf("got %+v", f)
			}
		})
		t.Run("AIMEM-2.1-9 exported_at "+created+" is refused", func(t *testing.T) {
			text := sealed(t, strings.Replace(bareEnvelope, "2026-06-12T10:00:00Z", created, 1)+`,"chunks":[]`)
			_, err := aimem.Open(source("x", text), aimem.Options{})
			if f := faultOf(err); f.Code != aimem.InvalidTimestamp || f.Pointer != "/exported_at" {
				t.Errorf("got %+v", f)
			}
		})
	}
	t.Run("AIMEM-2.4-7 edges and entities become no records, and may be of any time", func(t *testing.T) {
		open(t, sealed(t, bareEnvelope+`,"chunks":[`+chunkOf("x", "")+`],
			"edges":[{"source_id":"urn:aimem:garden:1","target_id":"urn:aimem:garden:1","edge_type":"causal","weight":1,"created_at":"0000-06-01T00:00:00Z"}],
			"entities":[{"id":"urn:aimem:garden:e","name":"n","kind":"person","created_at":"0001-01-01T00:00:00Z"}]`), aimem.Options{})
	})
}
