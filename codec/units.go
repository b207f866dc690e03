package codec

// Units is a [Reader] of an archive: its records come in units, such as the
// conversations of an export, each of which means something without the others. An
// import takes in whole units, which stay when a later one cannot be read, and goes on
// behind them when it is started again. Next fails before the first record of a unit, or
// not at all.
type Units interface {
	Reader
	// Unit returns the number of the unit that the record which Next returned last is
	// of, counted from 1 in the order of the document; units without records count, too.
	// It never falls. It is 0 before the first record, and after io.EOF it is how many
	// units there are. The same bytes always have the same numbers.
	Unit() int
}

// Measured is a [Reader] that knows how far it is.
type Measured interface {
	// Reached returns how many bytes of how many have been read; total 0: not known. It
	// may be called while Next runs.
	Reached() (done, total int64)
}
