package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// replacements yields all replacements that this machine and the others list, each with the
// machine that lists it.
func (s *syncRun) replacements() iter.Seq2[memory.DID, replacement] {
	return func(yield func(by memory.DID, r replacement) bool) {
		for _, i := range s.next.Instead {
			if !yield(s.self.ID, i) {
				return
			}
		}
		for _, h := range s.heads {
			for _, i := range h.Instead {
				if !yield(h.from.ID, i) {
					return
				}
			}
		}
	}
}

// clearErased finds packs that hold something erased, and publishes their other items in new
// packs. tidy deletes the old packs once the head that lists the new ones is written.
func (s *syncRun) clearErased(ctx context.Context) error {
	marks, upto, err := s.Memory.Erased(ctx, s.state.Cleared)
	if err != nil {
		return err
	}
	s.cleared = upto
	maps.DeleteFunc(s.checked, func(_ string, f filter) bool { return slices.ContainsFunc(marks, f.mayHold) })
	s.dropStaleReplacements()
	for _, p := range s.partsOfMembers() {
		for _, name := range p.packs() {
			if p.machine == s.self.ID || s.isChecked(p.checkedKey(name)) {
				continue
			}
			if err := s.clearOtherPack(ctx, p, name); err != nil {
				return err
			}
		}
	}
	if err := s.clearReplacements(ctx); err != nil || s.whole {
		return err
	}
	return s.clearOwnPacks(ctx)
}

// partsOfMembers returns the parts of machines that take part, in the order of their tags.
func (s *syncRun) partsOfMembers() []*part {
	var found []*part
	for _, tag := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[tag]
		if known, ok := s.machine(p.machine); ok && known.Removed.IsZero() {
			found = append(found, p)
		}
	}
	return found
}

// dropStaleReplacements drops this machine's replacements of packs that their machine no
// longer lists, and of packs of removed machines.
func (s *syncRun) dropStaleReplacements() {
	s.next.Instead = slices.DeleteFunc(s.next.Instead, func(i replacement) bool {
		if known, ok := s.machine(i.Machine); !ok || !known.Removed.IsZero() {
			return true
		}
		return slices.ContainsFunc(s.heads, func(h storedHead) bool {
			return h.from.ID == i.Machine && h.Number > i.Number && !slices.ContainsFunc(h.Packs, func(r packRef) bool { return r.Digest == i.Old })
		})
	})
}

// clearOtherPack checks a file of another machine, and replaces it if it holds something
// erased.
func (s *syncRun) clearOtherPack(ctx context.Context, p *part, name string) error {
	data, err := s.get(ctx, p.files[name], pack.MaxSealed)
	if _, isFault := errors.AsType[replica.Fault](err); err != nil && !isFault {
		return err
	}
	var message replica.Message
	if err == nil {
		message, _, err = pack.Open(data, s.reader())
	}
	if err != nil { // a machine that can read the file clears it
		s.checked[p.checkedKey(name)] = unreadFilter()
		return nil
	}
	rest, found, err := s.withoutErased(ctx, message.Items)
	if err != nil {
		return err
	}
	if !found {
		s.setChecked(p.checkedKey(name), message.Items)
		return nil
	}
	s.toDelete = append(s.toDelete, p.files[name].Name)
	s.result.Cleared++
	if isTemporary(name) {
		return nil
	}
	i := replacement{Machine: p.machine, Number: s.state.Others[p.machine].Number, Name: name[:32] + ".age", Old: sha256.Sum256(data)}
	if slices.ContainsFunc(s.next.Instead, func(have replacement) bool { return have.Machine == i.Machine && have.Old == i.Old }) {
		return nil
	}
	if len(rest) > 0 {
		made, err := s.write(ctx, replica.Message{Items: rest})
		if err != nil {
			return err
		}
		i.Rest = &made
	}
	s.next.Instead = append(s.next.Instead, i)
	return nil
}

// setChecked notes that a file's items hold nothing erased.
func (s *syncRun) setChecked(file string, items []replica.Item) {
	s.checked[file] = newFilter(s.Memory.Marks(items))
}

func (s *syncRun) isChecked(file string) bool {
	_, checked := s.checked[file]
	return checked
}

// withoutErased returns the items that hold nothing erased, and whether there were others.
func (s *syncRun) withoutErased(ctx context.Context, items []replica.Item) (rest []replica.Item, found bool, err error) {
	erased, err := s.Memory.Marked(ctx, items)
	if err != nil {
		return nil, false, err
	}
	for n, item := range items {
		if !erased[n] {
			rest = append(rest, item)
		}
	}
	return rest, len(rest) < len(items), nil
}

