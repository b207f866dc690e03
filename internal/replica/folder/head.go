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

// head says what a machine has published. It is a pack's body.
type head struct {
	Number     int64            // counts the heads of this machine in this remote
	Previous   digest           // of the head before
	Packs      []ref            // that hold this machine's items up to Upto
	Upto       replica.Position // by the machine's own count
	Everything bool             // the packs hold the machine's whole memory, not only what began here
	Began      int64            // the first head since the whole was published
	Large      int64            // bytes of the packs at that time
	Restored   bool             // the machine fell back at that time, and asks the others for what it had published
	Readers    []memory.DID     // to whom the packs are encrypted
	Have       map[memory.DID]replica.Position
	Seen       map[memory.DID]int64 // the heads of others that the machine saw here
	Instead    []instead
	Lacks      []lack
	Log        []byte // see [replica.Logs]
}

// ref names a pack.
type ref struct {
	Name   string // in the part of the machine that lists it
	Digest digest
	Size   int64
	Plain  int64            // bytes of its items
	After  replica.Position // it holds items after here, by the count of the machine that lists it
	Of     []digest         // packs of which it is what an erasure left
}

// instead says that a pack of another machine held something erased, and what remains of it.
type instead struct {
	Machine memory.DID
	Number  int64 // of the machine's head at that time
	Name    string
	Old     digest
	Rest    *ref // in the part of the machine that says so; nil: nothing remains
}

// lack says that a machine could not read a pack that another one lists.
type lack struct {
	Machine memory.DID
	Digest  digest
}

// Limits of a head.
const (
	maxHead   = 8 << 20 // bytes
	maxCopies = 16      // files that look like heads in one part
	maxRefs   = 1 << 12
	maxOf     = 8
	maxNumber = 1 << 53
)

const (
	purposeHead    = "head"
	purposeRequest = "request"
)

// storedHead is a head as it lies in the remote.
type storedHead struct {
	head
	digest digest
	from   replica.Machine
	name   string // of its file
}

// heads reads all heads in a part, those that conflict copies hold too. It returns them with
// the greatest number first, and what is wrong with the others.
func (m *meeting) readHeads(ctx context.Context, p *part) ([]storedHead, []Trouble, error) {
	var all []storedHead
	var troubles []Trouble
	for _, f := range p.copiesOf("head") {
		h, err := m.readHead(ctx, p, f)
		if fault := replica.Fault(""); errors.As(err, &fault) {
			troubles = append(troubles, m.trouble(fault, p.machine, f.Name, err))
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

func (m *meeting) readHead(ctx context.Context, p *part, f File) (storedHead, error) {
	data, err := m.get(ctx, f, maxHead)
	if err != nil {
		return storedHead{}, err
	}
	body, from, err := pack.OpenBody(purposeHead, data, m.reader())
	if err != nil {
		return storedHead{}, err
	}
	if m.tag(from.ID) != p.tag {
		return storedHead{}, replica.ErrSwapped
	}
	h := storedHead{digest: sha256.Sum256(data), from: from, name: f.Name}
	if h.head, err = replica.Decode[head](body); err != nil {
		return storedHead{}, err
	}
	return h, h.check()
}

// check holds what a machine wrote to the rules that the code here relies on.
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

// isPack reports whether a file may be named like a pack.
func isPack(name string) bool {
	random, ok := strings.CutSuffix(name, ".age")
	return ok && isRandom(random)
}

// isCopy reports whether something made a copy of a pack, as services that carry folders do
// when they find two: "0123… (1).age", "0123….sync-conflict-1.age".
func isCopy(name string) bool {
	return len(name) > 32 && isRandom(name[:32]) && strings.HasSuffix(name, ".age")
}

// isTemporary reports whether a file may be one that a machine was killed over.
func isTemporary(name string) bool { return strings.HasPrefix(name, ".satchel-") }

func isRandom(s string) bool {
	return len(s) == 32 && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// lists reports whether a head lists a pack, or what remains of it.
func (h *head) lists(d digest) bool {
	return slices.ContainsFunc(h.Packs, func(r ref) bool { return r.is(d) })
}

// is reports whether a pack has a digest, or is what remains of the one that has.
func (r ref) is(d digest) bool { return r.Digest == d || slices.Contains(r.Of, d) }
