package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf/mapping"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

const talk = "1|@CONVERSATION:c\n2|timestamp_start=2025-10-06T08:00:00Z\n3|messages=3\n4|tokens=5\n"

// What no record says of a file is in the text of the record for the file: links and
// keywords of what is not in it, and stray lines.
func TestUnsaidIsFound(t *testing.T) {
	text := talk + "5|\n6|@LINKS\n7|mast->sail|depends_on\n8|hull->c|relates_to\n9|c->keel|relates_to\n10|\n11|@EMBEDDING:rope\n12|model=m\n13|dimension=3\n14|indexed_at=2025-10-06T08:00:00Z\n" +
		"15|vector=0.1,0.2,0.3\n16|keywords=hemp|tar\n17|\n18|@EMBEDDING:c\n19|model=m\n20|dimension=3\n21|indexed_at=2025-10-06T08:00:00Z\n22|vector=0.1,0.2,0.3\n23|keywords=harbour\n24|\n25|@STATE\n26|scope=temp\n27|temp:key=v\n28|#ask the pilot\n29|a stray line\n"
	all, losses := recordsIn(t, text)
	const want = "AICF file notes.aicf\nmast depends_on sail\nhull relates_to c\nrope: hemp, tar\n#ask the pilot\na stray line"
	if got := all[len(all)-1].Body.Text; got != want || len(losses) != 1 {
		t.Errorf("%v\n%s\nwant\n%s", losses, got, want)
	}
	back, _ := fileOf(t, all...)
	again, _ := recordsIn(t, back)
	if got := again[len(again)-1].Body.Text; !strings.HasPrefix(got, "AICF file notes.aicf\nmast depends_on sail\n") {
		t.Errorf("written again\n%s", got)
	}
}

// Vectors and links of nothing in the file are text that the records lack.
func TestShareOfVectorsAndLinks(t *testing.T) {
	shareOf := func(text string) (said, of int64) {
		r, err := mapping.Format(ump.Forms()).Open(sourceOf("notes.aicf", text), mapOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for {
			if _, err := r.Next(); err != nil {
				return r.(codec.Share).Shared()
			}
		}
	}
	vector := strings.TrimSuffix(strings.Repeat("0.125,", 2000), ",")
	embedding := "5|\n6|@EMBEDDING:%s\n7|model=m\n8|dimension=2000\n9|indexed_at=2025-10-06T08:00:00Z\n10|vector=" + vector + "\n11|keywords=hemp\n"
	if said, of := shareOf(talk + fmt.Sprintf(embedding, "rope")); said*5 >= of {
		t.Errorf("of nothing: %d of %d", said, of)
	}
	if said, of := shareOf(talk + fmt.Sprintf(embedding, "c")); said*5 < of {
		t.Errorf("of a conversation, whose record keeps it: %d of %d", said, of)
	}
	var links strings.Builder
	for n := range 60_000 {
		fmt.Fprintf(&links, "%d|mast%d->sail%d|depends_on\n", n+7, n, n)
	}
	all, losses := recordsIn(t, talk+"5|\n6|@LINKS\n"+links.String())
	if said, of := shareOf(talk + "5|\n6|@LINKS\n" + links.String()); said*5 >= of || len(losses) == 0 {
		t.Errorf("more links than a record says: %d of %d, losses %v", said, of, losses)
	}
	if text := all[len(all)-1].Body.Text; !strings.Contains(text, "\nmast1000 depends_on sail1000\n") {
		t.Error("the first links are not said")
	}
}
