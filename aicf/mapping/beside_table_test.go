package mapping_test

import (
	"strings"
	"testing"
)

// Numbered fields are entries beside a table of 2.0, too, as they are in a file without one.
func TestNumberedFieldsBesideATable(t *testing.T) {
	const fields = "@DECISIONS:p\ndecision_1=Use brass\nrationale_1=It lasts\ndecision_2=Oil monthly\nnote=by the clock\n\n@INSIGHTS\ninsight_1=Bells ring\ninsight_2=Cogs turn\n\n@ISSUES:c\nissue_1=Leaks oil\nissue_2=Strikes twice\n"
	const table = "@SHELF\n@SCHEMA\nid|thing\n@DATA\n1|bolt\n"
	alone, _ := recordsIn(t, fields)
	want, _, _ := strings.Cut(texts(alone), "\n--\nAICF file")
	for name, text := range map[string]string{"before": fields + "\n" + table, "numbered": numberedLines(fields + "\n" + table), "behind": table + "\n" + fields} {
		all, losses := recordsIn(t, text)
		if got := texts(all); !strings.Contains(got, want) || len(losses) > 0 {
			t.Errorf("%s: losses %v, records\n%s\nwant\n%s", name, losses, got, want)
		}
		back, _ := fileOf(t, all...)
		again, _ := recordsIn(t, back)
		if got := texts(again); !strings.Contains(got, "Use brass") || !strings.Contains(got, "Strikes twice") {
			t.Errorf("%s: written\n%s", name, back)
		}
	}
	got, _ := recordsIn(t, "@DECISIONS:p\ndecision_1=Use brass\nrationale_1=It lasts\ndecision_2=Oil monthly\n@SCHEMA\nid|t\n@DATA\n1|bolt\n")
	if text := texts(got); !strings.HasPrefix(text, "Use brass Rationale: It lasts\n--\nOil monthly\n--\n") || !strings.Contains(text, "bolt") {
		t.Errorf("the table behind the fields:\n%s", text)
	}
}
