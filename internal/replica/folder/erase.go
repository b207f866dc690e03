package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// insteads goes through what machines left of each other's packs.
func (m *meeting) insteads() iter.Seq2[memory.DID, instead] {
	return func(yield func(memory.DID, instead) bool) {
		for _, i := range m.next.Instead {
			if !yield(m.self.ID, i) {
				return
			}
		}
		for _, h := range m.heads {
			for _, i := range h.Instead {
				if !yield(h.from.ID, i) {
					return
				}
			}
		}
	}
}

// clear finds packs that hold something erased, and publishes what remains of them. The
// packs themselves are deleted after the head that says so is there.
func (m *meeting) clear(ctx context.Context) error {
	marks, upto, err := m.Memory.Erased(ctx, m.state.Cleared)
	if err != nil {
		return err
	}
	m.cleared = upto
	if len(marks) > 0 {
		clear(m.checked)
	}
	m.keepInsteads()
	for _, p := range m.partsOfMembers() {
		for _, name := range p.packs() {
			if p.machine == m.self.ID || m.checked[p.checkedAs(name)] {
				continue
			}
			if err := m.clearOther(ctx, p, name); err != nil {
				return err
			}
		}
	}
	if err := m.clearLeft(ctx); err != nil || m.whole {
		return err
	}
	return m.clearOwn(ctx)
}

// partsOfMembers returns the parts of machines that take part, in the order of their tags.
func (m *meeting) partsOfMembers() []*part {
	var found []*part
	for _, tag := range slices.Sorted(maps.Keys(m.parts)) {
		p := m.parts[tag]
		if known, ok := m.machine(p.machine); ok && known.Removed.IsZero() {
			found = append(found, p)
		}
	}
	return found
}

// keepInsteads forgets what remained of packs that their machine no longer lists.
func (m *meeting) keepInsteads() {
	m.next.Instead = slices.DeleteFunc(m.next.Instead, func(i instead) bool {
		if known, ok := m.machine(i.Machine); !ok || !known.Removed.IsZero() {
			return true
		}
		return slices.ContainsFunc(m.heads, func(h storedHead) bool {
			return h.from.ID == i.Machine && h.Number > i.Number && !slices.ContainsFunc(h.Packs, func(r ref) bool { return r.Digest == i.Old })
		})
	})
}

// clearOther looks into a file of another machine.
func (m *meeting) clearOther(ctx context.Context, p *part, name string) error {
	data, err := m.get(ctx, p.files[name], pack.MaxSealed)
	fault := replica.Fault("")
	if err != nil && !errors.As(err, &fault) {
		return err
	}
	var message replica.Message
	if err == nil {
		message, _, err = pack.Open(data, m.reader())
	}
	if err != nil { // it was told if it is listed; whoever can read it clears it
		m.checked[p.checkedAs(name)] = true
		return nil
	}
	rest, marked, err := m.unmarked(ctx, message.Items)
	if err != nil || !marked {
		m.checked[p.checkedAs(name)] = !marked
		return err
	}
	m.drop = append(m.drop, p.files[name].Name)
	m.result.Cleared++
	if isTemporary(name) {
		return nil
	}
	i := instead{Machine: p.machine, Number: m.state.Others[p.machine].Number, Name: name[:32] + ".age", Old: sha256.Sum256(data)}
	if slices.ContainsFunc(m.next.Instead, func(have instead) bool { return have.Machine == i.Machine && have.Old == i.Old }) {
		return nil
	}
	if len(rest) > 0 {
		made, err := m.write(ctx, replica.Message{Items: rest})
		if err != nil {
			return err
		}
		i.Rest = &made
	}
	m.next.Instead = append(m.next.Instead, i)
	return nil
}

// unmarked returns the items that hold nothing erased.
func (m *meeting) unmarked(ctx context.Context, items []replica.Item) (rest []replica.Item, marked bool, err error) {
	marks, err := m.Memory.Marked(ctx, items)
	if err != nil {
		return nil, false, err
	}
	for n, item := range items {
		if !marks[n] {
			rest = append(rest, item)
		}
	}
	return rest, len(rest) < len(items), nil
}

// clearOwn looks into this machine's packs, and takes over what others left of them.
func (m *meeting) clearOwn(ctx context.Context) error {
	var packs []ref
	for _, r := range m.next.Packs {
		cleared, err := m.clearRef(ctx, r)
		if fault := replica.Fault(""); errors.As(err, &fault) {
			m.tell(fault, m.self.ID, r.Name, err)
			m.beginWhole(false, false)
			return nil
		}
		if err != nil {
			return err
		}
		packs = append(packs, cleared...)
	}
	m.next.Packs = packs
	return nil
}

// clearLeft looks into what this machine left of the packs of others.
func (m *meeting) clearLeft(ctx context.Context) error {
	var left []instead
	for _, i := range m.next.Instead {
		if i.Rest != nil {
			cleared, err := m.clearRef(ctx, *i.Rest)
			if fault := replica.Fault(""); errors.As(err, &fault) {
				m.tell(fault, m.self.ID, i.Rest.Name, err)
				continue // the pack then is one that is missing
			}
			if err != nil {
				return err
			}
			i.Rest = nil
			for _, r := range cleared {
				i.Rest = &r
			}
		}
		left = append(left, i)
	}
	m.next.Instead = left
	return nil
}

// clearRef returns a pack of this machine without what is erased: itself, another one, or none.
func (m *meeting) clearRef(ctx context.Context, r ref) ([]ref, error) {
	own := m.partOf(m.self.ID)
	if _, there := own.files[r.Name]; there && m.checked[own.checkedAs(r.Name)] {
		return []ref{r}, nil
	}
	message, file, err := m.fetch(ctx, m.self.ID, r)
	if err != nil {
		return nil, err
	}
	rest, marked, err := m.unmarked(ctx, message.Items)
	switch {
	case err != nil:
		return nil, err
	case !marked && file == own.checkedAs(r.Name):
		m.checked[file] = true
		return []ref{r}, nil
	}
	m.result.Cleared++
	if len(rest) == 0 {
		return nil, nil
	}
	message.Items = rest
	made, err := m.write(ctx, message)
	made.After = r.After
	made.Of = append(slices.Clone(r.Of), r.Digest)
	made.Of = made.Of[max(0, len(made.Of)-maxOf):]
	return []ref{made}, err
}
