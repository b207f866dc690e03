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

// A machine publishes its whole memory anew when the packs of its head are larger than
// growthFactor times their size at the last time, plus growthMin bytes. So a remote does not
// grow for ever.
const (
	growthFactor = 3
	growthMin    = 16 << 20
)

// mergeCount is how many small packs a machine publishes anew as one. Each item is so written
// about four times in all.
const mergeCount = 8

// repairAfter is how many syncs in a row find packs of another machine damaged before this
// machine publishes its whole memory for it.
const repairAfter = 3

// prepare decides whether this machine publishes its whole memory anew.
func (s *syncRun) prepare(ctx context.Context) error {
	everything, err := s.decide(ctx)
	if err == nil && s.whole {
		s.beginWhole(everything, s.restored)
	}
	return err
}

// beginWhole makes the next head begin without packs, so that publish writes the whole memory.
func (s *syncRun) beginWhole(everything, restored bool) {
	s.whole = true
	s.next.Packs, s.next.Upto, s.next.Began = nil, replica.Position{}, s.next.Number
	s.next.Everything = everything || !s.anotherHasEverything()
	s.next.Readers, s.next.Restored = dids(s.members()), restored
}

// setOwnHead chooses this machine's head among all heads in its part. damaged says that some
// of them could not be read.
func (s *syncRun) setOwnHead(all []storedHead, damaged bool) {
	s.own, s.next = nil, head{}
	for _, h := range all {
		if h.digest == s.state.Head || h.digest == s.state.Intent {
			s.own = &h
			break
		}
	}
	if s.own != nil && s.own.digest != s.state.Head { // this machine was killed after it wrote the head
		s.state.Number, s.state.Head, s.state.Scanned = s.own.Number, s.own.digest, s.own.Upto
	}
	s.restored = s.checkOwnHead(all, damaged)
	if s.own != nil {
		s.next = s.own.head
		s.next.Packs, s.next.Instead = slices.Clone(s.own.Packs), slices.Clone(s.own.Instead)
	}
	s.next.Number = s.state.Number + 1
	if len(all) > 0 {
		s.next.Number = max(s.next.Number, all[0].Number+1)
	}
}

// checkOwnHead reports a trouble if somebody else changed this machine's head. It returns true
// if the head is newer than this machine's state: the store may have been restored.
func (s *syncRun) checkOwnHead(all []storedHead, damaged bool) bool {
	own := s.partOf(s.self.ID)
	switch {
	case len(all) > 0 && (s.own == nil || s.own.digest != all[0].digest) && all[0].Number >= s.state.Number:
		if s.state.Number > 0 { // otherwise the remote may have got another address
			s.addTrouble(replica.ErrTwin, s.self.ID, all[0].name, nil)
		}
		s.own = nil
		return true
	case s.own == nil && s.state.Number > 0 && len(all) > 0:
		s.addTrouble(replica.ErrRolledBack, s.self.ID, all[0].name, nil)
	case s.own == nil && s.state.Number > 0 && !damaged:
		s.addTrouble(replica.ErrWithheld, s.self.ID, s.path(own, "head.age"), nil)
	}
	return false
}

// decide sets whole. It reports whether this machine then has to publish everything, also the
// items that came from other machines in this remote.
func (s *syncRun) decide(ctx context.Context) (everything bool, err error) {
	everything = s.repair()
	s.whole = s.own == nil || everything
	if s.own == nil {
		return everything, nil
	}
	members := dids(s.members())
	gone := slices.ContainsFunc(s.own.Readers, func(id memory.DID) bool { return !slices.Contains(members, id) })
	var size int64
	for _, r := range s.own.Packs {
		size += r.Size
	}
	s.whole = s.whole || gone || !slices.Equal(s.own.Readers, members) || len(s.own.Packs) > maxRefs/2 ||
		size > growthMin+growthFactor*s.own.Large
	if !s.whole {
		s.whole, err = s.damaged(ctx)
	}
	return everything || gone, err
}

