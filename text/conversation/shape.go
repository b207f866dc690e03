package conversation

import (
	"io"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Shape describes how one platform writes its exports. It may keep state while it reads, so
// each reading needs its own.
type Shape struct {
	Format   string // its name, for errors and residue
	Platform string // the assistant's name for people
	Provider string // the system that records come from
	// Parts are the kinds of files of an export, in the order of reading. A file that
	// matches none is read as the first.
	Parts []Part
	Aside []string // path patterns of files that exports are known to have and that are not read
	// Group returns the name of the group that an element belongs to, and the element's
	// time; an empty name: it stands alone. Take gets all elements of a group as one array
	// in the order of time. False: the element does not belong to this format. Group is
	// called with every element before Take is called with any. Nil: each element is an
	// item.
	Group func(canon.Value) (group string, at time.Time, ok bool)
	// End returns the item made of the whole export; nil: there is none.
	End func() Item
}

// Part is one kind of file.
type Part struct {
	Files []string // paths in the export's folder, as patterns of path.Match
	// Sure says that files with these names are always read, so that the user learns what
	// is wrong with them.
	Sure bool
	// Decode reads a file as JSON; an activity or a token of it has most bytes. A file
	// beside one of JSON that has its name is not read. Nil: the file is JSON.
	Decode func(in io.Reader, most int64) io.Reader
	// Is reports whether a file with this beginning, as JSON, is of this kind.
	Is func(head []byte) bool
	// Take makes an item of one element of the file. The file is a list of elements, or
	// one.
	Take func(*Export, canon.Value) (Item, error)
}

// Item is the content of one element of an export.
type Item struct {
	Conversation *Conversation // nil: none
	Notes        []Note
	Lost         []codec.Loss
	Faults       []Fault // parts of the element that are left out
	// Undatable says that a date of the conversation is there, and cannot be read.
	Undatable bool
}

// Fault is a part of an element that breaks a rule.
type Fault struct {
	What string // names the part
	*codec.ParseError
}

// Fault returns the fault of a part of the current element that does not have the shape of
// such a part.
func (e *Export) Fault(what, pointer string, err error) Fault {
	v := e.violation(e.path(pointer), err)
	v.Rule = e.rule(RuleShape)
	return Fault{what, v}
}

// Detect says how certain it is that a source is an export of the shape.
func (s Shape) Detect(src codec.Source) codec.Confidence {
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

// Format returns the format for exports of a shape. It sets everything that these formats
// have in common.
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
