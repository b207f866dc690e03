package agents

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// known reads the newest kept definition of an agent, if there is one. A document
// without an id may have been kept before, under an id that only the vault knows.
func (j *judgement) known(ctx context.Context) error {
	if j.newest.Revision == 0 && j.definition.ID != "" {
		newest, err := j.service.store.KeptAgent(ctx, j.caller, IDOf(j.definition.ID), 0)
		if memory.KindOf(err) == memory.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		j.newest = newest
	}
	if j.newest.Revision == 0 {
		return nil
	}
	v, err := documentOf(j.newest.Document)
	j.kept = aaif.ReadDefinition(v)
	return err
}

// follows checks whether a definition may follow the kept one (AAIF-12-17). It needs at
// least as strong a signature: the owner's, or the same author's if the kept one is not
// the owner's. It first warns of everything that the definition weakens, with any
// signature.
func (j *judgement) follows(ctx context.Context, o aaif.IntakeOptions) error {
	if j.newest.Revision == 0 {
		return nil
	}
	var lines []string
	for _, line := range aaif.Weakenings(j.kept, j.definition) {
		lines = append(lines, fmt.Sprintf("beside revision %d, which it follows: %s [AAIF-12-17]", j.newest.Revision, line))
	}
	j.warnings = append(lines, j.warnings...)
	owner := string(j.caller.Owner)
	switch signer := string(j.vouched.key); {
	case o.Replace, signer == owner, signer == j.newest.Signer && (signer != "" || j.sameAuthor()):
		return nil
	case j.newest.Signer == "":
		if j.sameAuthor() {
			return nil
		}
		j.unfit = fault(aaif.SignerChanged, "12-17", "/provenance/authored_by",
			"the definition that is kept of this agent is another author's, by its own word; have this one signed by the owner: nobody but the owner in person may put another in its place")
		return nil
	case j.newest.Signer != owner && j.vouched.name != "":
		name, err := j.service.vouchedBy(ctx, j.caller, j.newest, j.kept.Provenance)
		if err != nil || sameName(name, j.vouched.name) {
			return err
		}
	}
	j.unfit = fault(aaif.SignerChanged, "12-17", "/provenance/signature",
		"the definition that is kept of this agent is signed by %s, and this one is not: have it signed by the same, or by the owner; nobody but the owner in person may put another in its place",
		j.service.who(owner, j.newest.Signer))
	return nil
}

// sameAuthor reports whether a definition names the same author as the kept one.
func (j *judgement) sameAuthor() bool {
	return sameName(j.kept.Provenance.AuthoredBy, j.definition.Provenance.AuthoredBy)
}

// sameName reports whether two names are equal, however they are written.
func sameName(a, b string) bool {
	return a == b || trust.ProducerOf(a) != "" && trust.ProducerOf(a) == trust.ProducerOf(b)
}

// who names the signer in words.
func (s *Service) who(owner, signer string) string {
	if signer == owner {
		return "the owner"
	}
	return "another"
}

// vouchedBy returns the name for which a kept definition was verified. If its key is
// no longer known, that is its author's name.
func (s *Service) vouchedBy(ctx context.Context, c memory.Caller, kept agentstore.KeptAgent, from aaif.Provenance) (string, error) {
	for _, name := range []string{from.AuthoredBy, from.SourcePlatform} {
		if name == "" {
			continue
		}
		known, err := s.trust.AgentKeys(ctx, c, name)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(known, func(k ed25519.PublicKey) bool { return string(keys.DID(k)) == kept.Signer }) {
			return name, nil
		}
	}
	return cmp.Or(from.AuthoredBy, from.SourcePlatform), nil
}

// may fails in the store's transaction if the definition may not become the next
// revision.
func (j *judgement) may(newest agentstore.KeptAgent) error {
	if newest.Revision != j.newest.Revision {
		return agentstore.ErrRevised
	}
	return j.unfit
}
