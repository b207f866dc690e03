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

// look reads the heads of the other machines.
func (m *meeting) look(ctx context.Context) error {
	m.heads, m.stranger = nil, false
	for _, tag := range slices.Sorted(maps.Keys(m.parts)) {
		p := m.parts[tag]
		known, _ := m.machine(p.machine)
		switch {
		case p.machine == "" && len(p.copiesOf("request")) > 0:
			continue // it waits for the owner, and can say nothing to this machine yet
		case p.machine != "" && !known.Removed.IsZero():
			if len(p.packs()) > 0 {
				m.tell(replica.ErrRemoved, p.machine, p.tag, nil)
			}
			continue
		}
		all, troubles, err := m.readHeads(ctx, p)
		if err != nil {
			return err
		}
		if len(p.copiesOf("request")) > 0 { // it has not heard yet that it was accepted
			troubles = slices.DeleteFunc(troubles, func(t Trouble) bool { return t.Fault == replica.ErrNotForUs })
		}
		m.result.Troubles = append(m.result.Troubles, troubles...)
		switch {
		case p.machine == m.self.ID:
			m.seeOwn(all, len(troubles) > 0)
			continue
		case p.machine == "" || m.Unknown:
			m.stranger = m.stranger || slices.ContainsFunc(troubles, func(t Trouble) bool { return t.Fault == replica.ErrNotForUs })
		}
		m.see(p, all, len(troubles) > 0)
	}
	return m.hear(ctx)
}

// hear compares what the heads say of the audit logs with what they said before.
func (m *meeting) hear(ctx context.Context) error {
	l, ok := m.Memory.(replica.Logs)
	if !ok {
		return nil
	}
	for _, h := range m.heads {
		if len(h.Log) == 0 {
			continue
		}
		if err := l.Heard(ctx, h.from.ID, h.Log); err != nil {
			return err
		}
	}
	return nil
}

// see takes the present head of a part among all that lie there.
func (m *meeting) see(p *part, all []storedHead, told bool) {
	if len(all) == 0 {
		if m.state.Others[p.machine].Number > 0 && !told {
			m.tell(replica.ErrWithheld, p.machine, m.path(p, "head.age"), nil)
		}
		return
	}
	best := all[0]
	p.machine = best.from.ID
	for _, old := range all[1:] {
		m.tell(replica.ErrReplayed, p.machine, old.name, nil)
	}
	o := m.state.Others[p.machine]
	switch {
	case best.Number < o.Number:
		m.tell(replica.ErrRolledBack, p.machine, best.name, nil)
		return
	case best.Number == o.Number && best.digest != o.Head:
		m.tell(replica.ErrTwin, p.machine, best.name, nil)
	}
	o.Number, o.Head, o.Has = best.Number, best.digest, best.Have[m.self.ID]
	m.state.Others[p.machine] = o
	m.heads = append(m.heads, best)
}

func (m *meeting) tell(fault replica.Fault, machine memory.DID, file string, detail error) {
	m.result.Troubles = append(m.result.Troubles, m.trouble(fault, machine, file, detail))
}

// join takes in the packs of the other machines that were not joined yet.
func (m *meeting) join(ctx context.Context) error {
	var done, total int64
	for _, h := range m.heads {
		for _, r := range m.missing(h) {
			total += r.Size
		}
	}
	for _, h := range m.heads {
		for _, r := range m.missing(h) {
			err := m.take(ctx, h, r)
			if fault := replica.Fault(""); errors.As(err, &fault) {
				m.tell(fault, h.from.ID, r.Name, err)
				m.lacks = append(m.lacks, lack{h.from.ID, r.Digest})
			} else if err != nil {
				return err
			}
			if done += r.Size; m.Progress != nil {
				m.Progress(done, total)
			}
		}
		if len(m.missing(h)) == 0 {
			o := m.state.Others[h.from.ID]
			o.Joined = h.Upto
			m.state.Others[h.from.ID] = o
		}
		m.state.Joined[h.from.ID] = slices.DeleteFunc(m.state.Joined[h.from.ID], func(d digest) bool { return !h.lists(d) })
	}
	return nil
}

// missing returns the packs of a head that were not joined.
func (m *meeting) missing(h storedHead) []ref {
	return slices.DeleteFunc(slices.Clone(h.Packs), func(r ref) bool {
		return slices.ContainsFunc(m.state.Joined[h.from.ID], r.is)
	})
}

// take joins a pack.
func (m *meeting) take(ctx context.Context, h storedHead, r ref) error {
	message, file, err := m.fetch(ctx, h.from.ID, r)
	if err != nil {
		return err
	}
	if len(message.Items) > 0 {
		joined, err := m.Memory.Join(ctx, m.Name, message)
		if err != nil {
			return err
		}
		m.count(joined)
		marked, err := m.Memory.Marked(ctx, message.Items)
		if err != nil {
			return err
		}
		if !slices.Contains(marked, true) {
			m.checked[file] = true
		}
	}
	m.state.Joined[h.from.ID] = append(m.state.Joined[h.from.ID], r.Digest)
	return m.save(ctx)
}

func (m *meeting) count(j replica.Joined) {
	m.result.Joined.Add(j)
	m.result.PacksRead++
}

// fetch reads a pack that a machine lists, or what another machine has left of it. The
// message is empty if nothing is left. It names the file as checked does.
func (m *meeting) fetch(ctx context.Context, machine memory.DID, r ref) (replica.Message, string, error) {
	message, file, err := m.open(ctx, machine, r)
	if fault := replica.Fault(""); err == nil || !errors.As(err, &fault) {
		return message, file, err
	}
	for by, i := range m.insteads() {
		if i.Machine != machine || i.Old != r.Digest {
			continue
		}
		if i.Rest == nil {
			return replica.Message{}, "", nil
		}
		rest, file, restErr := m.open(ctx, by, *i.Rest)
		if restErr == nil {
			return rest, file, nil
		}
		if fault := replica.Fault(""); !errors.As(restErr, &fault) {
			return rest, file, restErr
		}
	}
	return message, file, err
}

// open reads a pack that a machine wrote.
func (m *meeting) open(ctx context.Context, machine memory.DID, r ref) (replica.Message, string, error) {
	p := m.partOf(machine)
	f, ok := p.files[r.Name]
	switch {
	case !ok:
		return replica.Message{}, "", replica.ErrWithheld
	case f.Size < r.Size:
		return replica.Message{}, "", replica.ErrCut
	case f.Size > r.Size:
		return replica.Message{}, "", replica.ErrAltered
	}
	data, err := m.get(ctx, f, r.Size)
	if err != nil {
		return replica.Message{}, "", err
	}
	if sha256.Sum256(data) != r.Digest {
		return replica.Message{}, "", replica.ErrAltered
	}
	message, from, err := pack.Open(data, m.reader())
	switch {
	case err != nil:
		return replica.Message{}, "", err
	case from.ID != machine:
		return replica.Message{}, "", replica.ErrSwapped
	case message.To != "":
		return replica.Message{}, "", replica.ErrNotForUs
	}
	return message, p.checkedAs(r.Name), nil
}
