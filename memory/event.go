package memory

// Event is a change of one record as a subscriber learns of it (UMP 3.8,
// decision UD-27).
type Event struct {
	Sequence int64 // rises with every event of an owner
	Type     EventType
	ID       ID
	Record   *Record // as the subscriber may have it; nil when it was erased
}

// EventType says what happened to a record.
type EventType string

// The types of event.
const (
	WasCreated    EventType = "created"
	WasMerged     EventType = "merged"
	WasRevised    EventType = "revised" // the record is the successor
	WasTombstoned EventType = "tombstoned"
	WasErased     EventType = "erased"
)

// Subscription says which events are wanted.
type Subscription struct {
	Project string // of records with this project; empty: of all
	Agent   string // of records with this agent; empty: of all
	After   int64  // later than this event; 0: from the beginning
	Max     int    // events at once; 0: 100
}

// Framed is recalled memory as it is put before a model: data inside a frame
// that no record can leave (UMP 5.3, decision UD-30).
type Framed struct {
	Text     string // the frame; never part of a system prompt
	Injected []ID   // the records in it, in its order
	Dropped  []Dropped
}

// Dropped is a record that was kept out of a frame.
type Dropped struct {
	ID     ID
	Reason string
}
