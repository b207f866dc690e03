package route_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/route"
)

func TestJudged(t *testing.T) { // A is ranked 80, B 85, C 91
	for name, c := range map[string]struct {
		judge, of string
		want      bool
	}{
		"below":               {"A", "C", true},
		"by its provider":     {"p-B/B", "C", true},
		"the same":            {"C", "C", false},
		"above":               {"C", "A", false},
		"not ranked":          {"Z", "A", false},
		"of one not ranked":   {"A", "Z", false},
		"none":                {"", "C", false},
		"of another provider": {"p-A/B", "C", false},
	} {
		t.Run("AAIF-4.8-1 "+name, func(t *testing.T) {
			if got := fleet().WeakJudge(c.judge, chain(c.of)); strings.HasPrefix(got, route.JudgeWeaker) != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
	if got := fleet().WeakJudge("A", nil); got != "" {
		t.Errorf("AAIF-4.8-1: got %q", got)
	}
}
