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

// known reads the newest definition that is kept of an agent, if there is one. A document
// without an id has come before under one that only the vault knows.
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

// follows finds out whether a definition may follow the one that is kept (AAIF-12-17): it
// has to be at least as well vouched for, by the owner, or by the same author where that
// one is not the owner's. What it weakens is warned of before all else, whoever vouches.
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

// sameAuthor reports whether a definition is, by its own word, of the author of the one
// that is kept.
func (j *judgement) sameAuthor() bool {
	return sameName(j.kept.Provenance.AuthoredBy, j.definition.Provenance.AuthoredBy)
}

// sameName reports whether two names are one, however they are written.
func sameName(a, b string) bool {
	return a == b || trust.ProducerOf(a) != "" && trust.ProducerOf(a) == trust.ProducerOf(b)
}

// who says in words who signed.
func (s *Service) who(owner, signer string) string {
	if signer == owner {
		return "the owner"
	}
	return "another"
}

// vouchedBy returns the name for which a definition that is kept was verified. Where its
// key is not known any more that is its author's.
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

// may is asked in the transaction that would make the definition the next revision.
func (j *judgement) may(newest agentstore.KeptAgent) error {
	if newest.Revision != j.newest.Revision {
		return agentstore.ErrRevised
	}
	return j.unfit
}
