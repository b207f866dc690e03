package aaif_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

func TestNegotiateVersions(t *testing.T) {
	for name, c := range map[string]struct {
		version, supported string
		verdict            aaif.Verdict
		newer, unread      bool
	}{
		"none is listed":           {`"3.4.0"`, ``, aaif.Accepted, false, false},
		"a later major":            {`"3.4.0"`, `["1.0.0"]`, aaif.Rejected, false, true},
		"not said, and so this":    {``, `["1.0.0","2.9.0"]`, aaif.Rejected, false, true},
		"a later minor":            {`"3.4.0"`, `["1.0.0","3.3.0"]`, aaif.Accepted, true, false},
		"the same":                 {`"3.4.0"`, `["3.4.0"]`, aaif.Accepted, false, false},
		"an earlier minor":         {`"3.1.0"`, `["3.4.0"]`, aaif.Accepted, false, false},
		"an earlier major":         {`"1.2.0"`, `["3.4.0"]`, aaif.Accepted, false, false},
		"nothing that is readable": {`"3.4.0"`, `["latest"]`, aaif.Accepted, false, false},
	} {
		t.Run("AAIF-U.D-1 AAIF-7-14 "+name, func(t *testing.T) {
			m := manifestWith(t)
			if c.supported != "" {
				m = manifestWith(t, "/platform/aaif_versions_supported", c.supported)
			}
			d := agentWith(t, "")
			if c.version != "" {
				d = agentWith(t, "", "/sc_version", c.version)
			}
			n := aaif.Negotiate(d, m, aaif.NegotiateOptions{})
			if n.Verdict != c.verdict || n.Newer != c.newer || n.Unread != c.unread {
				t.Errorf("got %s, newer %t, unread %t", n.Verdict, n.Newer, n.Unread)
			}
			if said := strings.Contains(strings.Join(n.Words(), " "), "of the format"); said != (c.newer || c.unread) {
				t.Errorf("says %q", n.Words())
			}
			if n.Value().Has("version") != (c.newer || c.unread) {
				t.Errorf("got %s", n.Value().Append(nil))
			}
			if (aaif.CodeOf(n.Err()) == aaif.VersionUnsupported) != c.unread {
				t.Errorf("got %v", n.Err())
			}
		})
	}
}

func TestNegotiateExpiry(t *testing.T) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for expiry, want := range map[string]bool{`"soon"`: true, `"2026-06-01T00:00:00Z"`: true, `"2026-08-01T00:00:00Z"`: false} {
		n := aaif.Negotiate(agentWith(t, ""), manifestWith(t, "/platform/manifest_expires_at", expiry), aaif.NegotiateOptions{Now: now})
		if n.Stale != want || (n.Verdict == aaif.Rejected) != want {
			t.Errorf("AAIF-U.U-2 %s: got %+v", expiry, n)
		}
	}
}

// TestNoMemoryStandsIn: where a platform has no place for memory at all, none stands in.
func TestNoMemoryStandsIn(t *testing.T) {
	none := `{"in_memory":false,"redis":false,"postgres":false,"qdrant":false,"pinecone":false,"chroma":false,"vector":false}`
	for _, backend := range []string{"redis", "qdrant", "sqlite", "in_memory"} {
		for _, level := range levels {
			d := agentWith(t, level, "/agent/memory", `[{"scope":"task","content":"c","backend":"`+backend+`"}]`)
			for _, need := range aaif.Negotiate(d, manifestWith(t, "/platform/capabilities/memory", none), aaif.NegotiateOptions{}).Unsatisfied() {
				if need.Effect != explicitEffect(level) || !need.Implicit {
					t.Errorf("AAIF-7-11 AAIF-4.5-10 %s at %q: got %+v", backend, level, need)
				}
			}
			other := strings.Replace(none, `"postgres":false`, `"postgres":true`, 1)
			for _, need := range aaif.Negotiate(d, manifestWith(t, "/platform/capabilities/memory", other), aaif.NegotiateOptions{}).Unsatisfied() {
				if need.Effect != aaif.Substituted {
					t.Errorf("AAIF-4.5-10 %s at %q: got %+v", backend, level, need)
				}
			}
		}
	}
}
