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

// What was read to tell a context stays in memory for the next one. The rows are read
// from the store each time, and their seals checked; a row that is the same to the byte
// as one whose record was verified is not decoded again, and a belief of which every
// record is the same is not told again.

// maxKept is how many bytes of records are kept of all owners, keptFor for how long
// those of one are that nobody asks for.
const (
	maxKept = 16 << 20
	keptFor = 5 * time.Minute
)

// read is what was read of one owner's records. It is filled while they are read, and
// not changed any more once it is kept. The nil read is empty and stays so.
type read struct {
	versions map[int64]*version // by number of the row
	beliefs  map[memory.ID]readBelief
	bytes    int
	used     time.Time
}

// readBelief is a lineage that was told.
type readBelief struct {
	parts        []*version // versions, then proposals
	since, until time.Time  // when it is told so; zero: always
	told         engram.BeliefHistory
}

func newRead() *read {
	return &read{versions: map[int64]*version{}, beliefs: map[memory.ID]readBelief{}}
}

// version returns what a row says, if it says the same as before.
func (r *read) version(row store.Row) (version, bool) {
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

// add keeps a version of which nothing is left out.
func (r *read) add(ver version) version {
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

// belief returns a lineage as it was told, if it would be told the same at a moment.
func (r *read) belief(l *lineage, at time.Time) (readBelief, bool) {
	if r == nil {
		return readBelief{}, false
	}
	b, ok := r.beliefs[l.root]
	return b, ok && !at.Before(b.since) && (b.until.IsZero() || at.Before(b.until)) &&
		slices.Equal(l.parts(), b.parts)
}

// belief tells a lineage as a belief, or returns it as it was told.
func (p *passport) belief(l *lineage, head int) (engram.BeliefHistory, error) {
	b, ok := p.was.belief(l, p.moment.at)
	if !ok {
		told, err := p.mapper.Belief(l.told(p.moment, head, p.history))
		if err != nil {
			return told, err
		}
		if _, taken := p.taken[told.ID]; p.learn != nil && !taken { // acts are on the one that is told
			p.learn(told.ID, l.versions[0].number)
		}
		e := (&gathered{list: []*lineage{l}}).edge(0, p.moment.at)
		b = readBelief{parts: l.parts(), since: e.since, until: e.until, told: told}
	}
	p.is.tell(l, b)
	return b.told, nil
}

// tell keeps a lineage as it was told, if all its records are kept.
func (r *read) tell(l *lineage, b readBelief) {
	if r != nil && !slices.Contains(b.parts, nil) {
		r.beliefs[l.root] = b
	}
}

// parts are the versions and proposals of a lineage in memory.
func (l *lineage) parts() []*version {
	parts := make([]*version, 0, len(l.versions)+len(l.proposals))
	for _, list := range [][]version{l.versions, l.proposals} {
		for i := range list {
			parts = append(parts, list[i].read)
		}
	}
	return parts
}

// without is r without some records and what was told of them.
func (r *read) without(ids []memory.ID) *read {
	left := newRead()
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

// reads keeps what was read, that of the owners who were asked for last. It is safe
// for concurrent use.
type reads struct {
	mu    sync.Mutex
	by    map[memory.DID]*read
	epoch int // grows when something is dropped
	timer *time.Timer
}

// of returns what is kept of an owner, nil if nothing is, and the epoch.
func (k *reads) of(owner memory.DID) (*read, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.by[owner], k.epoch
}

// keep keeps what was read in an epoch, unless something was dropped since.
func (k *reads) keep(owner memory.DID, r *read, epoch int) {
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
		k.by = map[memory.DID]*read{}
	}
	r.used = time.Now()
	k.by[owner] = r
	if k.timer == nil {
		k.timer = time.AfterFunc(keptFor, k.sweep)
	}
}

func (k *reads) bytes() (sum int) {
	for _, r := range k.by {
		sum += r.bytes
	}
	return sum
}

func (k *reads) oldest() (owner memory.DID) {
	var used time.Time
	for did, r := range k.by {
		if used.IsZero() || r.used.Before(used) {
			owner, used = did, r.used
		}
	}
	return owner
}

// sweep drops what nobody has asked for in a while.
func (k *reads) sweep() {
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

// drop drops records of an owner, without ids everything. What is being read meanwhile
// is not kept either.
func (k *reads) drop(owner memory.DID, ids ...memory.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	r := k.by[owner]
	delete(k.by, owner)
	if r != nil && len(ids) > 0 {
		k.by[owner] = r.without(ids)
	}
}

// proven reports whether a record was verified by its signature.
func (b *beliefs) proven(rec memory.Record) bool {
	return rec.Integrity != nil && b.kernel.IsVerified(ump.Fingerprint(rec.Form()))
}
