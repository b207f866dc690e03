package aaifconform

import (
	_ "embed"
	"strings"
)

//go:embed rows.tsv
var rowList string

// row is one requirement. Level is the lowest at which a platform has to keep it; absent
// is why it cannot be tried over HTTP.
type row struct{ id, keyword, level, title, absent string }

// rows returns those of sections 6 to 8, 9, 10, 12 and 13 that are about platforms, in
// the order of the text.
func rows() []row {
	var all []row
	for line := range strings.SplitSeq(rowList, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 5 && f[0] != "id" {
			all = append(all, row{f[0], f[1], f[2], f[3], f[4]})
		}
	}
	return all
}

func (w row) result() Result {
	section, _, _ := strings.Cut(strings.TrimPrefix(w.id, "AAIF-"), "-")
	return Result{ID: w.id, Keyword: w.keyword, Level: w.level, Section: section, Title: w.title}
}
