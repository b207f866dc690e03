package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Programs of schema 11 and before can read an index of blocks alone. They may work on a store
// until [Finish], and programs of this release write blocks until then.

// leavesSchema is the schema whose programs can read leaves.
const leavesSchema = 12

// fileBlocks queues additions to blocks.
func (w *indexer) fileBlocks(added []stored.Listing) {
	var blocks []stored.IndexRow
	for _, l := range added {
		blocks = append(blocks, l.Blocks()...)
	}
	w.sendRows(appendBlocks, blocks)
}

const appendBlocks = insertRows + `postings.entries || excluded.entries`

// blocksOf returns the block of each term that holds a document, or would.
func (w *indexer) blocksOf(document int64, terms []string) (map[string]stored.IndexRow, error) {
	number := stored.BlockOf(document)
	found := make(map[string]stored.IndexRow, len(terms))
	for _, term := range terms {
		found[term] = stored.IndexRow{Term: term, Number: number}
	}
	err := w.each(selectSomeBlocks, []any{number, terms}, func(rows pgx.Rows) error {
		r := stored.IndexRow{Number: number}
		err := rows.Scan(&r.Term, &r.Entries)
		found[r.Term] = r
		return err
	})
	return found, err
}

const selectSomeBlocks = `SELECT term, entries FROM postings WHERE owner = $1 AND block = $2 AND term = ANY ($3)`
