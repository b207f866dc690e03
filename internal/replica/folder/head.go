package folder

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// digest is the SHA-256 of a file.
type digest [sha256.Size]byte

// head lists what a machine has published. It is a pack's body, encoded in CBOR by the names
// of the fields. Heads of a machine replace each other in one file.
type head struct {
	Number     int64                           // each head of a machine in a remote has a greater one
	Previous   digest                          // of the head before
	Packs      []packRef                       // hold the machine's items up to Upto
	Upto       replica.Position                // in the machine's stream
	Everything bool                            // the packs hold the machine's whole memory; false: without items that came from this remote
	Began      int64                           // Number of the head with which the machine last published its memory anew
	Large      int64                           // bytes of the packs of that head
	Restored   bool                            // at that head the machine had lost state; the others publish everything for it
	Readers    []memory.DID                    // machines that can decrypt the packs
	Have       map[memory.DID]replica.Position // up to where the machine has joined the streams of others
	Seen       map[memory.DID]int64            // the newest heads of others that the machine has read
	Instead    []replacement
	Lacks      []unreadable
	Log        []byte // see [replica.LogChecker]
}

// packRef names a pack in the part of the machine that lists it.
type packRef struct {
	Name   string // of its file
	Digest digest
	Size   int64            // in bytes
	Plain  int64            // bytes of its items before encryption
	After  replica.Position // its items follow this place in the machine's stream
	Of     []digest         // packs that it replaced because they held something erased
}

// replacement names a pack of another machine that held something erased, and the pack with
// its other items.
type replacement struct {
	Machine memory.DID // that wrote the old pack
	Number  int64      // of that machine's head when the pack was replaced
	Name    string     // of the old pack
	Old     digest
	Rest    *packRef // the new pack; nil: all items of the old one were erased
}

// unreadable names a pack that a machine lists and that another machine could not read.
type unreadable struct {
	Machine memory.DID
	Digest  digest
}

// Limits of a head.
const (
	maxHead   = 8 << 20 // bytes
	maxCopies = 16      // files named like heads in one part
	maxRefs   = 1 << 12 // packs, replacements and unreadable packs
	maxOf     = 8       // packs that one pack replaced
	maxNumber = 1 << 53
)

const (
	purposeHead    = "head"
	purposeRequest = "request"
)

// storedHead is a head in the remote, with its file.
type storedHead struct {
	head
	digest digest
	from   replica.Machine
	name   string // of the file
}

// partHeads reads all heads in a part, also those in conflict copies. It returns the readable
// ones, the greatest number first, and what is wrong with the others.
func (s *syncRun) partHeads(ctx context.Context, p *part) ([]storedHead, []Trouble, error) {
	var all []storedHead
	var troubles []Trouble
	for _, f := range p.copiesOf("head") {
		h, err := s.readHead(ctx, p, f)
		if fault, ok := errors.AsType[replica.Fault](err); ok {
			troubles = append(troubles, s.newTrouble(fault, p.machine, f.Name, err))
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b storedHead) int { return cmp.Compare(b.Number, a.Number) })
	return all, troubles, nil
}

func (s *syncRun) readHead(ctx context.Context, p *part, f File) (storedHead, error) {
	data, err := s.get(ctx, f, maxHead)
	if err != nil {
		return storedHead{}, err
	}
	body, from, err := pack.OpenBody(purposeHead, data, s.reader())
	if err != nil {
		return storedHead{}, err
	}
	if s.tag(from.ID) != p.tag {
		return storedHead{}, replica.ErrSwapped
	}
	h := storedHead{digest: sha256.Sum256(data), from: from, name: f.Name}
	if h.head, err = replica.Decode[head](body); err != nil {
		return storedHead{}, err
	}
	return h, h.check()
}

// check fails with [replica.ErrMalformed] unless a head keeps the limits and its packs have
// names of packs.
func (h *head) check() error {
	wrong := h.Number < 1 || h.Number > maxNumber || len(h.Packs) > maxRefs || len(h.Instead) > maxRefs || len(h.Lacks) > maxRefs
	refs := slices.Clone(h.Packs)
	for _, i := range h.Instead {
		wrong = wrong || !isPack(i.Name)
		if i.Rest != nil {
			refs = append(refs, *i.Rest)
		}
	}
	for _, r := range refs {
		wrong = wrong || !isPack(r.Name) || r.Size < 0 || r.Size > pack.MaxSealed || len(r.Of) > maxOf
	}
	if wrong {
		return fmt.Errorf("%w: a head", replica.ErrMalformed)
	}
	return nil
}

// isPack reports whether a file has a name of packs.
func isPack(name string) bool {
	random, ok := strings.CutSuffix(name, ".age")
	return ok && isRandom(random)
}

// isCopy reports whether a file has a name that sync services give to a conflict copy of a
// pack: "0123… (1).age", "0123….sync-conflict-1.age".
func isCopy(name string) bool {
	return len(name) > 32 && isRandom(name[:32]) && strings.HasSuffix(name, ".age")
}

// isTemporary reports whether a file has a name that [Storage.Put] gives to unfinished files.
func isTemporary(name string) bool { return strings.HasPrefix(name, ".satchel-") }

func isRandom(s string) bool {
	return len(s) == 32 && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// lists reports whether a head lists a pack, or a pack that replaced it.
func (h *head) lists(d digest) bool {
	return slices.ContainsFunc(h.Packs, func(r packRef) bool { return r.is(d) })
}

// is reports whether a pack has a digest, or replaced the pack with that digest.
func (r packRef) is(d digest) bool { return r.Digest == d || slices.Contains(r.Of, d) }
