package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// handleRequests reads the requests of machines that ask to take part, and writes one for this
// machine if the others do not know it.
func (s *syncRun) handleRequests(ctx context.Context) error {
	for _, tag := range slices.Sorted(maps.Keys(s.parts)) {
		p := s.parts[tag]
		for _, f := range p.copiesOf("request") {
			if known, ok := s.machine(p.machine); ok && known.Removed.IsZero() {
				continue // it takes part, and deletes its request by itself
			}
			if err := s.readRequest(ctx, p, f); err != nil {
				return err
			}
		}
	}
	if !s.unknownToOthers || !s.isAlone() && (!s.Unknown || len(s.heads) > 0) {
		return nil
	}
	s.result.Waiting = true
	if _, asked := s.partOf(s.self.ID).files["request.age"]; asked {
		return nil
	}
	data, err := pack.SealWithSecret(purposeRequest, nil, s.author(), s.Secret)
	if err != nil {
		return err
	}
	return s.put(ctx, "request.age", data)
}

// readRequest reads a request file in a part, and adds its author to the result.
func (s *syncRun) readRequest(ctx context.Context, p *part, f File) error {
	data, err := s.get(ctx, f, maxHead)
	var from replica.Machine
	if err == nil {
		_, from, err = pack.OpenWithSecret(purposeRequest, data, pack.Reader{Owner: s.Owner}, s.Secret)
	}
	known, isKnown := s.machine(from.ID)
	switch {
	case err == nil && s.tag(from.ID) != p.tag:
		err = replica.ErrSwapped
	case err == nil && isKnown && !known.Removed.IsZero():
		err = fmt.Errorf("%w: %s asks to take part again; it needs to be paired anew", replica.ErrRemoved, known.Name)
	}
	if fault, ok := errors.AsType[replica.Fault](err); ok {
		s.addTrouble(fault, p.machine, f.Name, err)
		return nil
	}
	if err == nil && !slices.ContainsFunc(s.result.Requests, func(r replica.Machine) bool { return r.ID == from.ID }) {
		s.result.Requests = append(s.result.Requests, from)
	}
	return err
}
