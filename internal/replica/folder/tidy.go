package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// tidy deletes what no head lists any more: of this machine, of machines that were removed,
// and what holds something erased.
func (m *meeting) tidy(ctx context.Context) error {
	drop := m.drop
	own := m.partOf(m.self.ID)
	for name, f := range own.files {
		if m.isOurs(name) && !m.keeps(name) {
			drop = append(drop, f.Name)
		}
	}
	for _, p := range m.parts {
		known, ok := m.machine(p.machine)
		if ok && !known.Removed.IsZero() && m.everythingIsHere() {
			for name, f := range p.files {
				if m.isOurs(name) {
					drop = append(drop, f.Name)
				}
			}
		}
	}
	slices.Sort(drop)
	for _, name := range slices.Compact(drop) {
		if err := m.Storage.Delete(ctx, name); err != nil {
			return fmt.Errorf("delete %s: %w", path.Base(name), err)
		}
	}
	m.state.Cleared, m.state.Checked = m.cleared, nil
	for _, p := range m.parts {
		for name := range p.files {
			if key := p.checkedAs(name); m.checked[key] {
				m.state.Checked = append(m.state.Checked, key)
			}
		}
	}
	slices.Sort(m.state.Checked)
	return nil
}

// isOurs reports whether a name is one that machines give, or one that a carrier gives to
// copies of such files. Other files stay.
func (m *meeting) isOurs(name string) bool {
	age := strings.HasSuffix(name, ".age")
	return isPack(name) || isCopy(name) || isTemporary(name) || age && (strings.HasPrefix(name, "head") || strings.HasPrefix(name, "request"))
}

// keeps reports whether a file of this machine's part is in use.
func (m *meeting) keeps(name string) bool {
	return name == "head.age" || name == "request.age" && m.result.Waiting ||
		slices.ContainsFunc(m.next.Packs, func(r ref) bool { return r.Name == name }) ||
		slices.ContainsFunc(m.next.Instead, func(i instead) bool { return i.Rest != nil && i.Rest.Name == name })
}

// everythingIsHere reports whether the packs of machines that take part hold everything.
func (m *meeting) everythingIsHere() bool {
	return m.next.Everything && slices.Equal(m.next.Readers, dids(m.members())) || m.othersHaveEverything()
}

// checkedAs names a file of a certain size.
func (p *part) checkedAs(name string) string {
	return fmt.Sprintf("%s/%s:%d", p.tag, name, p.files[name].Size)
}

// requests reads who asks to take part, and lets this machine ask if nobody knows it.
func (m *meeting) requests(ctx context.Context) error {
	for _, tag := range slices.Sorted(maps.Keys(m.parts)) {
		p := m.parts[tag]
		for _, f := range p.copiesOf("request") {
			if known, ok := m.machine(p.machine); ok && known.Removed.IsZero() {
				continue // it takes part, and deletes its request by itself
			}
			if err := m.readRequest(ctx, p, f); err != nil {
				return err
			}
		}
	}
	if !m.stranger || !m.alone() && (!m.Unknown || len(m.heads) > 0) {
		return nil
	}
	m.result.Waiting = true
	if _, asked := m.partOf(m.self.ID).files["request.age"]; asked {
		return nil
	}
	data, err := pack.SealWithSecret(purposeRequest, nil, m.author(), m.Secret)
	if err != nil {
		return err
	}
	return m.put(ctx, "request.age", data)
}

func (m *meeting) readRequest(ctx context.Context, p *part, f File) error {
	data, err := m.get(ctx, f, maxHead)
	var from replica.Machine
	if err == nil {
		_, from, err = pack.OpenWithSecret(purposeRequest, data, pack.Reader{Owner: m.Owner}, m.Secret)
	}
	known, isKnown := m.machine(from.ID)
	switch {
	case err == nil && m.tag(from.ID) != p.tag:
		err = replica.ErrSwapped
	case err == nil && isKnown && !known.Removed.IsZero():
		err = fmt.Errorf("%w: %s asks to take part again; it needs to be paired anew", replica.ErrRemoved, known.Name)
	}
	if fault := replica.Fault(""); errors.As(err, &fault) {
		m.tell(fault, p.machine, f.Name, err)
		return nil
	}
	if err == nil && !slices.ContainsFunc(m.result.Requests, func(r replica.Machine) bool { return r.ID == from.ID }) {
		m.result.Requests = append(m.result.Requests, from)
	}
	return err
}
