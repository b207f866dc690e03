package audit

import (
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/internal/store"
)

// chunk is how many entries the verifier reads at once.
const chunk = 256

// leaf is the hash of an entry, or the stored hash.
type leaf struct {
	hash    tlog.Hash
	unknown bool // the entry or the stored hash is missing
}

// window is a stream of leaves with lookahead.
type window struct {
	ahead []leaf
	more  func() ([]leaf, error) // the next leaves; none: the end
	done  bool
}

// at returns the i-th leaf ahead, if there is one.
func (w *window) at(i int) (leaf, bool, error) {
	for len(w.ahead) <= i && !w.done {
		next, err := w.more()
		if err != nil {
			return leaf{}, false, err
		}
		w.done = len(next) == 0
		w.ahead = append(w.ahead, next...)
	}
	if i >= len(w.ahead) {
		return leaf{}, false, nil
	}
	return w.ahead[i], true, nil
}

// take skips n leaves.
func (w *window) take(n int) { w.ahead = w.ahead[n:] }

// find returns how far ahead h is, from 1 to lookahead, or 0.
func (w *window) find(h tlog.Hash) (int, error) {
	for i := 1; i <= lookahead; i++ {
		l, ok, err := w.at(i)
		if err != nil || !ok {
			return 0, err
		}
		if !l.unknown && l.hash == h {
			return i, nil
		}
	}
	return 0, nil
}

// entries returns the hashes of the entries, with an unknown leaf for each missing entry.
func (v *verifier) entries(r Reader) (*window, error) {
	size, _, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	g := &growth{verifier: v}
	g.mark()
	place := int64(0)
	return &window{more: func() ([]leaf, error) {
		raws, err := r.AuditEntries(place, chunk)
		if err != nil {
			return nil, err
		}
		leaves := make([]leaf, len(raws))
		for i, raw := range raws {
			leaves[i].hash = tlog.RecordHash(raw)
			g.add(leaves[i].hash)
		}
		if len(raws) == 0 {
			leaves, err = gap(r, place, size)
		}
		place += int64(len(leaves))
		return leaves, err
	}}, nil
}

// gap returns unknown leaves for the entries that are missing from place on, up to the next
// existing one.
func gap(r Reader, place, size int64) (out []leaf, err error) {
	for ; place < size && len(out) < chunk; place++ {
		raws, err := r.AuditEntries(place, 1)
		if err != nil || len(raws) > 0 {
			return out, err
		}
		out = append(out, leaf{unknown: true})
	}
	return out, nil
}

// growth computes the root of the entries at each point of interest.
type growth struct {
	*verifier
	tree peaks
}

func (g *growth) add(h tlog.Hash) {
	g.report.Entries++
	g.tree.add(h, nil)
	g.mark()
}

func (g *growth) mark() {
	for _, p := range g.points() {
		if p.Size == g.tree.size {
			p.reached, p.root = true, g.tree.root()
		}
	}
}

// stored returns the stored hashes of entries. It compares those of subtrees with the
// hashes below them.
func (v *verifier) stored(r Reader) (*window, error) {
	_, count, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	var tree peaks
	return &window{more: func() ([]leaf, error) {
		first, last := tlog.StoredHashCount(tree.size), min(tlog.StoredHashCount(tree.size+chunk), count)
		hashes, err := readHashes(r, first, last)
		if err != nil {
			return nil, err
		}
		var leaves []leaf
		for len(hashes) > 0 {
			leaves = append(leaves, hashes[0])
			hashes = v.addStored(&tree, hashes)
		}
		return leaves, nil
	}}, nil
}

// addStored adds the first stored hash as a leaf, compares the next ones with the subtrees
// that it completes, and returns the rest. It goes on with the stored values, so that one
// wrong hash does not count again at every level above.
func (v *verifier) addStored(tree *peaks, hashes []leaf) []leaf {
	number, below := tree.size, hashes[0]
	hashes = hashes[1:]
	if below.unknown {
		v.addFinding(HashBroken, number, "the stored hash of entry %d is missing", number)
	}
	tree.add(below.hash, func(want tlog.Hash) tlog.Hash {
		next := leaf{unknown: true}
		if len(hashes) > 0 {
			next, hashes = hashes[0], hashes[1:]
		}
		switch {
		case next.unknown:
			v.addFinding(HashBroken, number, "a stored hash over entries up to %d is missing", number)
			next.hash = want
		case next.hash != want && !below.unknown:
			v.addFinding(HashBroken, number, "a stored hash over entries up to %d is not what those below it give", number)
		}
		below = leaf{hash: next.hash}
		return next.hash
	})
	return hashes
}

// readHashes reads the hashes from place first to last, without last. If some are missing,
// it finds out which.
func readHashes(r Reader, first, last int64) ([]leaf, error) {
	if first >= last {
		return nil, nil
	}
	places := make([]int64, last-first)
	for i := range places {
		places[i] = first + int64(i)
	}
	raws, err := r.AuditHashes(places)
	if errors.Is(err, store.ErrNotFound) && len(places) > 1 {
		middle := first + (last-first)/2
		left, err := readHashes(r, first, middle)
		if err != nil {
			return nil, err
		}
		right, err := readHashes(r, middle, last)
		return append(left, right...), err
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	out := make([]leaf, len(places))
	for i := range out {
		out[i].unknown = i >= len(raws) || len(raws[i]) != tlog.HashSize
		if !out[i].unknown {
			copy(out[i].hash[:], raws[i])
		}
	}
	return out, nil
}
