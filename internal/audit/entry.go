package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

// Act says what was done.
type Act string

// The acts that are logged.
const (
	Read        Act = "read"            // somebody else than the owner or the owner's agent read records
	Import      Act = "import"          // a document was taken in
	Undo        Act = "undo"            // an import was taken back
	Export      Act = "export"          // records were handed to somebody else
	Grant       Act = "grant"           // a capability token was issued
	Revoke      Act = "revoke"          // a capability token was revoked
	Refuse      Act = "refuse"          // somebody was turned away
	Forget      Act = "forget"          // records became tombstones
	Erase       Act = "erase"           // records were erased
	EraseOwner  Act = "erase_owner"     // everything of the owner was erased
	Expire      Act = "expire"          // the retention of records ran out
	Hold        Act = "hold"            // expired content is held back: the store does not bear the clock out
	Rekey       Act = "rekey"           // the owner went over to another key
	Edition     Act = "edition"         // the owner's memory went over to another edition of UMP
	Restore     Act = "restore"         // the store was brought back from a backup
	AddOwner    Act = "owner_add"       // the operator let an owner in
	SetQuota    Act = "owner_quota"     // the operator changed how much an owner may keep
	DropOwner   Act = "owner_drop"      // the operator erased an owner and shut it out
	Trust       Act = "trust"           // the owner vouched for the keys of a producer of bundles
	Distrust    Act = "distrust"        // and does not any more
	Rotate      Act = "rotate"          // bundles or contexts leave with another signature, or under another name, from now on
	Consent     Act = "consent"         // the owner agreed to something once and for all
	Withdraw    Act = "withdraw"        // and does not any more
	Propose     Act = "propose"         // a correction of a belief was proposed, which waits for the owner
	Correct     Act = "correct"         // the owner gave a belief another value
	Approve     Act = "approve"         // the owner confirmed a proposal
	Reject      Act = "reject"          // or turned it down
	Subscribe   Act = "subscribe"       // somebody is to be told of changes at an address of theirs
	Unsubscribe Act = "unsubscribe"     // and is not any more: by whose word, or why
	Undelivered Act = "undelivered"     // who is to be told could not be reached, so often in a row
	Take        Act = "agent_keep"      // a definition of an agent was taken in
	TurnDown    Act = "import_rejected" // a definition was not taken in, for what its agent needs and this does not have (AAIF-7-9)
	Receive     Act = "agent_receive"   // a checkpoint of an agent was taken in
	Send        Act = "agent_send"      // a checkpoint of an agent left: it was read out, or sent to another platform
	Remove      Act = "agent_remove"    // an agent was removed with its checkpoints, or one of these
	Damage      Act = "damage"          // records failed their verification
	Unreadable  Act = "unreadable"      // what [Entries] returns for an entry that is none,
	Missing     Act = "missing"         // and for one that is not there
)

// Acts returns the acts that are logged, in the order above.
func Acts() []Act {
	return []Act{Read, Import, Undo, Export, Grant, Revoke, Refuse, Forget, Erase, EraseOwner, Expire, Hold, Rekey, Edition, Restore, AddOwner, SetQuota, DropOwner, Trust, Distrust, Rotate, Consent, Withdraw, Propose, Correct, Approve, Reject, Subscribe, Unsubscribe, Undelivered, Take, TurnDown, Receive, Send, Remove, Damage}
}

// The principals that are not named otherwise; see [Agent] and [Token].
const (
	Owner     = "owner"
	Operator  = "operator" // of the store, who is another than the owner
	Anonymous = "anonymous"
)

// Agent names an agent of the owner's as a principal.
func Agent(name string) string { return "agent:" + name }

// Token names the bearer of a capability token as a principal.
func Token(jti string) string { return "token:" + jti }

// Entry is one act. Only what an act needs is set; the zero value of a field
// says nothing.
type Entry struct {
	Number int64 // its place in the log, from 0; the log gives it
	At     time.Time
	Act    Act
	Who    string // owner, operator, agent:NAME, token:JTI or anonymous
	Via    string // http, mcp or cli
	// Records are the marks of the records concerned, at most 1000. Count is how
	// many they were in all.
	Records []string
	Count   int
	Reason  string // a code: why it was done, or the rule that was broken
	Result  string // a code: what came of it
	Format  string // of an import or export
	Import  int64  // number of an import
	// Producer, Checksum and Signature tell of a bundle that was taken in, or of
	// whose keys are vouched for: who made it, which one it was, and what looking at
	// its signature came to (AIMEM 5.3).
	Producer  string
	Checksum  string
	Signature string
	Token     string // jti of the token that was issued or revoked
	Verbs     []memory.Verb
	Project   string // mark of a project
	Agent     string // mark of an agent that a token is limited to, or that it is about
	// Needs are what an agent needs that was not there: ids of capabilities, at most
	// 100. What is no code stands there as "unregistered".
	Needs []string
	// Visibility is the most private kind of record that a token reaches.
	Visibility memory.Visibility
	Until      time.Time // when a token expires
}

// What an entry is kept to.
const (
	maxMarks = 1000
	maxNeeds = 100
	maxName  = 200 // bytes of a principal or a jti, which others choose
	maxCode  = 64
	maxEntry = 64 << 10
)

// bounded returns e cut to what fits, or an error when a field holds what does
// not belong into the log: a name in the place of a mark, words in that of a
// code.
func (e Entry) bounded() (Entry, error) {
	if err := e.check(); err != nil {
		return e, &memory.Error{Kind: memory.Internal, Op: "audit", Message: err.Error()}
	}
	e.Count = max(e.Count, len(e.Records))
	e.Records = e.Records[:min(len(e.Records), maxMarks)]
	e.Who, e.Token, e.Needs = name(e.Who), name(e.Token), needs(e.Needs)
	return e, nil
}

func (e Entry) check() error {
	for _, mark := range append([]string{e.Project, e.Agent}, e.Records...) {
		if mark != "" && !IsMark(mark) {
			return fmt.Errorf("an entry may name records, projects and agents by their marks only; use Log.Mark")
		}
	}
	codes := []string{string(e.Act), e.Via, e.Reason, e.Result, e.Format, string(e.Visibility),
		e.Producer, e.Signature, strings.TrimPrefix(e.Checksum, "sha256:")}
	for _, verb := range e.Verbs {
		codes = append(codes, string(verb))
	}
	for _, code := range codes {
		if !isCode(code) {
			return fmt.Errorf("an entry may say its act, reason and the like by codes of at most %d characters only", maxCode)
		}
	}
	if e.Act == "" || e.At.IsZero() {
		return fmt.Errorf("an entry needs an act and a time")
	}
	return nil
}

// needs returns ids of capabilities as they may be logged, each once.
func needs(ids []string) []string {
	var logged []string
	for _, id := range ids {
		if id == "" || !isCode(id) {
			id = "unregistered"
		}
		if len(logged) < maxNeeds && !slices.Contains(logged, id) {
			logged = append(logged, id)
		}
	}
	return logged
}

// isCode reports whether s is the kind of word that programs choose, not people:
// a reason, a requirement, a format, a route such as /ump/memory/{id}.
func isCode(s string) bool {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.:/+{}", r)
	}
	return len(s) <= maxCode && !strings.ContainsFunc(s, outside)
}

// name cuts a name that somebody else chose.
func name(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxName {
		return s
	}
	end := maxName
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
