package documents

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// TestListsAreCut: of many parts that could not be read, and of many warnings and rejected
// chunks, people get the first 20 and the number of the others.
func TestListsAreCut(t *testing.T) {
	shown := func(show func(*cli.App)) string {
		var told strings.Builder
		show(&cli.App{Out: io.Discard, Err: &told})
		return told.String()
	}
	for _, n := range []int{20, 21, 25} {
		var lost []LossOut
		var b brought
		for i := range n {
			lost = append(lost, LossOut{Loss: codec.Loss{Pointer: fmt.Sprintf("/%d", i), Reason: fmt.Sprintf("an entry with the id \"part-%d;\" cannot be read, and is left out: too long [X-1]", i)}, Direction: "reading"})
			b.report.Warnings = append(b.report.Warnings, aimem.Warning{Code: aimem.WarnEdgeSkipped, Detail: fmt.Sprintf("edge-%d;", i)})
			b.report.Rejected = append(b.report.Rejected, aimem.Rejection{ID: aimem.URN(fmt.Sprintf("chunk-%d;", i)), Code: aimem.FieldConflict})
		}
		for of, test := range map[string]struct{ text, more string }{
			"part-":  {shown(func(a *cli.App) { tellLosses(a, lost) }), "… and %d part%s more that could not be read; --json and --report FILE name each one"},
			"edge-":  {shown(b.show), "and %d more warnings; --json lists them"},
			"chunk-": {shown(b.show), "and %d more were rejected; --json lists all"},
		} {
			for i := range n {
				if named := strings.Contains(test.text, fmt.Sprintf("%s%d;", of, i)); named != (i < 20) {
					t.Errorf("%d: %s%d is named: %v in\n%s", n, of, i, named, test.text)
				}
			}
			more := test.more
			switch s := map[bool]string{true: "", false: "s"}[n == 21]; strings.Count(more, "%") {
			case 2:
				more = fmt.Sprintf(more, n-20, s)
			default:
				more = fmt.Sprintf(more, n-20)
			}
			if says := strings.Contains(test.text, more); says != (n > 20) {
				t.Errorf("%d: %q is there: %v in\n%s", n, more, says, test.text)
			}
		}
	}
}

// TestUnreadNamesAreCut: of many files that no format reads, 50 are named.
func TestUnreadNamesAreCut(t *testing.T) {
	var names []string
	for i := range 53 {
		names = append(names, fmt.Sprintf("f%d", i))
	}
	if got := listed(names); !strings.HasSuffix(got, ", f49 and 3 more") {
		t.Errorf("got %q", got)
	}
	if got := listed(names[:50]); !strings.HasSuffix(got, ", f49") {
		t.Errorf("got %q", got)
	}
}
