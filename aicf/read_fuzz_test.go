package aicf

import (
	"slices"
	"testing"
)

// FuzzRead holds reading to its promises on any bytes: the entries have the lines of the
// file, each is read again from its own, and what is found is in order.
func FuzzRead(f *testing.F) {
	for _, m := range meanings(f) {
		f.Add(m.ar.Files[0].Data)
	}
	f.Add([]byte("\r\n@INSIGHTS:a:HIGH\r\ntext=x\r\n@INSIGHTS b\r\n\r\n12|c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data, Options{})
		if err != nil {
			t.Skip(err)
		}
		c, read := Read(file, Options{})
		keepsLines(t, file, c)
		found := Check(c, Options{})
		for _, list := range [][]Finding{read, found} {
			if !slices.IsSortedFunc(list, func(a, b Finding) int { return a.Line - b.Line }) {
				t.Errorf("out of order: %v", list)
			}
		}
	})
}
