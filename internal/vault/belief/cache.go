package belief

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// The cache keeps the records behind a context for the next one. Each context still
// reads the rows from the store and checks their seals. A row that equals a verified one
// byte for byte is not decoded again. A belief whose records are all unchanged is not
// mapped again.

// maxKept is how many bytes of records are kept for all owners together. keptFor is how
// long one owner's records stay without a request.
const (
	maxKept = 16 << 20
	keptFor = 5 * time.Minute
)

// cachedRecords are one owner's records in memory. A read fills them; once kept, they do
// not change. A nil value is empty and stays empty.
type cachedRecords struct {
	versions map[int64]*version // by number of the row
	beliefs  map[memory.ID]cachedBelief
	bytes    int
	used     time.Time
}

// cachedBelief is a lineage that was mapped to a belief.
type cachedBelief struct {
	parts        []*version // versions, then proposals
	since, until time.Time  // when the mapping holds; zero: always
	told         engram.BeliefHistory
}

func newCachedRecords() *cachedRecords {
	return &cachedRecords{versions: map[int64]*version{}, beliefs: map[memory.ID]cachedBelief{}}
}

// version returns the decoded row, if the row is unchanged.
func (r *cachedRecords) version(row store.Row) (version, bool) {
	if r == nil {
		return version{}, false
	}
	was := r.versions[row.Number]
	if was == nil || was.id != row.ID || was.imp != row.Columns.Import ||
		!bytes.Equal(was.rec.Origin, row.Origin) || !bytes.Equal(was.rec.Current, row.Current) {
		return version{}, false
	}
	return *was, true
}

// add keeps a version that has no redacted part.
func (r *cachedRecords) add(ver version) version {
	if r == nil || ver.damaged || ver.unredacted != nil || ver.redacts() {
		return ver
	}
	if ver.read == nil {
		kept := ver
		ver.read = &kept
		kept.read = ver.read
	}
	r.versions[ver.number] = ver.read
	r.bytes += len(ver.rec.Origin) + len(ver.rec.Current)
	return ver
}

// belief returns the cached belief of a lineage, if it still holds at a moment.
func (r *cachedRecords) belief(l *lineage, at time.Time) (cachedBelief, bool) {
	if r == nil {
		return cachedBelief{}, false
	}
	b, ok := r.beliefs[l.root]
	return b, ok && !at.Before(b.since) && (b.until.IsZero() || at.Before(b.until)) &&
		slices.Equal(l.parts(), b.parts)
}

// belief maps a lineage to a belief, or returns it from the cache.
func (p *passport) belief(l *lineage, head int) (engram.BeliefHistory, error) {
	b, ok := p.was.belief(l, p.moment.at)
	if !ok {
		told, err := p.mapper.Belief(l.visible(p.moment, head, p.history))
		if err != nil {
			return told, err
		}
		if _, taken := p.taken[told.ID]; p.learn != nil && !taken { // acts change the belief that contexts show
			p.learn(told.ID, l.versions[0].number)
		}
		e := (&lineageSet{list: []*lineage{l}}).edge(0, p.moment.at)
		b = cachedBelief{parts: l.parts(), since: e.since, until: e.until, told: told}
	}
	p.is.tell(l, b)
	return b.told, nil
}

// tell caches the belief of a lineage, if all its records are cached.
func (r *cachedRecords) tell(l *lineage, b cachedBelief) {
	if r != nil && !slices.Contains(b.parts, nil) {
		r.beliefs[l.root] = b
	}
}

// parts returns the cached versions and proposals of a lineage.
func (l *lineage) parts() []*version {
	parts := make([]*version, 0, len(l.versions)+len(l.proposals))
	for _, list := range [][]version{l.versions, l.proposals} {
		for i := range list {
			parts = append(parts, list[i].read)
		}
	}
	return parts
}

// without returns a copy of r without some records and the beliefs made of them.
func (r *cachedRecords) without(ids []memory.ID) *cachedRecords {
	left := newCachedRecords()
	left.used = r.used
	for number, ver := range r.versions {
		if !slices.Contains(ids, ver.id) {
			left.versions[number] = ver
			left.bytes += len(ver.rec.Origin) + len(ver.rec.Current)
		}
	}
	for root, b := range r.beliefs {
		if !slices.ContainsFunc(b.parts, func(part *version) bool { return slices.Contains(ids, part.id) }) {
			left.beliefs[root] = b
		}
	}
	return left
}

// recordCache keeps the records of the owners who were asked for last. It is safe for
// concurrent use.
type recordCache struct {
	mu    sync.Mutex
	by    map[memory.DID]*cachedRecords
	epoch int // grows when something is dropped
	timer *time.Timer
}

// of returns the records kept for an owner, nil if there are none, and the epoch.
func (k *recordCache) of(owner memory.DID) (*cachedRecords, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.by[owner], k.epoch
}

// keep keeps records that were read in an epoch, unless something was dropped since.
func (k *recordCache) keep(owner memory.DID, r *cachedRecords, epoch int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.by, owner)
	if epoch != k.epoch || r.bytes > maxKept {
		return
	}
	for k.bytes()+r.bytes > maxKept {
		delete(k.by, k.oldest())
	}
	if k.by == nil {
		k.by = map[memory.DID]*cachedRecords{}
	}
	r.used = time.Now()
	k.by[owner] = r
	if k.timer == nil {
		k.timer = time.AfterFunc(keptFor, k.sweep)
	}
}

func (k *recordCache) bytes() (sum int) {
	for _, r := range k.by {
		sum += r.bytes
	}
	return sum
}

func (k *recordCache) oldest() (owner memory.DID) {
	var used time.Time
	for did, r := range k.by {
		if used.IsZero() || r.used.Before(used) {
			owner, used = did, r.used
		}
	}
	return owner
}

// sweep drops the records that nobody has requested for keptFor.
func (k *recordCache) sweep() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for owner, r := range k.by {
		if time.Since(r.used) >= keptFor {
			delete(k.by, owner)
		}
	}
	k.timer = nil
	if len(k.by) > 0 {
		k.timer = time.AfterFunc(keptFor/5, k.sweep)
	}
}

// drop drops records of an owner; without ids, all of them. A read in progress is not
// kept either.
func (k *recordCache) drop(owner memory.DID, ids ...memory.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	r := k.by[owner]
	delete(k.by, owner)
	if r != nil && len(ids) > 0 {
		k.by[owner] = r.without(ids)
	}
}

// proven reports whether a record's signature was verified.
func (b *beliefs) proven(rec memory.Record) bool {
	return rec.Integrity != nil && b.kernel.IsVerified(ump.Fingerprint(rec.Form()))
}
