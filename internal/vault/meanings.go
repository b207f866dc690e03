package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// Meaning is what the kernel needs from the package above it that searches by meaning
// (vault/meaning). It is safe for concurrent use.
type Meaning interface {
	// Ask asks the server that an owner chose for the meaning of a question, and waits a
	// short time at most. It returns nil, and asks nobody, if the owner chose none.
	Ask(ctx context.Context, owner memory.DID, question string) MeaningSearch
	// Wrote says that rows of an owner were written.
	Wrote(owner memory.DID)
	// Drop drops what is in memory of an owner from whom something was erased.
	Drop(owner memory.DID)
}

// MeaningSearch finds the documents of a snapshot that are close to a question in meaning,
// closest first. With apart, the result for a part of the documents does not depend on the
// others. notice says in words why it found nothing, if it could not search; else it is
// empty.
type MeaningSearch func(r store.Reader, apart bool) (near []recall.Near, notice string, err error)

// MeaningSpace begins the names of the spaces of vectors: one space for each model. The key
// of a vector is its record's id, and From is the record.
const MeaningSpace = "embed.vector."

// MeaningPlaceSpace says up to which of the owner's changes the records have vectors.
const MeaningPlaceSpace = "embed.place"

// MeaningSettingsSpace holds the owner's settings under the key "": JSON with the members
// model and dim, and others that package meaning knows.
const MeaningSettingsSpace = "embed.settings"

// MeaningSpaceOf returns the space of a model's vectors.
func MeaningSpaceOf(model string, dim int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", dim, model))
	return MeaningSpace + hex.EncodeToString(sum[:8])
}

// MeaningModel returns the model in use and the space of its vectors; empty: none.
func MeaningModel(r store.Reader) (model, space string, err error) {
	a, err := r.Attached(MeaningSettingsSpace, "", 0)
	if err != nil {
		return "", "", NotFoundIsNone(err)
	}
	var s struct {
		Model string `json:"model"`
		Dim   int    `json:"dim"`
	}
	if err := json.Unmarshal(a.Data, &s); err != nil {
		return "", "", fmt.Errorf("read the settings of embed: %w", err)
	}
	return s.Model, MeaningSpaceOf(s.Model, s.Dim), nil
}

// MayEmbed reports whether the text of the owner's record may go to the server that the
// owner chose for meanings. With all, the owner lets restricted records go too.
func (g Gate) MayEmbed(rec memory.Record, all bool) bool {
	switch c := rec.Consent; {
	case g.status(rec) != memory.Active || Foreign(rec, g.Caller.Owner):
		return false
	case all || c == nil:
	case c.Exportable != nil && !*c.Exportable, len(c.Redact) > 0, c.Retention != "":
		return false
	}
	return all || !redact.HoldsToken(rec.Body.Text)
}

// detachVectors removes the vectors of a record, of each model.
func detachVectors(w store.Writer, id memory.ID) error {
	spaces, err := w.Spaces()
	for _, space := range spaces {
		if err == nil && strings.HasPrefix(space, MeaningSpace) {
			err = NotFoundIsNone(w.Detach(space, string(id)))
		}
	}
	return err
}

// askMeaning asks for the meaning of a question before the search opens its snapshot, so
// that the store waits for no network. Strangers cause no request.
func (v *Vault) askMeaning(ctx context.Context, c memory.Caller, q memory.Query) MeaningSearch {
	if v.meaning == nil || !c.Speaks() && c.Grant == nil || recall.Broad(q.Text) {
		return nil
	}
	return v.meaning.Ask(ctx, c.Owner, q.Text)
}

const (
	nearMost = 32 // documents that are handed to the ranking for their meaning
	nearPart = .5 // of the similarity of the closest; those further away are left out
)

// nearest returns the documents closest to the question in meaning that the caller may see
// wholly: a vector tells of hidden parts too.
func (s *search) nearest(ctx context.Context, r store.Reader, idx *index) ([]recall.Near, error) {
	if s.meaning == nil {
		return nil, nil
	}
	all, notice, err := s.meaning(r, !s.gate.Caller.Speaks())
	s.notice = notice
	var near []recall.Near
	for page := range slices.Chunk(all, nearMost) {
		if err != nil || len(near) >= nearMost {
			break
		}
		docs := make([]recall.Doc, len(page))
		for i, n := range page {
			docs[i] = n.Doc
		}
		var found []recall.Candidate
		found, err = idx.Candidates(ctx, docs)
		visible := make(map[recall.Doc]bool)
		for _, c := range found {
			visible[c.Doc] = s.allows(*c.Record) && s.showsWhole(*c.Record)
		}
		for _, n := range page {
			if visible[n.Doc] && (len(near) == 0 || n.Similarity >= nearPart*near[0].Similarity) {
				near = append(near, n)
			}
		}
		err = errors.Join(err, ctx.Err())
	}
	return near[:min(len(near), nearMost)], err
}

// showsWhole reports whether the caller sees all of a record.
func (s *search) showsWhole(rec memory.Record) bool {
	return s.gate.Caller.Speaks() || rec.Consent == nil || len(rec.Consent.Redact) == 0
}
