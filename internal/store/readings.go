package store

import "time"

// Reading says that an assistant was given memories, in one answer or in several of the
// same kind within moments. It names memories and holds no content, unless the owner wants
// questions kept.
type Reading struct {
	At       time.Time // of the first answer
	Nonce    int64     // tells readings of the same instant apart; whoever makes the reading draws it
	Way      string    // the operation, such as "recall"
	Host     string    // the program, as it names itself; empty: it has no name
	Token    string    // id of the token that it showed; empty: it is the owner's own
	Project  string    // that it asked about; empty: about none
	Times    int       // answers
	Given    int       // memories in them
	Memories []int64   // document numbers of those that exist, each once
	Question string    // empty: it is not kept
}

// ReadingFilter selects readings. The zero filter selects none: Max is 0.
type ReadingFilter struct {
	Token  string // empty: any
	Memory int64  // document number of a memory that was given; 0: any
	Since  time.Time
	// Before is a reading that was listed: older ones than it. The zero Reading: from the
	// latest on.
	Before Reading
	Max    int
}

// Readings finds the readings of the owner's memories. Times have the resolution of a
// microsecond and come back in UTC. As far as the store can tell, see Records.Altered, a row
// that was changed outside of the store is no reading.
type Readings interface {
	// ReadingList returns readings, latest first.
	ReadingList(f ReadingFilter) ([]Reading, error)
	// FirstReading returns when the earliest reading was; the zero time: there is none.
	FirstReading() (time.Time, error)
}

// ReadingKeeper stores readings. Deleting a record takes its number, and the question, out
// of the readings that name it.
type ReadingKeeper interface {
	Readings
	// PutReadings adds readings.
	PutReadings(list []Reading) error
	// DropReadings removes the readings at or before an instant, and of the others all but
	// the latest.
	DropReadings(by time.Time, latest int) error
}
