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
//	 "owner": the owner of the records,
//	 "order": the ids of all records in their order,
//	 "records": those of them that are no chunks: closed, proposed, forgotten,
//	 "rest": a hash of all members but chunks: without a change there, they follow
//	         from the records alone}
const (
	carrierOwner = "owner"
	carrierRest  = "rest"
)

// envelopeCarrier returns x_ump of an envelope, if it is one of ours.
func envelopeCarrier(envelope canon.Value) (canon.Value, bool) {
	x := envelope.Get(memberCarrier)
	return x, x.Get("v").Float() == 1
}

// carriesRecords reports whether x_ump of an envelope describes records: a bundle made
// from records has such a member, or it contains a record of the owner.
func (m Mapper) carriesRecords(envelope canon.Value) bool {
	x, ours := envelopeCarrier(envelope)
	if !ours || x.Get(carrierOwner).Text() != "" && x.Get(carrierRest).Text() != "" {
		return ours
	}
	return slices.ContainsFunc(x.Get(carriedRecords).Items(), func(v canon.Value) bool {
		rec, err := m.Forms.Decode(v.Append(nil))
		return err == nil && m.owns(rec)
	})
}

// recordSource is a bundle that can be read as records.
type recordSource interface {
	Carrier
	Graph
}

// recordReader yields a bundle as records: in the order of x_ump, or first the chunks and
// then the manifest.
type recordReader struct {
	brain  recordSource
	close  func() error
	next   func() (memory.Record, error, bool)
	stop   func()
	losses codec.LossList
	limits codec.Limits
	count  int
	err    error
}

var _ codec.Reader = (*recordReader)(nil)

func newRecordReader(forms codec.Forms, b recordSource, sum string, opt codec.Options, close func() error) *recordReader {
	env := b.Envelope()
	r := &recordReader{brain: b, close: close, limits: opt.Limits.Filled()}
	m := Mapper{Forms: forms, Owner: ownerOf(env, opt.Owner), Namespace: Namespace(env.Producer), Model: env.EmbeddingModel, Dim: env.EmbeddingDim, unsigned: opt.Unsigned}
	r.next, r.stop = iter.Pull2(r.records(m, sum))
	return r
}

// ownerOf returns the owner of the records of a bundle: the owner in x_ump, a tenant that
// is a DID, the owner in the options, or the tenant as a URI.
func ownerOf(env Envelope, fallback memory.DID) memory.DID {
	x, _ := envelopeCarrier(env.value())
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
		err = r.checkLimits(rec)
	}
	if r.err = err; err != nil {
		return memory.Record{}, err
	}
	return rec, nil
}

// Losses returns the parts of the bundle that no record contains.
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
	id := memoized(m.recordIDs(r.brain))
	return func(yield func(memory.Record, error) bool) {
		err := r.brain.Chunks(func(c Chunk) error {
			t, err := m.Convert(c, r.brain, id)
			if err != nil || t.PartOf != "" {
				return err
			}
			r.losses.Add(conversionLosses(m, t)...)
			for range t.Outside {
				r.losses.Add(codec.Loss{ID: t.Record.ID, Pointer: "/relations", Reason: lossOutside})
			}
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

// memoized calls ask once for each chunk.
func memoized(ask func(URN) (memory.ID, error)) func(URN) (memory.ID, error) {
	known := map[idHash]memory.ID{}
	return func(name URN) (memory.ID, error) {
		at := hashID(name)
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

// conversionLosses returns the parts of a chunk that its record does not contain.
func conversionLosses(m Mapper, t Conversion) []codec.Loss {
	if _, ok := carriedRecord(t.Chunk.Value); ok && !t.Restored {
		return []codec.Loss{{ID: t.Record.ID, Pointer: canon.Pointer(memberCarrier), Reason: lossUnread}}
	}
	if !t.Restored {
		return nil
	}
	var losses []codec.Loss
	if t.unsigned {
		losses = append(losses, codec.Loss{ID: t.Record.ID, Pointer: "/integrity", Reason: lossSignature})
	}
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

// carriedRecords yields the records in x_ump of the envelope. It skips records of other
// owners, and reports them as losses.
func (r *recordReader) carriedRecords(m Mapper) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		if env := r.brain.Envelope().value(); env.Has(memberCarrier) && !m.carriesRecords(env) {
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

// isComplete reports whether the records give everything but the chunks again: nothing
// has changed since the bundle was made from them.
func (r *recordReader) isComplete() (bool, error) {
	x, ours := envelopeCarrier(r.brain.Envelope().value())
	said := x.Get(carrierRest).Text()
	if !ours || said == "" {
		return false, nil
	}
	rest, err := restOf(r.brain)
	return rest == said, err
}

// restOf hashes everything in a brain but the chunks and the export time.
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
