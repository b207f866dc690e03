package conversation

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Shape is how one platform writes its exports. It may remember what it has read, so that
// each reading needs one of its own.
type Shape struct {
	Format   string // its name, for errors and residue
	Platform string // what people call the assistant
	Provider string // the system that records come from
	// Parts are the kinds of files of an export, in the order in which they are read. The
	// first is that of a file that looks like none of them.
	Parts []Part
	Aside []string // paths of further files that it is known to have, as patterns
	// Refuse says why a source cannot be read that is known to be of the platform; nil:
	// there is no such.
	Refuse func(codec.Source) *codec.ParseError
	// Group tells which elements belong together, as an item that Take makes of all of
	// them, an array in the order of time, and when each was; empty: it stands alone. False:
	// the element is none of this format. It is called with every element before any is
	// taken. Nil: each element is an item.
	Group func(canon.Value) (group string, at time.Time, ok bool)
	// End returns what was gathered from the whole export; nil: nothing is.
	End func() Item
}

// Part is one kind of file.
type Part struct {
	Files []string // paths in the folder of the export, as patterns of path.Match
	// Sure says that files of these names are read whatever they look like, so that
	// somebody is told what is wrong with them.
	Sure bool
	// Is reports whether a file that begins so is of this kind.
	Is func(head []byte) bool
	// Take makes an item of one element of the file, which is a list of such, or one.
	Take func(*Export, canon.Value) (Item, error)
}

// Item is what one element of an export says.
type Item struct {
	Conversation *Conversation // nil: it is none
	Notes        []Note
	Lost         []codec.Loss
}

// Detect says how surely a source is an export of the shape.
func (s Shape) Detect(src codec.Source) codec.Confidence {
	if s.Refuse != nil && s.Refuse(src) != nil {
		return codec.Likely
	}
	e, err := openExport(src, codec.Options{}, s)
	if err != nil {
		return codec.No
	}
	for _, f := range e.files {
		if f.fits {
			return codec.Likely
		}
	}
	return codec.No
}

// Format returns the format of exports of a shape. It fills in what all of them have in
// common.
func Format(shape func() Shape, f codec.Format) codec.Format {
	f.Name = shape().Format
	f.Detect = func(src codec.Source) codec.Confidence { return shape().Detect(src) }
	f.Open = func(src codec.Source, opt codec.Options) (codec.Reader, error) {
		opt.Mend = true
		return openRecords(src, opt, shape())
	}
	f.Validate = func(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
		return validate(src, opt, shape(), report)
	}
	return f
}
