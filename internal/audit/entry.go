package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// Act says what was done.
type Act string

// The acts in the log.
const (
	Read        Act = "read"            // somebody other than the owner or the owner's agent read records
	Import      Act = "import"          // a document was imported
	Undo        Act = "undo"            // an import was undone, or an act, which the reason names
	Export      Act = "export"          // records went to somebody else
	Grant       Act = "grant"           // a capability token was issued
	Revoke      Act = "revoke"          // a capability token was revoked
	Refuse      Act = "refuse"          // a request was refused
	Forget      Act = "forget"          // records became tombstones
	Erase       Act = "erase"           // records were erased
	EraseOwner  Act = "erase_owner"     // everything of the owner was erased
	Expire      Act = "expire"          // the retention of records ran out
	Hold        Act = "hold"            // the store's clock is in doubt, so expired content is held back
	Rekey       Act = "rekey"           // the owner changed to another key
	Edition     Act = "edition"         // the owner's memory changed to another edition of UMP
	Restore     Act = "restore"         // the store was restored from a backup
	AddOwner    Act = "owner_add"       // the operator added an owner
	SetQuota    Act = "owner_quota"     // the operator changed how much an owner may keep
	DropOwner   Act = "owner_drop"      // the operator erased an owner and closed the account
	Trust       Act = "trust"           // the owner trusts the keys of a producer of bundles
	Distrust    Act = "distrust"        // the owner no longer does
	Rotate      Act = "rotate"          // bundles or contexts have another signature or name from now on
	Consent     Act = "consent"         // the owner gave a lasting consent
	Withdraw    Act = "withdraw"        // the owner withdrew it
	Propose     Act = "propose"         // somebody proposed a correction of a belief, which waits for the owner
	Correct     Act = "correct"         // the owner gave a belief another value
	Approve     Act = "approve"         // the owner confirmed a proposal
	Reject      Act = "reject"          // the owner rejected it
	Subscribe   Act = "subscribe"       // somebody subscribed to changes with an address of theirs
	Unsubscribe Act = "unsubscribe"     // a subscription ended: by whose word, or why
	Undelivered Act = "undelivered"     // the subscriber was unreachable too often in a row
	Take        Act = "agent_keep"      // an agent's definition was imported
	TurnDown    Act = "import_rejected" // a definition was refused because its agent needs what is missing here (AAIF-7-9)
	Receive     Act = "agent_receive"   // an agent's checkpoint was received
	Send        Act = "agent_send"      // an agent's checkpoint was exported, or sent to another platform
	Remove      Act = "agent_remove"    // an agent was removed with its checkpoints, or a checkpoint alone
	RunStart    Act = "run_start"       // a run of an agent was started
	RunResume   Act = "run_resume"      // the owner had a run go on that had come from elsewhere, or was restored
	RunCall     Act = "run_call"        // a run called a tool, or is about to
	RunApprove  Act = "run_approve"     // somebody approved or refused what a run asked for, or nobody did in time: the result says
	RunEnd      Act = "run_end"         // a run ended
	RunRemove   Act = "run_remove"      // runs were removed with what happened in them
	Enter       Act = "enter"           // a browser of the owner's was let in to the pages
	Leave       Act = "leave"           // browsers of the owner's were turned out
	Confirm     Act = "confirm"         // the owner confirmed at a terminal that a browser may do what cannot be undone
	Pause       Act = "pause"           // the owner paused an assistant
	Resume      Act = "resume"          // the owner let it in again
	AddPasskey  Act = "passkey_add"     // a device of the owner's may let browsers in
	DropPasskey Act = "passkey_drop"    // it may no longer
	AddMachine  Act = "machine_add"     // a machine takes part in the owner's memory: by pairing, by acceptance, or as another machine says
	NameMachine Act = "machine_rename"  // it got another name
	DropMachine Act = "machine_remove"  // it was removed for good
	Damage      Act = "damage"          // records failed their verification
	Unreadable  Act = "unreadable"      // [Entries] returns it for an entry that cannot be read,
	Missing     Act = "missing"         // and this for one that is missing
)

