package aicf

import "testing"

// A search finds links and keywords of what is not in the file: no other entry says them.
func TestSearchFindsWhatNoEntrySays(t *testing.T) {
	x := contents(t, "@CONVERSATION:c\ntimestamp_start=2025-10-06T08:00:00Z\ntopic=knots\n\n@LINKS\nmast->sail|depends_on\nc->keel|relates_to\n\n"+
		"@EMBEDDING:rope\nmodel=m\ndimension=1\nindexed_at=2025-10-06T08:00:00Z\nvector=0.1\nkeywords=hemp|tar\n\n@STATE\nstatus=open\na stray line\n").Index()
	for question, want := range map[string]string{"mast": "LINKS", "sail": "LINKS", "depends": "LINKS", "keel": "LINKS", "hemp": "EMBEDDING", "rope": "EMBEDDING", "knots": "CONVERSATION", "stray": "STATE"} {
		hits := x.Search(question, 9)
		if len(hits) != 1 {
			t.Errorf("AICF-OV-6 %s: %d hits", question, len(hits))
			continue
		}
		if got, _ := Heading(hits[0].Entry); got != want {
			t.Errorf("AICF-OV-6 %s: found in %s, want %s", question, got, want)
		}
	}
}
