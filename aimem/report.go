package aimem

import "encoding/json"

// Report is what an import came to (decision AD-18). Inserted, Updated, Skipped
// and the rejected ones together are all chunks of the bundle.
type Report struct {
	Import   int64 // number of the import, for undo; 0: nothing was stored
	DryRun   bool
	Chunks   int // in the bundle
	Inserted int
	Updated  int
	Skipped  int
	Rejected []Rejected
	Warnings []Warning
	Edges    Tally
	Entities Tally
	Links    Tally
}

// Tally counts what was added and what was here already.
type Tally struct {
	Inserted int `json:"inserted"`
	Skipped  int `json:"skipped"`
}

// Rejected is a chunk that was left out because it conflicts with one that is here
// (section 2.9).
type Rejected struct {
	ID       URN      `json:"id"`
	Code     Code     `json:"code"`
	Detail   string   `json:"detail"`
	Stored   Standing `json:"stored"`
	Incoming Standing `json:"incoming"`
	Fields   []string `json:"fields,omitempty"` // with field_conflict
}

// Standing is what a conflict is decided by. It never holds content.
type Standing struct {
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
		Import   int64      `json:"import,omitempty"`
		DryRun   bool       `json:"dry_run,omitempty"`
		Inserted int        `json:"inserted"`
		Updated  int        `json:"updated"`
		Skipped  int        `json:"skipped"`
		Rejected []Rejected `json:"rejected"`
		Warnings []Warning  `json:"warnings"`
		Edges    Tally      `json:"edges"`
		Entities Tally      `json:"entities"`
		Links    Tally      `json:"chunk_entities"`

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
		append([]Rejected{}, r.Rejected...), append([]Warning{}, r.Warnings...),
		r.Edges, r.Entities, r.Links,
		r.Inserted, r.Skipped, conflicts, r.Edges.Inserted, r.Edges.Skipped, r.Entities.Inserted, r.Entities.Skipped, r.Links.Inserted,
	})
}
