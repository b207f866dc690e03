package engram_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

func TestVersions(t *testing.T) {
	const refused = `{"error":{"code":"unsupported_version","message":"Supported versions: 0.x","status":400}}`
	for _, c := range []struct {
		rule, version, supported string
		newer                    bool
		want                     string
	}{
		{"ENGRAM-3.10-1", "0.1", "", false, ""},
		{"ENGRAM-3.10-2", "0.9", "", true, ""},
		{"ENGRAM-3.10-5", "0.2", "0.1", true, ""},
		{"ENGRAM-3.10-5", "0.10", "0.9", true, ""},
		{"ENGRAM-3.10-5", "0.9", "0.10", false, ""},
		{"ENGRAM-3.10-3", "1.7", "1.0", false, ""},
		{"ENGRAM-3.10-8", "0.1", "1.0", false, ""},
		{"ENGRAM-3.10-4", "1.0", "", false, refused},
		{"ENGRAM-3.10-4", "2.3", "", false, refused},
		{"ENGRAM-3.10-4", "2.0", "1.0", false, strings.Replace(refused, "0.x", "0.x, 1.x", 1)},
		{"ENGRAM-3.10-6", "abc", "", false, refused},
		{"ENGRAM-3.10-6", "0", "", false, refused},
		{"ENGRAM-3.10-6", "", "", false, refused},
		{"ENGRAM-3.10-6", "0.1 ", "", false, refused},
	} {
		t.Run(c.rule+" version "+c.version+" for a reader of "+c.supported, func(t *testing.T) {
			newer, err := engram.CheckVersion(c.version, c.supported)
			var f *engram.Fault
			got := ""
			if errors.As(err, &f) {
				got = string(f.Wire().Append(nil))
			}
			if newer != c.newer || got != c.want {
				t.Errorf("got %v, %s", newer, got)
			}
		})
	}
	t.Run("ENGRAM-3.10-2 a later draft is read with one warning", func(t *testing.T) {
		raw := resigned(t, tree(t, string(issued(t))).With("engram_version", canon.String("0.9")).With("news", canon.Array()), jcs)
		got, err := engram.Verify(raw, expected(t))
		if err != nil || len(got.Warnings) != 1 || got.Warnings[0].Rule != "ENGRAM-3.10-2" {
			t.Errorf("got %+v, %v", got.Warnings, err)
		}
	})
	t.Run("ENGRAM-3.10-7 ENGRAM-3.10-8 an export of 0.1 can be read by whatever comes later", func(t *testing.T) {
		for _, supported := range []string{"0.1", "0.9", "1.0", "2.3"} {
			d, warnings, err := engram.Parse([]byte(sample), engram.ReadOptions{Supported: supported})
			if err != nil || len(warnings) > 0 || len(d.Beliefs) != 3 || d.Beliefs[0].Text != "short words" || len(d.Evolution) != 1 || len(d.Corrections) != 1 {
				t.Errorf("a reader of %s: %+v, %v, %v", supported, d.Memory, warnings, err)
			}
		}
	})
	t.Run("ENGRAM-3.10-4 the refusal holds exactly what is to be said", func(t *testing.T) {
		_, err := engram.Verify(change(t, "/engram_version", `"1.0"`), expected(t))
		var f *engram.Fault
		if !errors.As(err, &f) || string(f.Wire().Append(nil)) != refused {
			t.Errorf("got %v", err)
		}
	})
}
