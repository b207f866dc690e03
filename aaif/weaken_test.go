package aaif_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestWeakened(t *testing.T) {
	const dear = `{"sc_standard":"SC-006","agent":{"name":"a","goal":"b","version":"1.10.0","constraints":["no gifts"],"compliance":
		{"safety_level":"strict","pii_handling":"encrypt","data_residency":"EU","audit_log":true,"human_in_the_loop":{"enabled":true}}},"provenance":{"signature":"x"}}`
	bare := func(members string) string {
		return `{"sc_standard":"SC-006","agent":{"name":"a","goal":"b"` + members + `}}`
	}
	tools := func(endpoint string, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"t%d","endpoint":"%s"}`, i, endpoint))
		}
		return strings.Join(list, ",")
	}
	all := []string{"older version", "signature", "SAFETY LEVEL", "PERSONAL DATA", "DATA MAY GO", "AUDIT LOG", "NOBODY IS ASKED", "CONSTRAINT"}
	for _, c := range []struct {
		name, was, is string
		want          []string
	}{
		{"AAIF-4.9-7 everything", dear, bare(``), all},
		{"the same", dear, dear, nil},
		{"the other way", bare(``), dear, nil},
		{"AAIF-4.9-1 R17 no level is standard", bare(``), bare(`,"compliance":{"safety_level":"minimal"}`), []string{"SAFETY LEVEL"}},
		{"AAIF-4.9-7 no policy is detect", bare(``), bare(`,"compliance":{"pii_handling":"none"}`), []string{"PERSONAL DATA"}},
		{"AAIF-4.2-2 1.9 precedes 1.10", bare(`,"version":"1.10.0"`), bare(`,"version":"1.9.9"`), []string{"older version"}},
		{"AAIF-4.2-2 1.10 follows 1.9", bare(`,"version":"1.9.9"`), bare(`,"version":"1.10.0"`), nil},
		{"the first tool of a name counts", bare(`,"tools":[{"name":"a","endpoint":"x"},{"name":"a","endpoint":"y"},{"name":"b","endpoint":"z"}]`),
			bare(`,"tools":[{"name":"a","endpoint":"x"},{"name":"b","endpoint":"y"},{"name":"c","endpoint":"x"}]`), []string{"TOOL CALLS SOMEBODY ELSE: b"}},
		{"one of two constraints", bare(`,"constraints":["a","b"]`), bare(`,"constraints":["b","c"]`), []string{`CONSTRAINT REMOVED: "a"`}},
		{"a hook that denies calls", bare(`,"events":{"on_tool_call":"guard"}`), bare(`,"events":{"on_tool_call":"other"}`), []string{"ITS CALLS OF TOOLS ARE WATCHED DIFFERENTLY"}},
		{"a hook more", bare(``), bare(`,"events":{"on_tool_call":"guard"}`), nil},
		{"nothing hides behind many tools", bare(`,"constraints":["no gifts"],"tools":[` + tools("x", 40) + `]`), bare(`,"tools":[` + tools("y", 40) + `]`),
			append(append([]string{`CONSTRAINT REMOVED: "no gifts"`}, slices.Repeat([]string{"TOOL CALLS SOMEBODY ELSE"}, 19)...), "AND 21 MORE THAT ARE WEAKER")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := aaif.Weakenings(aaif.ReadDefinition(tree(t, c.was)), aaif.ReadDefinition(tree(t, c.is)))
			if len(got) != len(c.want) {
				t.Fatalf("got %q", got)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
	if got := aaif.PIIDetect.Stricter(aaif.PIIReject); got != aaif.PIIReject || got.Stricter("") != aaif.PIIReject || aaif.PII("").Stricter(aaif.PIINone) != "" {
		t.Errorf("got %q", got)
	}
}
