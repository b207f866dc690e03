package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// readHeads reads the heads of all machines.
func (s *syncRun) readHeads(ctx context.Context) error {
	s.heads, s.unknownToOthers = nil, false
	for _, tag := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[tag]
		known, _ := s.machine(p.machine)
		switch {
		case p.machine == "" && len(p.copiesOf("request")) > 0:
			continue // a new machine, whose head this machine does not believe yet
		case p.machine != "" && !known.Removed.IsZero():
			if len(p.packs()) > 0 {
				s.addTrouble(replica.ErrRemoved, p.machine, p.tag, nil)
			}
			continue
		}
		all, troubles, err := s.partHeads(ctx, p)
		if err != nil {
			return err
		}
		if len(p.copiesOf("request")) > 0 { // it does not know yet that it was accepted, so that its head is not for this machine
			troubles = slices.DeleteFunc(troubles, func(t Trouble) bool { return t.Fault == replica.ErrNotForUs })
		}
		s.result.Troubles = append(s.result.Troubles, troubles...)
		switch {
		case p.machine == s.self.ID:
			s.setOwnHead(all, len(troubles) > 0)
			continue
		case p.machine == "" || s.Unknown:
			s.unknownToOthers = s.unknownToOthers || slices.ContainsFunc(troubles, func(t Trouble) bool { return t.Fault == replica.ErrNotForUs })
		}
		s.addHead(p, all, len(troubles) > 0)
	}
	return s.checkLogs(ctx)
}

// checkLogs compares the heads of the other machines' audit logs with those seen before.
func (s *syncRun) checkLogs(ctx context.Context) error {
	l, ok := s.Memory.(replica.LogChecker)
	if !ok {
		return nil
	}
	for _, h := range s.heads {
		if len(h.Log) == 0 {
			continue
		}
		if _, err := l.CheckLogHead(ctx, h.from.ID, h.Log); err != nil {
			return err
		}
	}
	return nil
}

// addHead adds the newest of the heads in a part to the heads of the sync. It adds none that
// is older than one seen before. damaged says that some heads could not be read.
func (s *syncRun) addHead(p *part, all []storedHead, damaged bool) {
	if len(all) == 0 {
		if s.state.Others[p.machine].Number > 0 && !damaged {
			s.addTrouble(replica.ErrWithheld, p.machine, s.path(p, "head.age"), nil)
		}
		return
	}
	newest := all[0]
	p.machine = newest.from.ID
	for _, old := range all[1:] {
		s.addTrouble(replica.ErrReplayed, p.machine, old.name, nil)
	}
	o := s.state.Others[p.machine]
	switch {
	case newest.Number < o.Number:
		s.addTrouble(replica.ErrRolledBack, p.machine, newest.name, nil)
		return
	case newest.Number == o.Number && newest.digest != o.Head:
		s.addTrouble(replica.ErrTwin, p.machine, newest.name, nil)
	}
	o.Number, o.Head, o.Has = newest.Number, newest.digest, newest.Have[s.self.ID]
	s.state.Others[p.machine] = o
	s.heads = append(s.heads, newest)
}

func (s *syncRun) addTrouble(fault replica.Fault, machine memory.DID, file string, detail error) {
	s.result.Troubles = append(s.result.Troubles, s.newTrouble(fault, machine, file, detail))
}

// joinPacks joins the packs of the other machines that were not joined before.
func (s *syncRun) joinPacks(ctx context.Context) error {
	var done, total int64
	for _, h := range s.heads {
		for _, r := range s.missing(h) {
			total += r.Size
		}
	}
	for _, h := range s.heads {
		for _, r := range s.missing(h) {
			err := s.joinPack(ctx, h, r)
			if fault, ok := errors.AsType[replica.Fault](err); ok {
				s.addTrouble(fault, h.from.ID, r.Name, err)
				s.unreadable = append(s.unreadable, unreadable{h.from.ID, r.Digest})
			} else if err != nil {
				return err
			}
			if done += r.Size; s.Progress != nil {
				s.Progress(done, total)
			}
		}
		if len(s.missing(h)) == 0 {
			o := s.state.Others[h.from.ID]
			o.Joined = h.Upto
			s.state.Others[h.from.ID] = o
		}
		s.state.Joined[h.from.ID] = slices.DeleteFunc(s.state.Joined[h.from.ID], func(d digest) bool { return !h.lists(d) })
	}
	return nil
}

// missing returns the packs of a head that this machine has not joined.
func (s *syncRun) missing(h storedHead) []packRef {
	return slices.DeleteFunc(slices.Clone(h.Packs), func(r packRef) bool {
		return slices.ContainsFunc(s.state.Joined[h.from.ID], r.is)
	})
}

// joinPack reads and joins a pack.
func (s *syncRun) joinPack(ctx context.Context, h storedHead, r packRef) error {
	message, file, err := s.readPack(ctx, h.from.ID, r)
	if err != nil {
		return err
	}
	if len(message.Items) > 0 {
		joined, err := s.Memory.Join(ctx, s.Name, message)
		if err != nil {
			return err
		}
		s.result.Joined.Add(joined)
		s.result.PacksRead++
		marked, err := s.Memory.Marked(ctx, message.Items)
		if err != nil {
			return err
		}
		if !slices.Contains(marked, true) {
			s.setChecked(file, message.Items)
		}
	}
	s.state.Joined[h.from.ID] = append(s.state.Joined[h.from.ID], r.Digest)
	return s.save(ctx)
}

// readPack reads a pack that a machine lists, or the pack that replaced it. The message is
// empty if all its items were erased. file is the key of the file in checked.
func (s *syncRun) readPack(ctx context.Context, machine memory.DID, r packRef) (message replica.Message, file string, err error) {
	message, file, err = s.openPack(ctx, machine, r)
	if _, isFault := errors.AsType[replica.Fault](err); !isFault {
		return message, file, err
	}
	for by, i := range s.replacements() {
		if i.Machine != machine || i.Old != r.Digest {
			continue
		}
		if i.Rest == nil {
			return replica.Message{}, "", nil
		}
		rest, file, restErr := s.openPack(ctx, by, *i.Rest)
		if restErr == nil {
			return rest, file, nil
		}
		if _, isFault := errors.AsType[replica.Fault](restErr); !isFault {
			return rest, file, restErr
		}
	}
	return message, file, err
}

// openPack reads the file of a pack, which a machine must have written. file is its key in
// checked.
func (s *syncRun) openPack(ctx context.Context, machine memory.DID, r packRef) (message replica.Message, file string, err error) {
	p := s.partOf(machine)
	f, ok := p.files[r.Name]
	switch {
	case !ok:
		return replica.Message{}, "", replica.ErrWithheld
	case f.Size < r.Size:
		return replica.Message{}, "", replica.ErrCut
	case f.Size > r.Size:
		return replica.Message{}, "", replica.ErrAltered
	}
	data, err := s.get(ctx, f, r.Size)
	if err != nil {
		return replica.Message{}, "", err
	}
	if sha256.Sum256(data) != r.Digest {
		return replica.Message{}, "", replica.ErrAltered
	}
	message, from, err := pack.Open(data, s.reader())
	switch {
	case err != nil:
		return replica.Message{}, "", err
	case from.ID != machine:
		return replica.Message{}, "", replica.ErrSwapped
	case message.To != "":
		return replica.Message{}, "", replica.ErrNotForUs
	}
	return message, p.checkedKey(r.Name), nil
}
