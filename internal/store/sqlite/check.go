package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
)

// Check asks SQLite whether the file is sound, and then whether its tables agree
// with one another.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	findings := []string{}
	err := s.read(ctx, func(c *conn) error {
		collect := func(query string) error {
			return c.each(query, nil, func(rows *sql.Rows) error {
				var finding string
				err := rows.Scan(&finding)
				if finding != "ok" {
					findings = append(findings, finding)
				}
				return err
			})
		}
		if err := collect("PRAGMA integrity_check(20)"); err != nil {
			return err
		}
		for _, query := range checks {
			if err := collect(query); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		found, err := checkIndex(ctx, c)
		findings = append(findings, found...)
		return err
	})
	return findings, translate("check", err)
}

// checks each yield one line per finding.
var checks = []string{
	`SELECT format('owner %d: document numbers go up to %d, the counter says %d', owner, last, numbered)
		FROM (SELECT o.owner, numbered, (SELECT max(doc) FROM records
			WHERE doc BETWEEN o.owner << 40 AND (o.owner + 1 << 40) - 1) & 1099511627775 AS last FROM owners AS o)
		WHERE last > numbered`,
	`SELECT format('owner %d: the feed goes up to %d, the counter says %d', owner, last, sequence)
		FROM (SELECT o.owner, sequence, (SELECT coalesce(max(sequence), o.began) FROM changes AS c
			WHERE c.owner = o.owner) AS last FROM owners AS o)
		WHERE last <> sequence`,
	`SELECT DISTINCT format('owner %d: the feed has gaps', owner)
		FROM (SELECT c.owner, c.sequence - (last - first) - 1 AS before,
			lag(c.sequence, 1, began) OVER (PARTITION BY c.owner ORDER BY c.sequence) AS previous
			FROM changes AS c JOIN owners AS o ON o.owner = c.owner)
		WHERE before <> previous`,
	`SELECT format('record %d of owner %d is filed under owner %d', doc & 1099511627775, doc >> 40, owner)
		FROM records WHERE doc >> 40 <> owner LIMIT 20`,
	`SELECT format('record %d of owner %d has a kind, status or visibility that does not exist', doc & 1099511627775, owner)
		FROM records WHERE kind NOT IN ('semantic', 'episodic', 'procedural', 'working', 'identity')
			OR status NOT IN ('active', 'candidate', 'tombstoned')
			OR visibility NOT IN ('private', 'shared', 'public') LIMIT 20`,
	`SELECT format('owner %d: a link starts at record %d, which does not exist', r.owner, r.doc & 1099511627775)
		FROM relations AS r LEFT JOIN records ON records.doc = r.doc WHERE records.doc IS NULL LIMIT 20`,
	`SELECT format('owner %d: a foreign id stands for record %d, which does not exist', a.owner, a.doc & 1099511627775)
		FROM aliases AS a LEFT JOIN records ON records.doc = a.doc WHERE records.doc IS NULL LIMIT 20`,
	`SELECT format('owner %d: a lesson is about record %d, which does not exist', l.doc >> 40, l.doc & 1099511627775)
		FROM lessons AS l LEFT JOIN records ON records.doc = l.doc WHERE records.doc IS NULL LIMIT 20`,
	`SELECT format('owner %d: the audit log has %d entries and %d hashes, the counters say %d and %d',
			owner, entries_found, hashes_found, entries, hashes)
		FROM (SELECT o.*, (SELECT count(*) FROM audit AS a WHERE a.owner = o.owner) AS entries_found,
			(SELECT count(*) FROM audit_hashes AS h WHERE h.owner = o.owner) AS hashes_found FROM owners AS o)
		WHERE entries_found <> entries OR hashes_found <> hashes`,
	`SELECT format('owner %d: import %d counts %d unpublished rows, there are %d', s.owner, import, rows, found)
		FROM (SELECT s.*, (SELECT count(*) FROM records WHERE doc BETWEEN (s.owner << 40 | first)
			AND (s.owner << 40 | last) AND records.import = s.import) AS found FROM staged AS s) AS s
		WHERE found <> rows`,
}

// checkIndex reads the whole index once, in its order, and compares it with
// document frequencies and with the records that exist.
func checkIndex(ctx context.Context, c *conn) ([]string, error) {
	x := indexCheck{
		seed: maphash.MakeSeed(), listed: make(map[int64]uint64), indexed: make(map[int64]uint64),
		stray: make(map[int64]int), wrong: make(map[int64]int),
	}
	if err := x.lists(c); err != nil {
		return nil, err
	}
	err := c.each(`SELECT owner, term, block, documents, entries FROM postings ORDER BY owner, term, block`, nil,
		func(rows *sql.Rows) error { return errors.Join(x.row(rows), ctx.Err()) })
	x.finish()
	return slices.Concat(
		perOwner("owner %d: %d records are indexed under other terms than they list", x.unlike()),
		perOwner("owner %d: %d postings name documents that do not exist", x.stray),
		perOwner("owner %d: %d terms occur in another number of documents than is said", x.wrong),
	), err
}

// perOwner words what was counted for each owner, in the order of owners.
func perOwner(finding string, counts map[int64]int) []string {
	var findings []string
	for _, owner := range slices.Sorted(maps.Keys(counts)) {
		findings = append(findings, fmt.Sprintf(finding, owner, counts[owner]))
	}
	return findings
}

// indexCheck is what a check has seen of the index.
type indexCheck struct {
	seed    maphash.Seed
	listed  map[int64]uint64 // by keys of records: the sum of the hashes of the terms they list
	indexed map[int64]uint64 // the same of the terms the index has for them
	stray   map[int64]int    // per owner: postings of no record
	wrong   map[int64]int    // per owner: terms with a wrong tally

	owner int64 // the term at hand
	term  string
	hash  uint64
	said  int
	found int
}

func (x *indexCheck) row(rows *sql.Rows) error {
	var owner, block int64
	var term string
	var documents int
	var entries sql.RawBytes
	if err := rows.Scan(&owner, &term, &block, &documents, &entries); err != nil {
		return err
	}
	if owner != x.owner || term != x.term {
		x.finish()
		x.owner, x.term, x.hash, x.said, x.found = owner, term, maphash.String(x.seed, term), 0, 0
	}
	x.said += documents
	x.found += len(entries) / entrySize
	for i := 0; i < len(entries); i += entrySize {
		doc := owner<<40 | (block*blockSize + int64(entries[i]))
		if _, ok := x.listed[doc]; !ok {
			x.stray[owner]++
			continue
		}
		x.indexed[doc] += x.hash
	}
	return nil
}

// finish compares the tally of the term at hand with its postings.
func (x *indexCheck) finish() {
	if x.said != x.found {
		x.wrong[x.owner]++
	}
}

// lists reads the terms that records list.
func (x *indexCheck) lists(c *conn) error {
	return c.each(`SELECT doc, words FROM records`, nil, func(rows *sql.Rows) error {
		var doc int64
		var packed sql.RawBytes
		err := rows.Scan(&doc, &packed)
		terms, ok := unpackTerms(packed)
		sum := uint64(0)
		for _, term := range terms {
			sum += maphash.String(x.seed, term)
		}
		if !ok {
			sum = maphash.Bytes(x.seed, packed) // unlike any other
		}
		x.listed[doc] = sum
		return err
	})
}

// unlike counts, per owner, the records that list other terms than the index has
// for them.
func (x *indexCheck) unlike() map[int64]int {
	found := make(map[int64]int)
	for doc, sum := range x.listed {
		if x.indexed[doc] != sum {
			found[doc>>40]++
		}
	}
	return found
}
