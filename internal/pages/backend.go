package pages

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Backend is the service behind the pages, for every owner. It is safe for concurrent use.
type Backend interface {
	Door
	Memories
	Assistants
	Sharing
	Auditor
	Confirmer
	Keyring
	Changer
	Importer
	Doctor
	Surroundings
	Projects
	AgentKeeper
	RunKeeper
	Exporter
	Judge
	AskerSearch
	Watcher
	Operator
	Connector
	Consenter
}

// Door lets browsers in. A visit belongs to the site where it began: what all methods call a
// cookie is the value that [Door.Enter] returned there, followed by "@" and the name of the
// site, if it has one.
type Door interface {
	// Enter spends the secret of a link, or the code for people who type, and returns the
	// value of a cookie. browser names the browser for people. Whatever is wrong with the
	// secret, the error is of kind Unauthorized and the same. At a site with a name the code
	// for a confirmation lets in, too; after too many wrong ones it fails with kind
	// RateLimited.
	Enter(ctx context.Context, at Site, secret, browser string) (cookie string, err error)
	// Exchange makes an entrance for an owner who shows a token for the origin of the pages
	// that makes its bearer the owner in person. It returns the secret of a link and when
	// that ends. It fails like Enter.
	Exchange(ctx context.Context, token, origin string) (secret string, ends time.Time, err error)
	// Resume returns whose browser shows a cookie, or an error of kind Unauthorized.
	Resume(ctx context.Context, cookie string) (memory.Caller, error)
	// SignsElsewhere reports whether the caller keeps their own key, so that this server can
	// sign nothing. The caller is one that Resume returned.
	SignsElsewhere(c memory.Caller) bool
	// Leave makes a cookie worthless. It does nothing for one that is so already.
	Leave(ctx context.Context, cookie string) error
}

// Memories reads the memory of a caller.
type Memories interface {
	// Overview sums up the memory. now ends the last of its weeks.
	Overview(ctx context.Context, c memory.Caller, now time.Time) (Overview, error)
	// List returns one page of memories, newest first.
	List(ctx context.Context, c memory.Caller, q ListQuery) (List, error)
	// Find returns the id of the memory that a name means: an id, with or without its
	// prefix, or the beginning of one. It fails with kind NotFound for a memory of somebody
	// else as for one that does not exist.
	Find(ctx context.Context, c memory.Caller, name string) (memory.ID, error)
	// Memory returns all about one memory. It fails like Find.
	Memory(ctx context.Context, c memory.Caller, id memory.ID) (Memory, error)
	// Search answers a question exactly as an assistant's, and says what the answer lacks.
	Search(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error)
	// Briefing returns what a new session on a project is told; empty: on none. budget is the
	// largest number of tokens, estimated; 0: the default.
	Briefing(ctx context.Context, c memory.Caller, project string, budget int) (Briefing, error)
}

// Weeks is how many weeks an [Overview] counts.
const Weeks = 12

// Overview sums up a memory.
type Overview struct {
	Memories int // in force
	Projects []Project
	Imports  int
	Weeks    [Weeks]int // memories made in each week, the last one first
	Newest   []memory.Record
}

// Briefing is what a new session is told.
type Briefing struct {
	Sections []Section
	Text     string // the same, exactly as it is told
	Tokens   int    // of Text, estimated
	Left     int    // memories that did not fit
	Usual    int    // the budget of a session that asks for none, in tokens
}

// Section is one part of what a new session is told.
type Section struct {
	Title    string
	Memories []memory.Record
}

// PageSize is how many memories a list shows at once.
const PageSize = 50

// ListQuery says what to list.
type ListQuery struct {
	Project    string
	Kind       memory.Kind       // empty: every kind
	Status     memory.Status     // empty: active
	Visibility memory.Visibility // empty: any
	From       string            // the name of an assistant or of an import's origin; empty: anybody
	Import     int64             // number of an import; 0: any
	Since      time.Time
	ValidAt    time.Time // true at this instant; zero: at any
	// After and Before are marks of an earlier page: memories older, or newer, than the mark.
	// At most one is set.
	After, Before string
}

// List is one page of a list.
type List struct {
	Memories []memory.Record
	Older    string // the mark for After; empty: there are none
	Newer    string // the mark for Before; empty: there are none
	Total    int    // of the whole list; -1: not counted
}

// Memory is all about one memory.
type Memory struct {
	memory.Record
	Versions  []memory.Record // of what it says, oldest first, itself included
	Related   []Relation
	Signature Signature
	Short     string // the shortest name that means it, for a command line
}

// Relation leads from one memory to another, or to a thing outside.
type Relation struct {
	Type   string
	Target string
	Text   string // of the memory that Target names; empty: it is none
}

// Signature is whether a memory is as its owner signed it.
type Signature string

// The states of a signature.
const (
	Signed   Signature = "signed"
	Unsigned Signature = "unsigned"
	Broken   Signature = "broken"
)
