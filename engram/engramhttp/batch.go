package engramhttp

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// maxBatch is the most corrections of one request. batchBodies is the factor by which its
// body may be larger.
const (
	maxBatch    = 100
	batchBodies = 16
)

// batch accepts many corrections at once (section 12.4), each with its own result. With
// atomic it records either all or none.
func (h *Handler) batch(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	body, err := h.bodyForWrite(r, c, batchBodies*h.options.MaxBody)
	if err != nil {
		return err
	}
	b, err := batchOf(body)
	if err != nil {
		return err
	}
	if err := b.record(r, c, h.batches); err != nil {
		return unknownUser(err)
	}
	send(w, http.StatusOK, b.wire())
	return nil
}

// batch is a request with many corrections.
type batch struct {
	atomic    bool
	proposals []engram.Proposal
	masked    []string // what was masked in each
	results   []engram.ProposalResult
}

// batchOf reads a batch. A fault of one correction is that correction's result.
func batchOf(body canon.Value) (*batch, error) {
	items, atomic := body.Get("corrections"), body.Get("atomic")
	switch {
	case items.Type() != canon.TypeArray || items.Len() == 0 || items.Len() > maxBatch:
		return nil, invalid("ENGRAM-12.4-1", "corrections is an array of 1 to "+strconv.Itoa(maxBatch)+" corrections")
	case body.Has("atomic") && atomic.Type() != canon.TypeBool:
		return nil, invalid("ENGRAM-12.4-1", "atomic is true or false")
	}
	b := &batch{atomic: atomic.True(), proposals: make([]engram.Proposal, items.Len()), masked: make([]string, items.Len()), results: make([]engram.ProposalResult, items.Len())}
	for i, item := range items.Items() {
		b.proposals[i], b.results[i].Err = proposalOf(item)
		b.masked[i] = redact.Mask(&b.proposals[i].New, &b.proposals[i].Context)
	}
	return b, nil
}

// record proposes the valid corrections.
func (b *batch) record(r *http.Request, c memory.Caller, to engram.Batcher) error {
	var good []engram.Proposal
	var at []int
	for i, p := range b.proposals {
		if b.results[i].Err == nil {
			good, at = append(good, p), append(at, i)
		}
	}
	if len(good) == 0 || b.atomic && len(good) < len(b.proposals) {
		return nil
	}
	done, err := to.ProposeAll(r.Context(), c, good, b.atomic)
	if err != nil {
		return err
	}
	for n, i := range at {
		b.results[i] = done[n]
	}
	return nil
}

// notRecorded is the status of a valid correction in an atomic batch, when another
// correction could not be recorded.
const notRecorded = "not_recorded"

func (b *batch) wire() []byte {
	items := make([]canon.Value, len(b.results))
	for i, x := range b.results {
		said := []canon.Member{{Name: "index", Value: canon.Int(int64(i))}, member("belief_id", b.proposals[i].Belief)}
		switch {
		case x.Err != nil:
			said = append(said, member("status", "refused"), canon.Member{Name: "error", Value: problemValue(unknownBelief(x.Err, b.proposals[i].Belief))})
		case x.Correction.ID == "":
			said = append(said, member("status", notRecorded))
		default:
			said = append(said, member("status", string(engram.Pending)), member("correction_id", x.Correction.ID))
			if b.masked[i] != "" {
				said = append(said, member("message", b.masked[i]+"."))
			}
		}
		items[i] = canon.Object(said...)
	}
	return canon.Object(canon.Member{Name: "results", Value: canon.Array(items...)}).Append(nil)
}

// problemValue returns a problem as one of several results.
func problemValue(err error) canon.Value {
	raw, err := json.Marshal(problemOf(err))
	if err != nil { // strings and a number always encode
		return canon.Value{}
	}
	v, _ := canon.Parse(raw, canon.Options{Bytes: int64(len(raw))})
	return v
}
