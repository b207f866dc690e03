package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// When this machine publishes the whole anew, so that a remote does not grow for ever: when
// it has grown by so many times, and so many bytes.
const (
	growth     = 3
	growthFrom = 16 << 20
)

// When this machine publishes its last packs anew as one: when so many are of about the same
// size, or smaller than the others. What has changed is so written some four times in all.
const merged = 8

// patience is how many meetings running see packs of a machine damaged before another
// machine publishes what was in them.
const patience = 3

// prepare decides whether to publish the whole anew.
func (m *meeting) prepare(ctx context.Context) error {
	everything, err := m.decide(ctx)
	if err == nil && m.whole {
		m.beginWhole(everything, m.restored)
	}
	return err
}

// beginWhole lets the next head list no pack of those before.
func (m *meeting) beginWhole(everything, restored bool) {
	m.whole = true
	m.next.Packs, m.next.Upto, m.next.Began = nil, replica.Position{}, m.next.Number
	m.next.Everything = everything || !m.othersHaveEverything()
	m.next.Readers, m.next.Restored = dids(m.members()), restored
}

// seeOwn takes this machine's head among all that lie in its part.
func (m *meeting) seeOwn(all []storedHead, told bool) {
	m.own, m.next = nil, head{}
	for _, h := range all {
		if h.digest == m.state.Head || h.digest == m.state.Intent {
			m.own = &h
			break
		}
	}
	if m.own != nil && m.own.digest != m.state.Head { // killed before it could say so
		m.state.Number, m.state.Head, m.state.Scanned = m.own.Number, m.own.digest, m.own.Upto
	}
	m.restored = m.fellBack(all, told)
	if m.own != nil {
		m.next = m.own.head
		m.next.Packs, m.next.Instead = slices.Clone(m.own.Packs), slices.Clone(m.own.Instead)
	}
	m.next.Number = m.state.Number + 1
	if len(all) > 0 {
		m.next.Number = max(m.next.Number, all[0].Number+1)
	}
}

// fellBack tells when this machine's head is not the one that it left. It reports whether
// this machine may have forgotten what it published.
func (m *meeting) fellBack(all []storedHead, told bool) bool {
	own := m.partOf(m.self.ID)
	switch {
	case len(all) > 0 && (m.own == nil || m.own.digest != all[0].digest) && all[0].Number >= m.state.Number:
		if m.state.Number > 0 { // otherwise the remote was met at another address
			m.tell(replica.ErrTwin, m.self.ID, all[0].name, nil)
		}
		m.own = nil
		return true
	case m.own == nil && m.state.Number > 0 && len(all) > 0:
		m.tell(replica.ErrRolledBack, m.self.ID, all[0].name, nil)
	case m.own == nil && m.state.Number > 0 && !told:
		m.tell(replica.ErrWithheld, m.self.ID, m.path(own, "head.age"), nil)
	}
	return false
}

// decide sets whole. It reports whether the whole has to be everything, also what came from
// others here.
func (m *meeting) decide(ctx context.Context) (everything bool, err error) {
	everything = m.repair()
	m.whole = m.own == nil || everything
	if m.own == nil {
		return everything, nil
	}
	members := dids(m.members())
	gone := slices.ContainsFunc(m.own.Readers, func(id memory.DID) bool { return !slices.Contains(members, id) })
	var size int64
	for _, r := range m.own.Packs {
		size += r.Size
	}
	m.whole = m.whole || gone || !slices.Equal(m.own.Readers, members) || len(m.own.Packs) > maxRefs/2 ||
		size > growthFrom+growth*m.own.Large
	if !m.whole {
		m.whole, err = m.damaged(ctx)
	}
	return everything || gone, err
}

