package codec

import "github.com/satchel-memory/satchel/memory"

// Document is an opened document that can be walked once.
type Document interface {
	// Walk is a [Walk].
	Walk(yield func(memory.Record, error) bool)
	// Losses returns what was not taken over so far.
	Losses() []Loss
}

// Opened makes [Format.Open] and [Format.Validate] of what opens the documents of a
// format. Only Validate is told to be strict.
func Opened[D Document](from func(Source, Options) (D, error)) (open func(Source, Options) (Reader, error), validate func(Source, Options, func(*ParseError)) error) {
	open = func(src Source, opt Options) (Reader, error) {
		opt.Strict, opt.Mend = false, true
		d, err := from(src, opt)
		if err != nil {
			return nil, err
		}
		return Walked(d.Walk, d.Losses), nil
	}
	validate = func(src Source, opt Options, report func(*ParseError)) error {
		d, err := from(src, opt)
		return Judge(d.Walk, err, report)
	}
	return open, validate
}