// damaged reports whether a pack of this machine is missing or was altered.
func (s *syncRun) damaged(ctx context.Context) (bool, error) {
	for _, r := range s.own.Packs {
		f, there := s.partOf(s.self.ID).files[r.Name]
		complaint := slices.ContainsFunc(s.heads, func(h storedHead) bool {
			return h.Seen[s.self.ID] == s.own.Number && slices.Contains(h.Lacks, unreadable{s.self.ID, r.Digest})
		})
		if there && f.Size == r.Size && !complaint {
			continue
		}
		_, _, err := s.readPack(ctx, s.self.ID, r)
		if fault, ok := errors.AsType[replica.Fault](err); ok {
			s.addTrouble(fault, s.self.ID, r.Name, err)
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// repair reports whether this machine has to publish everything for another one: its packs
// stay damaged, or its store was restored.
func (s *syncRun) repair() bool {
	needed := false
	for _, h := range s.heads {
		o := s.state.Others[h.from.ID]
		if s.isDamaged(h) {
			o.Damaged++
		} else {
			o.Damaged = 0
		}
		if o.Damaged >= repairAfter && o.Repaired < h.Number || h.Restored && o.Repaired < h.Began {
			needed, o.Repaired, o.Damaged = true, h.Number, 0
		}
		s.state.Others[h.from.ID] = o
	}
	return needed
}

// isDamaged reports whether a pack of another machine's head is missing, or whether a machine
// could not read one.
func (s *syncRun) isDamaged(h storedHead) bool {
	p := s.partOf(h.from.ID)
	for _, r := range h.Packs {
		lacking := slices.Contains(s.unreadable, unreadable{h.from.ID, r.Digest}) || slices.ContainsFunc(s.heads, func(by storedHead) bool {
			return by.Seen[h.from.ID] == h.Number && slices.Contains(by.Lacks, unreadable{h.from.ID, r.Digest})
		})
		f, there := p.files[r.Name]
		if lacking || (!there || f.Size != r.Size) && !s.isReplaced(h.from.ID, r) {
			return true
		}
	}
	return false
}

func (s *syncRun) isReplaced(machine memory.DID, r packRef) bool {
	for _, i := range s.replacements() {
		if i.Machine == machine && i.Old == r.Digest {
			return true
		}
	}
	return false
}

// anotherHasEverything reports whether another machine has published its whole memory for all
// machines that take part. Then this machine need not publish what came from this remote.
func (s *syncRun) anotherHasEverything() bool {
	members := dids(s.members())
	return slices.ContainsFunc(s.heads, func(h storedHead) bool {
		return h.Everything && slices.Equal(h.Readers, members) && !s.isDamaged(h)
	})
}

// publish writes this machine's new items as packs, and the head that lists them.
func (s *syncRun) publish(ctx context.Context) error {
	after, remote := s.state.Scanned, s.Name
	if s.whole {
		after = replica.Position{}
		if s.next.Everything {
			remote = ""
		}
	}
	if at := mergeFrom(s.next.Packs, int64(s.PackSize)/2); at < len(s.next.Packs) {
		after = s.next.Packs[at].After
		s.next.Packs = s.next.Packs[:at]
	}
	upto, err := s.writeItems(ctx, remote, after)
	if err != nil {
		return err
	}
	if s.whole {
		s.next.Upto, s.next.Large = upto, 0
		for _, r := range s.next.Packs {
			s.next.Large += r.Size
		}
	}
	s.next.Have, s.next.Seen, s.next.Lacks = map[memory.DID]replica.Position{}, map[memory.DID]int64{}, s.unreadable
	for id, o := range s.state.Others {
		if known, ok := s.machine(id); ok && known.Removed.IsZero() {
			s.next.Have[id], s.next.Seen[id] = o.Joined, o.Number
		}
	}
	if err := s.writeHead(ctx); err != nil {
		return err
	}
	s.state.Scanned = upto
	return nil
}

// mergeFrom returns the index of the first pack to publish anew, together with all packs after
// it: at least mergeCount packs of about the same size, or smaller. Packs with full bytes of
// items, or more, stay.
func mergeFrom(packs []packRef, full int64) int {
	from := len(packs)
	for most := int64(8 << 10); most/8 < full; most *= 8 {
		at := len(packs)
		for at > 0 && packs[at-1].Plain < min(most, full) {
			at--
		}
		if len(packs)-at >= mergeCount {
			from = min(from, at)
		}
	}
	return from
}

// writeItems writes the items after a place in this machine's stream as packs, and returns
// the end of the stream.
func (s *syncRun) writeItems(ctx context.Context, remote string, after replica.Position) (replica.Position, error) {
	for {
		items, upto, more, err := s.Memory.Since(ctx, remote, after, s.PackSize)
		if err != nil {
			return after, err
		}
		if len(items) > 0 {
			made, err := s.write(ctx, replica.Message{Items: items, After: after, Upto: upto, More: more})
			if err != nil {
				return after, err
			}
			s.next.Packs, s.next.Upto = append(s.next.Packs, made), upto
		}
		if after = upto; !more {
			return after, nil
		}
	}
}

// write writes a pack into this machine's part.
func (s *syncRun) write(ctx context.Context, message replica.Message) (packRef, error) {
	message.Owner, message.From = s.Owner, s.self.ID
	data, err := pack.Seal(message, s.author(), s.members())
	if err != nil {
		return packRef{}, err
	}
	random := make([]byte, 16)
	if _, err := io.ReadFull(s.Random, random); err != nil {
		return packRef{}, err
	}
	var plain int64
	for _, i := range message.Items {
		plain += int64(len(i.Key) + len(i.Data))
	}
	r := packRef{Plain: plain, After: message.After, Name: hex.EncodeToString(random) + ".age", Digest: sha256.Sum256(data), Size: int64(len(data))}
	if err := s.put(ctx, r.Name, data); err != nil {
		return packRef{}, err
	}
	s.result.PacksWritten++
	s.setChecked(s.partOf(s.self.ID).checkedKey(r.Name), message.Items)
	return r, nil
}

// writeHead writes the next head if it differs from this machine's present one.
func (s *syncRun) writeHead(ctx context.Context) error {
	if s.own != nil {
		s.next.Previous = s.own.digest
		if !s.catchUp() && sameButCounts(s.own.head, s.next) {
			s.next = s.own.head
			return nil
		}
	}
	if l, ok := s.Memory.(replica.LogChecker); ok {
		log, err := l.LogHead(ctx)
		if err != nil {
			return err
		}
		s.next.Log = log
	}
	data, err := pack.SealBody(purposeHead, replica.Encode(s.next), s.author(), s.members())
	if err != nil {
		return err
	}
	s.state.Intent = sha256.Sum256(data)
	if err := s.save(ctx); err != nil {
		return err
	}
	if err := s.put(ctx, "head.age", data); err != nil {
		return err
	}
	s.state.Number, s.state.Head, s.state.Intent = s.next.Number, s.state.Intent, digest{}
	return nil
}

// maxJump is how far a head's number may go up because of what another machine says.
const maxJump = 1 << 20

// catchUp makes the next head newer than any of this machine's heads that another one has read.
// One may have come from another folder, and gone again: nobody reads older heads. It reports
// whether the next head has to be written for that, or to tell such a machine.
func (s *syncRun) catchUp() (needed bool) {
	for _, h := range s.heads {
		if n := h.Seen[s.self.ID]; n >= s.next.Number && n < s.next.Number+maxJump {
			s.next.Number, needed = n+1, true
		}
	}
	for _, t := range s.result.Troubles {
		needed = needed || t.Fault == replica.ErrRolledBack && s.own.Seen[t.Machine] < s.next.Seen[t.Machine]
	}
	return needed
}

// sameButCounts reports whether two heads are equal, apart from the fields that every sync
// changes.
func sameButCounts(a, b head) bool {
	a.Number, a.Previous, a.Seen, a.Log = b.Number, b.Previous, b.Seen, b.Log
	return bytes.Equal(replica.Encode(a), replica.Encode(b))
}
