package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// termsOf expects a reader to list just these terms, whichever prefix it is asked for and
// however many.
func termsOf(p *place, r store.Reader, all []string, prefixes ...string) {
	p.t.Helper()
	for _, prefix := range prefixes {
		want := []string{}
		for _, term := range slices.Sorted(slices.Values(all)) {
			if strings.HasPrefix(term, prefix) && len(term) < 256 {
				want = append(want, term)
			}
		}
		for max, most := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 999: 999} {
			got := append([]string{}, value(r.Terms(prefix, max))(p.t)...)
			same(p.t, fmt.Sprintf("at most %d terms with %.9q", max, prefix), got, want[:min(len(want), most)])
		}
	}
}

func searchTerms(p *place) {
	long := strings.Repeat("x", 254)
	own := []string{"tea", "teapot", "tee", "Tea", "te", "t", "ta", "é", "éclair", "e\u0301", "e", "z", "日", "日本", "日本語", "月", "te a", "te-a", "te_a",
		long + "1", long + "22", long + "333", long + "4"}
	prefixes := []string{"", "t", "te", "tea", "teapot", "teapots", "T", "e", "é", "\xc3", "日", "日本", "\xe6", "\xe6\x97", "te_", "te%", "x", long, long + "22"}
	p.update(bob, func(w store.Writer) {
		value(w.Insert(row(1), words("tea", "teal", "日曜", "other"), store.Links{}))(p.t)
	})
	p.update(ada, func(w store.Writer) {
		termsOf(p, w, nil, prefixes...)
		value(w.Insert(row(1), words(own[:9]...), store.Links{}))(p.t)
		termsOf(p, w, own[:9], prefixes...)
		value(w.Insert(row(2), words(own[5:]...), store.Links{}))(p.t)
		termsOf(p, w, own, prefixes...)
	})
	p.view(ada, func(r store.Reader) {
		termsOf(p, r, own, prefixes...)
		terms := value(r.Terms("te", 9))(p.t)
		terms[0] = "changed" // it is the caller's
		termsOf(p, r, own, "te")
	})
	p.view(bob, func(r store.Reader) { termsOf(p, r, []string{"tea", "teal", "日曜", "other"}, prefixes...) })
}

func searchTermsGone(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(row(1), words("tea", "team", "milk"), store.Links{}))(p.t)
		value(w.Insert(row(2), words("tea", "teal"), store.Links{}))(p.t)
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Reindex(2, words("tea", "milk")))
		termsOf(p, w, []string{"tea", "team", "milk"}, "", "tea", "teal")
		must(p.t, w.Delete(id(1)))
		termsOf(p, w, []string{"tea", "milk"}, "", "tea", "team")
	})
	p.view(ada, func(r store.Reader) { termsOf(p, r, []string{"tea", "milk"}, "", "tea", "team", "m") })
	p.insert(bob, row(1))
	p.update(bob, func(w store.Writer) { must(p.t, w.Reindex(1, words("tea", "teacup"))) })
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { termsOf(p, r, nil, "", "tea", "m") })
	p.view(bob, func(r store.Reader) { termsOf(p, r, []string{"tea", "teacup"}, "", "tea", "m") })
}

func searchTermsStaged(p *place) {
	p.update(ada, func(w store.Writer) {
		value(w.Insert(plain(1), words("tea"), store.Links{}))(p.t)
		value(w.Insert(staged(2, 7), words("team"), store.Links{}))(p.t)
		termsOf(p, w, []string{"tea", "team"}, "t")
	})
	p.view(ada, func(r store.Reader) { termsOf(p, r, []string{"tea", "team"}, "t") })
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(2))) })
	p.view(ada, func(r store.Reader) { termsOf(p, r, []string{"tea"}, "t") })
}
