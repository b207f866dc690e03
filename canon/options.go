package canon

// Options bound what is read. The zero value is safe for input from a stranger.
type Options struct {
	Bytes int64 // most bytes of one text; 0: 4 MiB
	Depth int   // most nesting of arrays and objects; 0: 64; never above 9,999
	// Inexact keeps integer literals beyond 2^53, which hash as the nearest double. False:
	// such literals are refused, and so are numbers like 1e20, whose canonical form is such
	// a literal. Every accepted text can therefore be read again from its canonical form.
	// Numbers beyond every double, such as 1e999, are always refused.
	Inexact bool
	// Mend accepts texts that are written less strictly, as [Mend] says. False: they are
	// refused.
	Mend bool
}

// maxDepth is one less than the nesting at which jsontext gives up by itself.
const maxDepth = 9_999

func (o Options) filled() Options {
	if o.Bytes <= 0 {
		o.Bytes = 4 << 20
	}
	if o.Depth <= 0 {
		o.Depth = 64
	}
	o.Depth = min(o.Depth, maxDepth)
	return o
}
