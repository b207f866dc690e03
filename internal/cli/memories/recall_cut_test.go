package memories

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

func TestCut(t *testing.T) {
	long := strings.Repeat("word ", 200)
	for name, c := range map[string]struct {
		columns int
		full    bool
		most    int // characters at most; 0: all
	}{
		"a terminal":            {80, false, 3 * 76},
		"a narrow one":          {10, false, 3 * 30},
		"a terminal, in full":   {80, true, 0},
		"a pipe":                {0, false, 0},
		"a pipe, asked in full": {0, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.TrimSpace(long)
			got := cli.OneLine(long, hitRoom(c.columns, c.full))
			switch {
			case c.most == 0 && got != want:
				t.Errorf("cut to %d characters", len([]rune(got)))
			case c.most > 0 && (len([]rune(got)) != c.most || !strings.HasSuffix(got, "…")):
				t.Errorf("%d characters, want %d that end in …: %q", len([]rune(got)), c.most, got)
			}
		})
	}
}
