package aicf

import "time"

// Contents is the entries of a file in order. An entry without its own session or
// conversation belongs to the nearest before it.
type Contents struct {
	Version  Version // effective: declared, else inferred
	Declared string  // the declaration as spelled; empty: there was none
	Dialect  Dialect
	Layout   Layout
	Odd      []OddLine // lines that differ from the layout; they stay so while nothing changes
	Entries  []Entry
}

// Entry is one part of a file: a [*Declaration], [*Session], [*Conversation], [*State],
// [*Insight], [*Decision], [*Link], [*Embedding], [*Consolidation], [*Carried], an
// [*Unknown] section, or a [*Gap] between those. The Raw of all entries, joined by line
// feeds, is the file without its numbers, unless its [Layout] has the whole file.
type Entry interface {
	// Place returns where the entry was read. The caller may change it.
	Place() *Origin
}

// Origin is the place and the lines of an entry in its file. A new entry has the zero
// Origin.
type Origin struct {
	Line int // its first line in the file, from 1
	// Raw is its lines without their numbers and the last line feed. It is written again as
	// long as it still reads as the same entry.
	Raw string
}

// Place implements [Entry].
func (o *Origin) Place() *Origin { return o }

// Field is a member that the type of a section does not hold, in its place: an unknown key,
// an earlier value of a known key, whose last value counts, or an unreadable value.
type Field struct {
	Key string // empty: Raw is a line, or a part of an entry, without a key
	Raw string // the value as spelled, with escapes
}

// Stamp is an instant, and its spelling if the format would write another. The zero
// Stamp is a missing instant. Text counts while it matches Time, or while Time is zero:
// then it replaces the instant.
type Stamp struct {
	time.Time
	Text string
}

// Declaration is a @AICF_VERSION section. The first one counts (AICF-VER-3).
type Declaration struct {
	Origin
	Version string // as spelled, such as "3.1"
	Bare    bool   // it has no key, and stands in its own line or in the header
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

// State is a @STATE section. [Pair.Scope] returns the scope of a pair.
type State struct {
	Origin
	Scope   Word // session (default), user, app, temp
	Status  *Word
	Actions *string
	Flow    []string
	Pairs   []Pair // the other keys, in order; the last of a repeated key counts
	Extra   []Field
}

// Pair is a key of a state and its decoded value. A prefix user:, app: or temp: is part of
// the key.
type Pair struct {
	Key   string
	Value string
	Raw   string // its spelling, if the format would write another; it counts while it matches Value
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
	Rationale  string // required on write; empty in dialects without one
	MemoryType Word
	Extra      []Field
}

// Link is a @LINKS entry. Links belong to the file, not to a conversation.
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
	Entity              string // required: the entity of the vector
	Model               string // required
	Dimension           int64  // required, positive
	Vector              string // required: decimal numbers between commas, as spelled
	Elided              bool   // the vector ends in "...": it is kept and cannot be used
	IndexedAt           Stamp
	SimilarityThreshold string // as spelled; empty: missing
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

// Carried is a @UMP_RECORD section: a whole record of the Universal Memory Protocol, so
// that it comes back unchanged.
type Carried struct {
	Origin
	ID     string // a short form of the record's id
	Entity string // the entry that says the same; empty: none
	Record string // JSON
	Extra  []Field
}

// Unknown is a section that the format does not define. Its Origin has its lines.
type Unknown struct {
	Origin
	Name string
	ID   string
}

// Gap is lines without meaning: separators, bare headers, and the lines before the first
// section. Its Origin has its lines.
type Gap struct{ Origin }
