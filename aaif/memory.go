package aaif

import (
	"fmt"
	"iter"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// SnapshotOptions say whose memory to capture, and when.
type SnapshotOptions struct {
	Now     time.Time // the time of capture; zero: items keep the times they had
	User    string    // the person whose run it is; empty: the owner. Records about others are left out
	Session string    // the run's session; records of others are left out
	AgentID string    // the agent; empty: any. Records of others are left out
}

// Snapshot returns records as items of memory_snapshot, and lists what items cannot
// express (AAIF-8.1-13). It leaves out records that have expired, that are not or no
// longer believed, and those of other people, sessions and agents. No record or item
// holds a vector (AAIF-8.1-14).
//
// Snapshot does not decide whether consent and visibility let a record leave: the caller
// passes only records that the vault's gate let through.
func Snapshot(records iter.Seq[memory.Record], o SnapshotOptions) ([]MemoryItem, []codec.Loss) {
	var items []MemoryItem
	var lost []codec.Loss
	n := 0
	for r := range records {
		at := o.Now
		if at.IsZero() {
			at = r.Time.Created
		}
		if why := o.exclusion(r, at); why != "" {
			lost = append(lost, codec.Loss{ID: r.ID, Reason: why})
			continue
		}
		items = append(items, o.item(r, at, n))
		lost = append(lost, lossesOf(r, !o.Now.IsZero())...)
		n++
	}
	return items, lost
}

// exclusion says why the snapshot leaves a record out.
func (o SnapshotOptions) exclusion(r memory.Record, at time.Time) string {
	scope := scopeOf(r)
	end := endOf(r)
	switch {
	case r.Lifecycle.Status.Or() != memory.Active || len(r.SupersededBy) > 0:
		return lossNotActive
	case !end.IsZero() && !at.Before(end):
		return lossExpired
	case scope != LongTermScope && r.Scope.User != o.User:
		return lossUser
	case r.Scope.Session != "" && r.Scope.Session != o.Session:
		return lossSession
	case r.Scope.Agent != "" && o.AgentID != "" && r.Scope.Agent != o.AgentID:
		return lossAgent
	}
	return ""
}

// item makes an item of a record. A record that came from an item keeps that item's
// members.
func (o SnapshotOptions) item(r memory.Record, at time.Time, n int) MemoryItem {
	was, _ := codec.Residue(r, format)
	it := view[MemoryItem](was)
	it.Scope, it.Content = scopeOf(r), r.Body.Text
	switch {
	case was.Has("key"):
	case r.ID != "":
		it.Key = string(r.ID)
	default:
		it.Key = fmt.Sprintf("record-%d", n)
	}
	if !o.Now.IsZero() {
		it.CapturedAt = o.Now
	} else if it.CapturedAt.IsZero() && was.Type() == canon.TypeUndefined {
		it.CapturedAt = r.Time.Created
	}
	if ttl, ok := remainingTTL(r, at); ok || it.TTL <= longestTTL {
		it.TTL = ttl
	}
	return it
}

// scopeOf returns the scope of a record. Only memory that arrived as shared and belongs
// to nobody is shared by all users: everything else a person said stays that person's.
func scopeOf(r memory.Record) Scope {
	was, _ := codec.Residue(r, format)
	switch {
	case r.Scope.Session != "":
		return SessionScope
	case r.Kind == memory.Working:
		return TaskScope
	case Scope(was.Get("scope").Text()) == LongTermScope && r.Scope.User == "":
		return LongTermScope
	}
	return UserScope
}

// endOf returns when a record expires, by its retention or because it ceases to be true.
func endOf(r memory.Record) time.Time {
	end := r.Time.ValidTo
	if r.Consent == nil {
		return end
	}
	d, err := memory.ParseDuration(r.Consent.Retention)
	if err != nil {
		return end
	}
	if by := d.After(r.Time.Created); end.IsZero() || by.Before(end) {
		return by
	}
	return end
}

// remainingTTL returns for how many seconds a record still lasts, and whether it ends at
// all. It rounds up, since 0 means no end (decision R34).
func remainingTTL(r memory.Record, at time.Time) (int, bool) {
	end := endOf(r)
	if end.IsZero() {
		return 0, false
	}
	seconds := end.Unix() - at.Unix()
	if end.Nanosecond() > at.Nanosecond() {
		seconds++
	}
	return int(seconds), true
}

// MemoryOptions say for whom to restore the memory of a state, and when. The zero
// MemoryOptions restore nothing personal.
type MemoryOptions struct {
	Now   time.Time // the start of times to live; zero: checkpoint_at
	Owner memory.DID
	// SameUser says that the person who restores the state is the one whose run it was.
	// [SamePrincipal] tells; for a state that never left, the platform knows (decision
	// R26).
	SameUser bool
	User     string // that person; empty: the owner
	Session  string // the session that goes on; empty: a new one, without the memory of the old session
}

// Memories returns the items of memory_snapshot as drafts of records, and lists what
// records cannot express. If user or session items belong to somebody else it returns
// nothing but a PRINCIPAL_MISMATCH (AAIF-8.2-9, AAIF-U.Q-1). Unknown members of an item
// are kept as residue, so that [Snapshot] makes the same item again.
func (s State) Memories(o MemoryOptions) ([]memory.Record, []codec.Loss, error) {
	if o.Now.IsZero() {
		o.Now = s.CheckpointAt
	}
	var drafts []memory.Record
	var lost []codec.Loss
	if mismatched := s.PrincipalMismatches(); !o.SameUser && len(mismatched) > 0 {
		return nil, nil, mismatched[0]
	}
	for i, it := range s.Memory {
		pointer := item("/memory_snapshot", i)
		if why := o.skipReason(it); why != "" {
			lost = append(lost, codec.Loss{Pointer: pointer, Reason: why})
			continue
		}
		if it.TTL > longestTTL {
			lost = append(lost, codec.Loss{Pointer: pointer + "/ttl_remaining_seconds", Reason: lossLongTTL})
		}
		drafts = append(drafts, s.draft(it, o))
	}
	return drafts, lost, nil
}

// PrincipalMismatches returns a refusal for every personal item of memory, for a state
// that goes to another person than the one whose run it was. [SamePrincipal] tells them
// apart (AAIF-8.2-9, AAIF-U.Q-1).
func (s State) PrincipalMismatches() []*codec.ParseError {
	var found []*codec.ParseError
	for i, it := range s.Memory {
		if it.Scope.IsPersonal() && len(found) < mostViolations {
			found = append(found, fault(PrincipalMismatch, "8.2-9", item("/memory_snapshot", i),
				"memory of scope %s, and nothing says that the run is this person's", Shown(string(it.Scope))))
		}
	}
	return found
}

// skipReason says why an item is not restored.
func (o MemoryOptions) skipReason(it MemoryItem) string {
	switch {
	case it.Content == "":
		return lossEmpty
	case it.TTL < 0:
		return lossExpired
	case it.Scope == SessionScope && o.Session == "":
		return lossNewSession
	}
	return ""
}

// draft makes a record of an item.
func (s State) draft(it MemoryItem, o MemoryOptions) memory.Record {
	return it.record(o, s.AgentID, memory.Provenance{ActorKind: memory.ByImport, Actor: s.AgentID, Method: format,
		Source: &memory.Source{Ref: s.ID + "#" + it.Key, Provider: s.Provenance.SourcePlatform}})
}

// Noted returns what a run of an agent wrote into memory as a draft of a record, in the form in
// which [State.Memories] returns what a run wrote elsewhere. The draft's source names the run.
func Noted(it MemoryItem, o MemoryOptions, agentID, runID string) memory.Record {
	return it.record(o, agentID, memory.Provenance{ActorKind: memory.ByAgent, Actor: agentID, Method: format, Source: &memory.Source{Ref: runID + "#" + it.Key}})
}

// record makes a record of an item that an agent wrote.
func (it MemoryItem) record(o MemoryOptions, agentID string, said memory.Provenance) memory.Record {
	r := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: it.Content}, Scope: memory.Scope{Owner: o.Owner}, Time: memory.Times{Created: o.Now}, Provenance: &said}
	if it.Scope != LongTermScope {
		r.Scope.User = o.User
	}
	switch it.Scope {
	case SessionScope:
		r.Kind, r.Scope.Session = memory.Working, o.Session
	case TaskScope:
		r.Kind, r.Scope.Agent = memory.Working, agentID
	}
	if !it.CapturedAt.After(o.Now) {
		r.Time.Observed = it.CapturedAt
	}
	if it.TTL > 0 && it.TTL <= longestTTL {
		r.Consent = &memory.Consent{Retention: retention(it.TTL)}
	}
	return codec.WithResidue(r, format, document(it).Without("content"))
}

// longestTTL is the longest time to live in seconds: a hundred years.
const longestTTL = 100 * 365 * 24 * 60 * 60

// retention writes seconds as a duration of days and seconds.
func retention(seconds int) string {
	const day = 24 * 60 * 60
	switch days, rest := seconds/day, seconds%day; {
	case days == 0:
		return fmt.Sprintf("PT%dS", rest)
	case rest == 0:
		return fmt.Sprintf("P%dD", days)
	default:
		return fmt.Sprintf("P%dDT%dS", days, rest)
	}
}

// KeepsLongTerm reports whether a policy allows writing memory that all users of an agent
// share (decision R45).
func KeepsLongTerm(safety Safety, pii PII) bool {
	return !safety.IsStrict() || pii == PIIAnonymize || pii == PIIEncrypt
}
