package codec

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Forms reads and writes single records as UMP JSON. The room of UMP provides it;
// rooms of formats that carry such records beside their own, or name records by
// their birth, are given it.
type Forms interface {
	// Author gives birth to a record: its Origin, and its id unless it has one. It
	// signs nothing.
	Author(memory.Record) (memory.Record, error)
	// Decode reads a complete record strictly. It does not verify it.
	Decode(form []byte) (memory.Record, error)
	// Verify checks the integrity of a record, which must have some.
	Verify(form []byte) error
	// Expiry returns when the retention of a record ends, and whether it does.
	Expiry(memory.Record) (time.Time, bool)
}