// damaged reports whether a pack of this machine is not as it was written.
func (m *meeting) damaged(ctx context.Context) (bool, error) {
	for _, r := range m.own.Packs {
		f, there := m.partOf(m.self.ID).files[r.Name]
		complaint := slices.ContainsFunc(m.heads, func(h storedHead) bool {
			return h.Seen[m.self.ID] == m.own.Number && slices.Contains(h.Lacks, lack{m.self.ID, r.Digest})
		})
		if there && f.Size == r.Size && !complaint {
			continue
		}
		_, _, err := m.fetch(ctx, m.self.ID, r)
		if fault := replica.Fault(""); errors.As(err, &fault) {
			m.tell(fault, m.self.ID, r.Name, err)
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// repair reports whether this machine has to publish everything because another one's packs
// stay damaged, or because another one has fallen back.
func (m *meeting) repair() bool {
	needed := false
	for _, h := range m.heads {
		o := m.state.Others[h.from.ID]
		if m.isDamaged(h) {
			o.Damaged++
		} else {
			o.Damaged = 0
		}
		if o.Damaged >= patience && o.Repaired < h.Number || h.Restored && o.Repaired < h.Began {
			needed, o.Repaired, o.Damaged = true, h.Number, 0
		}
		m.state.Others[h.from.ID] = o
	}
	return needed
}

// isDamaged reports whether a pack that another machine lists is not there, or whether
// somebody could not read one.
func (m *meeting) isDamaged(h storedHead) bool {
	p := m.partOf(h.from.ID)
	for _, r := range h.Packs {
		lacking := slices.Contains(m.lacks, lack{h.from.ID, r.Digest}) || slices.ContainsFunc(m.heads, func(by storedHead) bool {
			return by.Seen[h.from.ID] == h.Number && slices.Contains(by.Lacks, lack{h.from.ID, r.Digest})
		})
		f, there := p.files[r.Name]
		if lacking || (!there || f.Size != r.Size) && !m.isReplaced(h.from.ID, r) {
			return true
		}
	}
	return false
}

func (m *meeting) isReplaced(machine memory.DID, r ref) bool {
	for _, i := range m.insteads() {
		if i.Machine == machine && i.Old == r.Digest {
			return true
		}
	}
	return false
}

// othersHaveEverything reports whether another machine has published its whole memory for
// all that take part, so that this one need only add what began here.
func (m *meeting) othersHaveEverything() bool {
	members := dids(m.members())
	return slices.ContainsFunc(m.heads, func(h storedHead) bool {
		return h.Everything && slices.Equal(h.Readers, members) && !m.isDamaged(h)
	})
}

// publish writes what is new here, and the head that lists it.
func (m *meeting) publish(ctx context.Context) error {
	after, remote := m.state.Scanned, m.Name
	if m.whole {
		after = replica.Position{}
		m.result.Whole = true
		if m.next.Everything {
			remote = ""
		}
	}
	if at := mergeFrom(m.next.Packs, int64(m.PackSize)/2); at < len(m.next.Packs) {
		after = m.next.Packs[at].After
		m.next.Packs = m.next.Packs[:at]
	}
	upto, err := m.writeItems(ctx, remote, after)
	if err != nil {
		return err
	}
	if m.whole {
		m.next.Upto, m.next.Large = upto, 0
		for _, r := range m.next.Packs {
			m.next.Large += r.Size
		}
	}
	m.next.Have, m.next.Seen, m.next.Lacks = map[memory.DID]replica.Position{}, map[memory.DID]int64{}, m.lacks
	for id, o := range m.state.Others {
		if known, ok := m.machine(id); ok && known.Removed.IsZero() {
			m.next.Have[id], m.next.Seen[id] = o.Joined, o.Number
		}
	}
	if err := m.writeHead(ctx); err != nil {
		return err
	}
	m.state.Scanned = upto
	return nil
}

// mergeFrom returns the first of the packs that are better published anew as one. Packs of
// full bytes of items, or more, stay.
func mergeFrom(packs []ref, full int64) int {
	from := len(packs)
	for most := int64(8 << 10); most/8 < full; most *= 8 {
		at := len(packs)
		for at > 0 && packs[at-1].Plain < min(most, full) {
			at--
		}
		if len(packs)-at >= merged {
			from = min(from, at)
		}
	}
	return from
}

// writeItems writes the items after a place as packs, and returns the place up to which
// these are.
func (m *meeting) writeItems(ctx context.Context, remote string, after replica.Position) (replica.Position, error) {
	for {
		items, upto, more, err := m.Memory.Since(ctx, remote, after, m.PackSize)
		if err != nil {
			return after, err
		}
		if len(items) > 0 {
			made, err := m.write(ctx, replica.Message{Items: items, After: after, Upto: upto, More: more})
			if err != nil {
				return after, err
			}
			made.After = after
			m.next.Packs, m.next.Upto = append(m.next.Packs, made), upto
		}
		if after = upto; !more {
			return after, nil
		}
	}
}

// write writes a pack into this machine's part.
func (m *meeting) write(ctx context.Context, message replica.Message) (ref, error) {
	message.Owner, message.From = m.Owner, m.self.ID
	data, err := pack.Seal(message, m.author(), m.members())
	if err != nil {
		return ref{}, err
	}
	random := make([]byte, 16)
	if _, err := io.ReadFull(m.Random, random); err != nil {
		return ref{}, err
	}
	var plain int64
	for _, i := range message.Items {
		plain += int64(len(i.Key) + len(i.Data))
	}
	r := ref{Plain: plain, Name: hex.EncodeToString(random) + ".age", Digest: sha256.Sum256(data), Size: int64(len(data))}
	if err := m.put(ctx, r.Name, data); err != nil {
		return ref{}, err
	}
	m.result.PacksWritten++
	m.checked[m.partOf(m.self.ID).checkedAs(r.Name)] = true
	return r, nil
}

// writeHead writes the next head if it says anything new.
func (m *meeting) writeHead(ctx context.Context) error {
	if m.own != nil {
		m.next.Previous = m.own.digest
		if sameButCounts(m.own.head, m.next) {
			m.next = m.own.head
			return nil
		}
	}
	if l, ok := m.Memory.(replica.Logs); ok {
		log, err := l.Log(ctx)
		if err != nil {
			return err
		}
		m.next.Log = log
	}
	data, err := pack.SealBody(purposeHead, replica.Encode(m.next), m.author(), m.members())
	if err != nil {
		return err
	}
	m.state.Intent = sha256.Sum256(data)
	if err := m.save(ctx); err != nil {
		return err
	}
	if err := m.put(ctx, "head.age", data); err != nil {
		return err
	}
	m.state.Number, m.state.Head, m.state.Intent = m.next.Number, m.state.Intent, digest{}
	return nil
}

// sameButCounts reports whether two heads say the same, but for what changes with each.
func sameButCounts(a, b head) bool {
	a.Number, a.Previous, a.Seen, a.Log = b.Number, b.Previous, b.Seen, b.Log
	return bytes.Equal(replica.Encode(a), replica.Encode(b))
}
