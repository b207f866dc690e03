package umptest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Vault keeps memories in a map. Set its exported members before the first call; its
// methods are safe for concurrent use.
type Vault struct {
	// Before runs before every operation, with its name. The operation returns its
	// error. nil: nothing runs before.
	Before func(ctx context.Context, operation string, c memory.Caller) error
	// Level is the offered level; empty: "L2". Below "L3" feedback and subscribe are
	// unsupported.
	Level string

	mu        sync.Mutex
	records   map[memory.ID]memory.Record
	keys      map[string]memory.RememberResult
	events    []loggedEvent
	nextEvent chan struct{} // closed with the next event
	lessons   map[memory.ID][]string
	count     int
	now       time.Time
}

var _ ump.Backend = (*Vault)(nil)

// New returns an empty vault.
func New() *Vault {
	return &Vault{
		records:   map[memory.ID]memory.Record{},
		keys:      map[string]memory.RememberResult{},
		nextEvent: make(chan struct{}),
		lessons:   map[memory.ID][]string{},
		now:       time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
	}
}

// Len returns how many records there are.
func (v *Vault) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.records)
}

func (v *Vault) before(ctx context.Context, operation string, c memory.Caller) error {
	if v.Before == nil {
		return nil
	}
	return v.Before(ctx, operation, c)
}

func (v *Vault) level() string { return cmp.Or(v.Level, "L2") }

// Capabilities returns the vault's level.
func (v *Vault) Capabilities(ctx context.Context, c memory.Caller) (memory.Capabilities, error) {
	if err := v.before(ctx, "capabilities", c); err != nil {
		return memory.Capabilities{}, err
	}
	offered := memory.Capabilities{
		Name: "umptest", Release: "1", UMP: ump.Edition, Conformance: v.level(),
		Bindings: []string{"mcp", "http"}, MaxRecall: 50, Writable: true,
	}
	if c.Speaks() {
		offered.Owner = c.Owner
	}
	return offered, nil
}

// Recall scores a record by the share of the words that it contains, of the query or of
// one of its other wordings.
func (v *Vault) Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error) {
	if err := v.before(ctx, "recall", c); err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	scope, err := authorize(c, memory.ReadVerb, q.Scope)
	if err != nil {
		return nil, err
	}
	q.Scope = scope
	return v.recall(c, q), nil
}

func (v *Vault) recall(c memory.Caller, q memory.Query) []memory.Hit {
	hits := []memory.Hit{}
	for _, r := range v.sorted() {
		share := 0.0
		for _, text := range append([]string{q.Text}, q.Also...) {
			share = max(share, overlap(strings.Fields(strings.ToLower(text)), r.Body.Text))
		}
		if share > 0 && sees(c, r) && matches(q, r) {
			hits = append(hits, memory.Hit{Record: r, Score: share,
				Signals: memory.Signals{Similarity: share, Recency: 1, Salience: 0.5, ScopeMatch: 1}})
		}
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), limit(q.Limit))]
}

// Remember stores a draft, or merges it with an equal record.
func (v *Vault) Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.RememberResult, error) {
	if err := v.before(ctx, "remember", c); err != nil {
		return memory.RememberResult{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if said, ok := v.keys[d.Key]; ok && d.Key != "" {
		return said, nil
	}
	said, err := v.remember(c, d)
	if err == nil && d.Key != "" {
		v.keys[d.Key] = said
	}
	return said, err
}

func (v *Vault) remember(c memory.Caller, d memory.Draft) (memory.RememberResult, error) {
	r := d.Record
	if r.Scope.Owner != c.Owner || c.Role < memory.Peer {
		return memory.RememberResult{}, refusal(memory.ForbiddenScope, "/record/scope/owner", "only the owner's own memory may be written")
	}
	scope, err := authorizeWrite(c, r)
	if err != nil {
		return memory.RememberResult{}, err
	}
	r.Scope = scope
	if r.Scope.Visibility == memory.Public && r.Consent != nil && r.Consent.Exportable != nil && !*r.Consent.Exportable {
		return memory.RememberResult{}, refusal(memory.ConsentViolation, "/record/consent", "a public record must be exportable")
	}
	for _, known := range v.records { // at most one is equal
		if known.Lifecycle.Status.Or() == memory.Active && known.Body.Text == r.Body.Text && known.Kind == r.Kind && known.Scope.Project == r.Scope.Project {
			v.logEvent(memory.WasMerged, known)
			return memory.RememberResult{ID: known.ID, Outcome: memory.Merged}, nil
		}
	}
	r = v.fill(c, r)
	v.records[r.ID] = r
	v.logEvent(memory.WasCreated, r)
	return memory.RememberResult{ID: r.ID, Outcome: memory.Created}, nil
}

// fill completes a draft as section 3.3 says.
func (v *Vault) fill(c memory.Caller, r memory.Record) memory.Record {
	now := v.tick()
	if r.Version == "" {
		r.Version = ump.Edition
	}
	if r.ID == "" {
		r.ID = v.id()
	}
	if r.Scope.Visibility == "" {
		r.Scope.Visibility = memory.Private
	}
	if r.Time.Created.IsZero() {
		r.Time.Created = now
	}
	if r.Provenance == nil {
		r.Provenance = &memory.Provenance{Actor: string(c.Owner), ActorKind: memory.ByAgent, Method: "remember",
			Source: &memory.Source{Ref: sourceRef(c)}}
	}
	r.Lifecycle.Status = memory.Active
	r.Origin, r.Current = nil, nil
	return r
}

// Get returns a record the caller may see.
func (v *Vault) Get(ctx context.Context, c memory.Caller, id memory.ID, _ memory.View) (memory.Record, error) {
	if err := v.before(ctx, "get", c); err != nil {
		return memory.Record{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.get(c, id)
}

func (v *Vault) get(c memory.Caller, id memory.ID) (memory.Record, error) {
	if _, err := authorize(c, memory.ReadVerb, memory.Scope{}); err != nil {
		return memory.Record{}, err
	}
	return v.find(c, id)
}

func (v *Vault) find(c memory.Caller, id memory.ID) (memory.Record, error) {
	r, ok := v.records[id]
	switch {
	case ok && sees(c, r):
		return r, nil
	case ok && c.Role == memory.Peer && c.Grant != nil && r.Scope.Owner == c.Owner && isOpenTo(c, r):
		return memory.Record{}, refusal(memory.ForbiddenScope, "/id", "the token is for another project or agent")
	}
	return memory.Record{}, refusal(memory.NotFound, "/id", "there is no such record")
}

func (v *Vault) sorted() []memory.Record {
	all := make([]memory.Record, 0, len(v.records))
	for _, r := range v.records {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b memory.Record) int {
		return cmp.Or(a.Time.Created.Compare(b.Time.Created), cmp.Compare(a.ID, b.ID))
	})
	return all
}

func (v *Vault) tick() time.Time {
	v.now = v.now.Add(time.Second)
	return v.now
}

// id returns the next id: a count in base 32.
func (v *Vault) id() memory.ID { return memory.ID("urn:ump:" + v.word()) }

func (v *Vault) word() string {
	v.count++
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	digits := []byte(strings.Repeat("a", 26))
	for i, n := 0, v.count; n > 0; i, n = i+1, n/32 { // the least digit first: IDs differ at the beginning
		digits[i] = letters[n%32]
	}
	return string(digits)
}

func refusal(kind memory.ErrorKind, path, message string) error {
	return &memory.Error{Kind: kind, Path: path, Message: message}
}
