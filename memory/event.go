package memory

// Event tells a subscriber about a change of one record (UMP 3.8, decision UD-27).
type Event struct {
	Sequence int64 // rises with every event of an owner
	Type     EventType
	ID       ID
	Record   *Record // the record as this subscriber may read it; nil when it was erased
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

// Subscription selects the events that a subscriber gets.
type Subscription struct {
	Project string // events of records with this project; empty: of all
	Agent   string // events of records with this agent; empty: of all
	After   int64  // only events after this one; 0: from the beginning
	Max     int    // events per answer; 0: 100
}

// Frame is recalled memory in the form that a model gets: data inside a frame that no
// record can leave (UMP 5.3, decision UD-30).
type Frame struct {
	Text     string // the frame's text; never part of a system prompt
	Injected []ID   // the records in it, in its order
	Dropped  []DroppedRecord
	Warnings []Warning // what the recall lacked
}

// DroppedRecord names a record that is not in a frame, and why.
type DroppedRecord struct {
	ID     ID
	Reason string
}
