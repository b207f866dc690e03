package audit

import "golang.org/x/mod/sumdb/tlog"

// peaks are the roots of the complete subtrees of a growing tree, largest first. They
// suffice to grow the tree and to compute its root.
type peaks struct {
	size   int64
	hashes []tlog.Hash
}

// add appends a leaf. For every subtree that the leaf completes, smallest first, it calls
// complete, if any, with the subtree's hash; complete returns the hash to go on with.
func (p *peaks) add(leaf tlog.Hash, complete func(tlog.Hash) tlog.Hash) {
	h := leaf
	for n := p.size; n&1 == 1; n >>= 1 {
		last := len(p.hashes) - 1
		h = tlog.NodeHash(p.hashes[last], h)
		p.hashes = p.hashes[:last]
		if complete != nil {
			h = complete(h)
		}
	}
	p.hashes = append(p.hashes, h)
	p.size++
}

// root returns the root of the tree (RFC 6962, 2.1).
func (p *peaks) root() tlog.Hash {
	if p.size == 0 {
		h, _ := tlog.TreeHash(0, nil) // needs no hashes and cannot fail
		return h
	}
	last := len(p.hashes) - 1
	h := p.hashes[last]
	for i := last - 1; i >= 0; i-- {
		h = tlog.NodeHash(p.hashes[i], h)
	}
	return h
}
