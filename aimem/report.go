package aimem

import (
	"encoding/json"
)

// Report is the result of an import (decision AD-18). Inserted, Updated, Skipped and the
// rejected chunks together are all chunks of the bundle.
type Report struct {
	Import   int64 // number of the import, for undo; 0: nothing was stored
	DryRun   bool
	Chunks   int // in the bundle
	Inserted int
	Updated  int
	Skipped  int
	Rejected []Rejection
	Warnings []Warning
	Edges    Tally
	Entities Tally
	Links    Tally
}

// Tally counts added items, and items that the store already had.
type Tally struct {
	Inserted int `json:"inserted"`
	Skipped  int `json:"skipped"`
}

// Rejection is a chunk that the import left out because it conflicts with a stored chunk
// (section 2.9).
type Rejection struct {
	ID       URN          `json:"id"`
	Code     Code         `json:"code"`
	Detail   string       `json:"detail"`
	Stored   ConflictSide `json:"stored"`
	Incoming ConflictSide `json:"incoming"`
	Fields   []string     `json:"fields,omitempty"` // with field_conflict
}

// ConflictSide has the values that decide a conflict. It never holds content.
type ConflictSide struct {
	ContentHash string `json:"content_hash"`
	CreatedAt   string `json:"created_at"`
}

// Warning is something to know about a bundle that was taken in nevertheless. Only
// the members that its code calls for are set.
type Warning struct {
	Code           Code   `json:"code"`
	ID             URN    `json:"id,omitempty"`      // a chunk or entity
	Pointer        string `json:"pointer,omitempty"` // into the bundle
	Detail         string `json:"detail,omitempty"`
	EmbeddingModel string `json:"embedding_model,omitempty"`
	EmbeddingDim   int    `json:"embedding_dim,omitempty"`
	Chunks         int    `json:"chunks,omitempty"`
	Action         string `json:"action,omitempty"` // kept_unused, dropped
}

// MarshalJSON gives the report as the import endpoint answers it: the names of
// decision AD-18 and, beside them, the flat ones of the reference implementation.
func (r Report) MarshalJSON() ([]byte, error) {
	conflicts := make([]URN, 0, len(r.Rejected))
	for _, rejected := range r.Rejected {
		conflicts = append(conflicts, rejected.ID)
	}
	return json.Marshal(struct {
		Import   int64       `json:"import,omitempty"`
		DryRun   bool        `json:"dry_run,omitempty"`
		Inserted int         `json:"inserted"`
		Updated  int         `json:"updated"`
		Skipped  int         `json:"skipped"`
		Rejected []Rejection `json:"rejected"`
		Warnings []Warning   `json:"warnings"`
		Edges    Tally       `json:"edges"`
		Entities Tally       `json:"entities"`
		Links    Tally       `json:"chunk_entities"`

		ChunksInserted   int   `json:"chunks_inserted"`
		ChunksSkipped    int   `json:"chunks_skipped_idempotent"`
		ChunksConflict   []URN `json:"chunks_rejected_conflict"`
		EdgesInserted    int   `json:"edges_inserted"`
		EdgesSkipped     int   `json:"edges_skipped_idempotent"`
		EntitiesInserted int   `json:"entities_inserted"`
		EntitiesSkipped  int   `json:"entities_skipped_idempotent"`
		LinksInserted    int   `json:"chunk_entities_inserted"`
	}{
		r.Import, r.DryRun, r.Inserted, r.Updated, r.Skipped,
		append([]Rejection{}, r.Rejected...), append([]Warning{}, r.Warnings...),
		r.Edges, r.Entities, r.Links,
		r.Inserted, r.Skipped, conflicts, r.Edges.Inserted, r.Edges.Skipped, r.Entities.Inserted, r.Entities.Skipped, r.Links.Inserted,
	})
}

// maxWarnings bounds how many warnings are kept of a bundle.
const maxWarnings = 1000

// ModelWarning says that the vectors of so many chunks are kept and not used: they
// are of a model that is not computed with here (section 2.7).
func ModelWarning(e Envelope, chunks int) Warning {
	return Warning{Code: WarnModel, EmbeddingModel: e.EmbeddingModel, EmbeddingDim: e.EmbeddingDim, Chunks: chunks, Action: "kept_unused",
		Detail: "vectors are kept as they came, for exports that include them; words are searched by"}
}

// warnings collects what to know about a bundle.
type warnings struct {
	list    []Warning
	omitted int
}

func (w *warnings) add(warning Warning) {
	if len(w.list) >= maxWarnings {
		w.omitted++
		return
	}
	w.list = append(w.list, warning)
}

// all returns the warnings, and says that there were more.
func (w *warnings) all() []Warning {
	if w.omitted == 0 {
		return w.list
	}
	return append(w.list, Warning{Code: WarnWarningsOmitted, Detail: "there are more warnings than are listed"})
}
