package aicf

import "bytes"

// OddLine is how a line looks that its layout does not describe: a number out of
// sequence, none where others have one, another line end.
type OddLine struct {
	Line   int    // its place in the file, from 1
	More   int    // how many of the lines behind it look the same
	Number string // what stands before its data, the pipe included; empty: nothing
	End    string // its line end; empty: none
}

// oddLines compares the lines of a file with those of a page in its layout.
func (f *File) oddLines() []OddLine {
	var odd []OddLine
	p := &page{layout: f.layout}
	for rest := f.data; len(rest) > 0; {
		p.lines++
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(rest[:end], []byte("\n")), []byte("\r"))
		number, data := text[:f.layout.Numbering.numberWidth(text)], text[f.layout.Numbering.numberWidth(text):]
		ending := rest[len(text):end]
		rest = rest[end:]
		before := p.number
		p.buf = p.next(bytes.HasPrefix(data, []byte("@")))
		open := len(ending) == 0 && f.layout.OpenEnd // only the last line
		if bytes.Equal(p.buf, number) && (open || string(ending) == p.eol()) {
			continue
		}
		p.follow(number, before)
		if n := len(odd) - 1; n >= 0 && odd[n].next() == p.lines && odd[n].Number == string(number) && odd[n].End == string(ending) {
			odd[n].More++
			continue
		}
		odd = append(odd, OddLine{Line: p.lines, Number: string(number), End: string(ending)})
	}
	return odd
}

// next returns the place of the line behind those that look so.
func (o OddLine) next() int { return o.Line + o.More + 1 }
