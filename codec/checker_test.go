package codec_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

func TestInstant(t *testing.T) {
	for s, want := range map[string]string{
		"2026-02-01T10:00:00Z":      "2026-02-01T10:00:00Z",
		"2026-02-01T10:00:00+02:00": "2026-02-01T08:00:00Z",
		"2026-02-01 10:00:00.5":     "2026-02-01T10:00:00.5Z",
		"2026-02-01 10:00:00+00:00": "2026-02-01T10:00:00Z",
		"2026-02-01":                "",
		"2026-02-01  10:00:00":      "",
		"10:00:00":                  "",
		"":                          "",
	} {
		at, ok := codec.Instant(s)
		if got := at.UTC().Format(time.RFC3339Nano); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %s, %v; want %q", s, got, ok, want)
		}
	}
}