// Acts returns the acts that are logged, in the order above.
func Acts() []Act {
	return []Act{Read, Import, Undo, Export, Grant, Revoke, Refuse, Forget, Erase, EraseOwner, Expire, Hold, Rekey, Edition, Restore, AddOwner, SetQuota, DropOwner, Trust, Distrust, Rotate, Consent, Withdraw, Propose, Correct, Approve, Reject, Subscribe, Unsubscribe, Undelivered, Take, TurnDown, Receive, Send, Remove, RunStart, RunResume, RunCall, RunApprove, RunEnd, RunRemove, Enter, Leave, Confirm, Pause, Resume, AddPasskey, DropPasskey, AddMachine, NameMachine, DropMachine, Damage}
}

// Principals without a name of their own; see [Agent] and [Token].
const (
	Owner     = "owner"
	Operator  = "operator" // of the store, if it is not the owner
	Anonymous = "anonymous"
)

// Agent names one of the owner's agents as a principal.
func Agent(name string) string { return "agent:" + name }

// Token names the bearer of a capability token as a principal.
func Token(jti string) string { return "token:" + jti }

// Entry is one act. It sets the fields that the act needs; a zero field says nothing.
type Entry struct {
	Number int64 // its place in the log, from 0; the log sets it
	At     time.Time
	Act    Act
	Who    string // owner, operator, agent:NAME, token:JTI or anonymous
	Via    string // http, mcp or cli
	// Records are the marks of the records concerned, at most 1000. Count is the number of
	// all of them.
	Records []string
	Count   int
	Reason  string // a code: the reason, or the broken rule
	Result  string // a code: the result
	Format  string // of an import or export
	Import  int64  // number of an import
	// Producer, Checksum and Signature describe an imported bundle, or the producer whose
	// keys the owner trusts: the producer, the bundle, and the result of the signature's
	// check (AIMEM 5.3).
	Producer  string
	Checksum  string
	Signature string
	Token     string // jti of the token that was issued or revoked
	Verbs     []memory.Verb
	Project   string // mark of a project
	Agent     string // mark of the agent that a token is limited to, or that the act concerns
	// Needs are the ids of capabilities that an agent needs and that are missing, at most
	// 100. A text that is no code appears as "unregistered".
	Needs []string
	// Visibility is the most private kind of record that a token opens.
	Visibility memory.Visibility
	Until      time.Time // when a token expires
}

// Limits of an entry.
const (
	maxMarks = 1000
	maxNeeds = 100
	maxName  = 200 // bytes of a principal or a jti, which strangers choose
	maxCode  = 64
	maxEntry = 64 << 10
)

// limit returns e cut to the limits. It fails if a field holds what the log must not hold:
// a name instead of a mark, or free text instead of a code.
func (e Entry) limit() (Entry, error) {
	if err := e.check(); err != nil {
		return e, &memory.Error{Kind: memory.Internal, Op: "audit", Message: err.Error()}
	}
	e.Count = max(e.Count, len(e.Records))
	e.Records = e.Records[:min(len(e.Records), maxMarks)]
	e.Who, e.Token, e.Needs = shortName(e.Who), shortName(e.Token), codesOf(e.Needs)
	return e, nil
}

func (e Entry) check() error {
	for _, mark := range append([]string{e.Project, e.Agent}, e.Records...) {
		if mark != "" && !isMark(mark) {
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

// codesOf returns ids of capabilities in a form fit for the log, each once.
func codesOf(ids []string) []string {
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

// isCode reports whether s is a word that programs choose, not people: a reason, a
// requirement, a format, or a route such as /ump/memory/{id}.
func isCode(s string) bool {
	outside := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.:/+{}", r)
	}
	return len(s) <= maxCode && !strings.ContainsFunc(s, outside)
}

// shortName cuts a name that a stranger chose.
func shortName(s string) string {
	return size.Cut(strings.ToValidUTF8(s, "\uFFFD"), maxName)
}
