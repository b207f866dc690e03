package aicf

import "time"

// Contents is what a file says, in its order. Entries without a place of their own (the
// session or conversation of an insight) belong to the nearest before them.
type Contents struct {
	Version  Version // effective: declared, else inferred
	Declared string  // the declaration as it was spelled; empty: there was none
	Dialect  Dialect
	Layout   Layout
	Odd      []OddLine // lines that look otherwise; they stay so while nothing is changed
	Entries  []Entry
}

// Entry is one thing that a file says, in its place: a [*Declaration], [*Session],
// [*Conversation], [*State], [*Insight], [*Decision], [*Link], [*Embedding],
// [*Consolidation], [*Carried], an [*Unknown] section, or a [*Gap] between those. The
// Raw of all of them, joined by line feeds, is the file without its numbers, unless its
// [Layout] has the whole of it.
type Entry interface {
	// Place returns where the entry was read. The caller may change it.
	Place() *Origin
}

// Origin is how an entry stood in the file that it was read from. The zero Origin is that
// of an entry made anew.
type Origin struct {
	Line int // place of its first line in the file, from 1
	// Raw is its lines without their numbers and without the last line feed. It is
	// written again as long as reading it once more gives the same entry.
	Raw string
}

// Place implements [Entry].
func (o *Origin) Place() *Origin { return o }

// Field is what the typed members of a section do not hold, in its place among its like:
// a key that the format does not know, an earlier value of one that it knows, of which
// the last counts, or a value that cannot be read.
type Field struct {
	Key string // empty: Raw is a line, or a part of an entry, without a key
	Raw string // the value as it was spelled, escapes and all
}

// Stamp is an instant, and how it was spelled where that is not how it would be written
// . The zero Stamp means "not said". Text counts while it still says Time, or while
// Time is zero: then it is what was written there instead of an instant.
type Stamp struct {
	time.Time
	Text string
}

// Declaration is a @AICF_VERSION section. The first one holds (AICF-VER-3).
type Declaration struct {
	Origin
	Version string // as spelled, such as "3.1"
	Bare    bool   // it stands without a key, in a line of its own or in the header
	Extra   []Field
}

// Session is a @SESSION section: a thread of conversations.
type Session struct {
	Origin
	ID              string
	AppName         string // required
	UserID          string // required
	CreatedAt       Stamp  // required
	LastUpdateTime  Stamp  // required, not before CreatedAt
	Status          Word   // required: active, completed, archived
	EventCount      *int64
	TotalTokens     *int64
	DurationSeconds *int64
	Extra           []Field
}

// Conversation is a @CONVERSATION section.
type Conversation struct {
	Origin
	ID             string
	TimestampStart Stamp  // required
	TimestampEnd   Stamp  // required, not before TimestampStart
	Messages       *int64 // required
	Tokens         *int64
	Topic          *string
	Participants   []string
	Platform       *string
	Extra          []Field
}

// State is a @STATE section. Which scope a pair has, [Pair.Scope] says.
type State struct {
	Origin
	Scope   Word // session (default), user, app, temp
	Status  *Word
	Actions *string
	Flow    []string
	Pairs   []Pair // the other keys, in order; of one that is repeated the last counts
	Extra   []Field
}

// Pair is a key of a state and its value, decoded. A prefix user:, app: or temp: is part
// of the key.
type Pair struct {
	Key   string
	Value string
	Raw   string // how it was spelled, where not as it would be; counts while it says Value
}

// Insight is an @INSIGHTS entry.
type Insight struct {
	Origin
	ID         string // explicit; empty: its ordinal is its name
	Text       string // required
	Category   Word
	Priority   Word
	Confidence Word
	MemoryType Word // empty: semantic
	Extra      []Field
}

// Decision is a @DECISIONS entry.
type Decision struct {
	Origin
	ID         string
	Text       string // required
	Impact     Word
	Confidence Word
	Rationale  string // required on write, may be empty in dialects that have none
	MemoryType Word
	Extra      []Field
}

// Link is a @LINKS entry. Links are of the file, not of a conversation.
type Link struct {
	Origin
	From, To   string
	Type       Word
	MemoryType Word
	Extra      []Field
}

// Embedding is an @EMBEDDING section.
type Embedding struct {
	Origin
	Entity              string // required: what it is the vector of
	Model               string // required
	Dimension           int64  // required, positive
	Vector              string // required: decimal numbers between commas, as spelled
	Elided              bool   // the vector ends in "...": it is kept and of no use
	IndexedAt           Stamp
	SimilarityThreshold string // as spelled; empty: not said
	Keywords            []string
	Extra               []Field
}

// Consolidation is a @CONSOLIDATION section.
type Consolidation struct {
	Origin
	ID                   string
	SourceItems          []string // required, at least one
	ConsolidatedAt       Stamp    // required
	Method               Word     // required
	SemanticTheme        *string
	KeyFacts             []string
	InformationPreserved string // a percentage with its sign, as spelled
	CompressionRatio     string // the fraction saved, as spelled
	Extra                []Field
}

// Carried is a @UMP_RECORD section: a whole record of the Universal Memory Protocol that
// rides along, so that it comes back as it was.
type Carried struct {
	Origin
	ID     string // a short form of the record's id
	Entity string // the entry that says the same in this format; empty: none does
	Record string // JSON
	Extra  []Field
}

// Unknown is a section that the format does not know. Its lines are in its Origin.
type Unknown struct {
	Origin
	Name string
	ID   string
}

// Gap is lines that say nothing: separators, bare headers, and what stands before the
// first section. Its lines are in its Origin.
type Gap struct{ Origin }