// clearOwnPacks replaces this machine's packs that hold something erased. If one of its packs
// cannot be read, this machine publishes its whole memory anew.
func (s *syncRun) clearOwnPacks(ctx context.Context) error {
	var packs []packRef
	for n, r := range s.next.Packs {
		upto := s.next.Upto
		if n+1 < len(s.next.Packs) {
			upto = s.next.Packs[n+1].After
		}
		cleared, err := s.clearPack(ctx, r, &upto)
		if fault, ok := errors.AsType[replica.Fault](err); ok {
			s.addTrouble(fault, s.self.ID, r.Name, err)
			s.beginWhole(false, false)
			return nil
		}
		if err != nil {
			return err
		}
		packs = append(packs, cleared...)
	}
	s.next.Packs = packs
	return nil
}

// clearReplacements checks the packs by which this machine replaced packs of others.
func (s *syncRun) clearReplacements(ctx context.Context) error {
	var kept []replacement
	for _, i := range s.next.Instead {
		if i.Rest != nil {
			cleared, err := s.clearPack(ctx, *i.Rest, nil)
			if fault, ok := errors.AsType[replica.Fault](err); ok {
				s.addTrouble(fault, s.self.ID, i.Rest.Name, err)
				continue // for the other machines the old pack is missing
			}
			if err != nil {
				return err
			}
			i.Rest = nil
			for _, r := range cleared {
				i.Rest = &r
			}
		}
		kept = append(kept, i)
	}
	s.next.Instead = kept
	return nil
}

// clearPack returns a pack of this machine without erased items: the same pack, a new one, or
// none if all items are erased. If another machine replaced the pack, the replacement has to hold
// all items that are not erased, up to the place upto. A nil upto skips that check.
func (s *syncRun) clearPack(ctx context.Context, r packRef, upto *replica.Position) ([]packRef, error) {
	own := s.partOf(s.self.ID)
	if _, there := own.files[r.Name]; there && s.isChecked(own.checkedKey(r.Name)) {
		return []packRef{r}, nil
	}
	message, file, err := s.readPack(ctx, s.self.ID, r)
	if err == nil && file != own.checkedKey(r.Name) && upto != nil {
		err = s.checkReplacement(ctx, message.Items, r.After, *upto)
	}
	if err != nil {
		return nil, err
	}
	rest, found, err := s.withoutErased(ctx, message.Items)
	switch {
	case err != nil:
		return nil, err
	case !found && file == own.checkedKey(r.Name):
		s.setChecked(file, message.Items)
		return []packRef{r}, nil
	}
	s.result.Cleared++
	if len(rest) == 0 {
		return nil, nil
	}
	message.Items, message.After = rest, r.After // a replacement by another machine has none
	made, err := s.write(ctx, message)
	made.Of = append(slices.Clone(r.Of), r.Digest)
	made.Of = made.Of[max(0, len(made.Of)-maxOf):]
	return []packRef{made}, err
}

// checkReplacement fails with [replica.ErrWithheld] unless items include all items that this
// machine's stream has between two places.
func (s *syncRun) checkReplacement(ctx context.Context, items []replica.Item, after, upto replica.Position) error {
	has := map[string]bool{}
	for _, i := range items {
		has[string(i.Kind)+"\x00"+i.Key] = true
	}
	// First the records, in the order of changes. Then all other items, in the order of attachments.
	for _, from := range []replica.Position{after, {Changes: math.MaxInt64, Attached: after.Attached, Rest: upto.Rest}} {
		for size := 64 << 10; size > 0; {
			here, to, more, err := s.Memory.Since(ctx, s.Name, from, size)
			switch {
			case err != nil:
				return err
			case to.Rest != upto.Rest:
				return fmt.Errorf("%w: the store was put back meanwhile", replica.ErrWithheld)
			case from.Changes < math.MaxInt64 && to.Changes > upto.Changes || to.Attached > upto.Attached: // these items go beyond upto: read fewer
				size /= 8
				continue
			}
			for _, i := range here {
				if !has[string(i.Kind)+"\x00"+i.Key] {
					return fmt.Errorf("%w: another machine says that it was erased, and it was not", replica.ErrWithheld)
				}
			}
			if from = to; !more {
				break
			}
		}
	}
	return nil
}
