package aimem

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of x_ump in the envelope, what a set of records says that chunks
// cannot:
//
//	{"v": 1,
//	 "owner": whose the records are,
//	 "order": the ids of all records in their order,
//	 "records": those of them that are no chunks: closed, proposed, forgotten,
//	 "rest": a hash of all members but chunks: without a change there, they follow
//	         from the records alone}
const (
	carrierOwner = "owner"
	carrierRest  = "rest"
)

// setCarrier returns x_ump of an envelope, if it is one of ours.
func setCarrier(envelope canon.Value) (canon.Value, bool) {
	x := envelope.Get(memberCarrier)
	return x, x.Get("v").Float() == 1
}

// takesBack reports whether x_ump of an envelope says something of records: it is as
// a bundle made of records has it, or has a record of the owner's.
func (m Mapper) takesBack(envelope canon.Value) bool {
	x, ours := setCarrier(envelope)
	if !ours || x.Get(carrierOwner).Text() != "" && x.Get(carrierRest).Text() != "" {
		return ours
	}
	return slices.ContainsFunc(x.Get(carriedRecords).Items(), func(v canon.Value) bool {
		rec, err := m.Forms.Decode(v.Append(nil))
		return err == nil && m.owns(rec)
	})
}

// opened is a bundle that can be read as records.
type opened interface {
	Carrier
	Around
}

// recordReader yields a bundle as records: in the order that x_ump tells, or first
// the chunks and then the manifest.
type recordReader struct {
	brain  opened
	close  func() error
	next   func() (memory.Record, error, bool)
	stop   func()
	losses codec.LossList
	limits codec.Limits
	count  int
	err    error
}

var _ codec.Reader = (*recordReader)(nil)

func newRecordReader(forms codec.Forms, b opened, sum string, opt codec.Options, close func() error) *recordReader {
	env := b.Envelope()
	r := &recordReader{brain: b, close: close, limits: opt.Limits.Filled()}
	m := Mapper{Forms: forms, Owner: ownerOf(env, opt.Owner), Producer: env.Producer, Model: env.EmbeddingModel, Dim: env.EmbeddingDim}
	r.next, r.stop = iter.Pull2(r.records(m, sum))
	return r
}

// ownerOf returns whose the records of a bundle are: whom x_ump names, a tenant that
// is a DID, whom the options name, or the tenant as a URI.
func ownerOf(env Envelope, fallback memory.DID) memory.DID {
	x, _ := setCarrier(env.value())
	switch owner := x.Get(carrierOwner).Text(); {
	case owner != "":
		return memory.DID(owner)
	case strings.HasPrefix(env.TenantID, "did:"):
		return memory.DID(env.TenantID)
	case fallback != "":
		return fallback
	case isUUID(env.TenantID):
		return memory.DID("urn:uuid:" + env.TenantID)
	}
	return memory.DID(env.TenantID)
}

// Next returns the next record.
func (r *recordReader) Next() (memory.Record, error) {
	if r.err != nil {
		return memory.Record{}, r.err
	}
	rec, err, ok := r.next()
	switch {
	case !ok:
		err = io.EOF
	case err == nil:
		err = r.bound(rec)
	}
	if r.err = err; err != nil {
		return memory.Record{}, err
	}
	return rec, nil
}

// Losses returns what no record could take.
func (r *recordReader) Losses() []codec.Loss { return r.losses.All() }

// Close ends the reading.
func (r *recordReader) Close() error {
	r.stop()
	r.err = errClosed
	return r.close()
}

var errClosed = errors.New("aimem: the document is closed")

// chunks yields the records of the chunks.
func (r *recordReader) chunks(m Mapper) iter.Seq2[memory.Record, error] {
	id := remembered(m.born(r.brain))
	return func(yield func(memory.Record, error) bool) {
		err := r.brain.Chunks(func(c Chunk) error {
			t, err := m.Take(c, r.brain, id)
			if err != nil || t.PartOf != "" {
				return err
			}
			r.losses.Add(takenLosses(m, t)...)
			if !yield(t.Record, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(memory.Record{}, err)
		}
	}
}

// remembered asks once for each chunk.
func remembered(ask func(URN) (memory.ID, error)) func(URN) (memory.ID, error) {
	known := map[mark]memory.ID{}
	return func(name URN) (memory.ID, error) {
		at := markOf(name)
		if id, ok := known[at]; ok {
			return id, nil
		}
		id, err := ask(name)
		if err == nil {
			known[at] = id
		}
		return id, err
	}
}

// takenLosses says what a record could not take of its chunk.
func takenLosses(m Mapper, t Taken) []codec.Loss {
	if _, ok := carriedRecord(t.Chunk.Value); ok && !t.Restored {
		return []codec.Loss{{ID: t.Record.ID, Pointer: canon.Pointer(memberCarrier), Reason: lossUnread}}
	}
	if !t.Restored {
		return nil
	}
	var losses []codec.Loss
	if data, ok := m.embeddingOf(t.Record); t.Embedding != "" && (!ok || data.Text() != t.Embedding) {
		losses = append(losses, codec.Loss{ID: t.Record.ID, Pointer: "/embedding", Reason: lossEmbedding})
	}
	known := compose(t.Record, t.Chunk.ID)
	for _, member := range t.Chunk.Value.Members() {
		if !known.Has(member.Name) && member.Name != "embedding" && member.Name != "content_hash" {
			losses = append(losses, codec.Loss{ID: t.Record.ID, Pointer: canon.Pointer(member.Name), Reason: lossMember})
		}
	}
	return losses
}

// carried yields the records that stand in x_ump of the envelope. One that is no
// record of the owner's is passed over, and that is a loss.
func (r *recordReader) carried(m Mapper) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		if env := r.brain.Envelope().value(); env.Has(memberCarrier) && !m.takesBack(env) {
			return // the manifest has it
		}
		err := r.brain.Carried(func(v canon.Value) error {
			rec, err := m.Forms.Decode(v.Append(nil))
			if err != nil || !m.owns(rec) || rec.Integrity != nil && m.Forms.Verify(rec.Form()) != nil {
				r.losses.Add(codec.Loss{Pointer: "/x_ump/records", Reason: lossCarried})
				return nil
			}
			if !yield(rec, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(memory.Record{}, err)
		}
	}
}

// givesAll reports whether everything but the chunks follows from the records: it is
// as it was when the bundle was made of them.
func (r *recordReader) givesAll() (bool, error) {
	x, ours := setCarrier(r.brain.Envelope().value())
	said := x.Get(carrierRest).Text()
	if !ours || said == "" {
		return false, nil
	}
	rest, err := restOf(r.brain)
	return rest == said, err
}

// restOf hashes what of a brain is no chunk, but for the time it was written at.
func restOf(b Brain) (string, error) {
	digest := sha256.New()
	env := b.Envelope().value()
	for _, name := range []string{memberCarrier, memberChecksum, "exported_at"} {
		env = env.Without(name)
	}
	digest.Write(env.AppendCanonical(nil))
	err := itemsOf(b, func(i manifestItem) error {
		if i.list != manifestOrder {
			digest.Write(i.value.AppendCanonical([]byte("\n")))
		}
		return nil
	})
	return checksumPrefix + hex.EncodeToString(digest.Sum(nil)), err
}
