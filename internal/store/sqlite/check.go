package sqlite

import (
	"context"
	"database/sql"
)

// Check asks SQLite whether the file is sound. Then it checks whether the tables
// agree, and whether every row is as it was written.
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
		for _, check := range []func(context.Context, *conn) ([]string, error){s.checkSchema, s.checkSeals, checkIndex} {
			found, err := check(ctx, c)
			findings = append(findings, found...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return findings, translate("check", err)
}

// checks are statements that yield one line per finding.
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
			FROM changes AS c JOIN owners AS o ON o.owner = c.owner WHERE c.type <> 'emptied')
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
	`SELECT format('owner %d: there are %d records of %d bytes, the counters say %d of %d', owner,
		coalesce(found, 0), coalesce(said, 0) + coalesce(beside, 0), records, bytes)
		FROM owners LEFT JOIN (SELECT doc >> 40 AS whose, count(*) AS found,
			coalesce(sum(octet_length(origin)), 0) + coalesce(sum(octet_length(current)), 0) AS said
			FROM records GROUP BY doc >> 40) ON whose = owner LEFT JOIN (SELECT whose AS holder,
			sum(size) AS beside FROM (SELECT doc >> 40 AS whose, coalesce(octet_length(data), 0) AS size FROM attachments
			UNION ALL SELECT owner, octet_length(document) FROM agents
			UNION ALL SELECT owner, octet_length(document) FROM states
			UNION ALL SELECT owner, octet_length(document) FROM run_events) GROUP BY whose) ON holder = owner
		WHERE coalesce(found, 0) <> records OR coalesce(said, 0) + coalesce(beside, 0) <> bytes ORDER BY owner`,
	`SELECT format('owner %d: a run counts %d events, there are %d up to number %d', owner, events, found, last)
		FROM (SELECT r.owner, events, (SELECT count(*) FROM run_events AS e WHERE e.owner = r.owner AND e.run = r.id) AS found,
			(SELECT coalesce(max(number), 0) FROM run_events AS e WHERE e.owner = r.owner AND e.run = r.id) AS last FROM runs AS r)
		WHERE found <> events OR last <> events LIMIT 20`,
	`SELECT DISTINCT format('owner %d: there are events of a run that does not exist', owner) FROM run_events AS e
		WHERE NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.owner = e.owner AND r.id = e.run) LIMIT 20`,
	`SELECT format('owner %d: the audit log has %d entries and %d hashes, the counters say %d and %d',
			owner, entries_found, hashes_found, entries, hashes)
		FROM (SELECT o.*, (SELECT count(*) FROM audit AS a WHERE a.owner = o.owner) AS entries_found,
			(SELECT count(*) FROM audit_hashes AS h WHERE h.owner = o.owner) AS hashes_found FROM owners AS o)
		WHERE entries_found <> entries OR hashes_found <> hashes`,
	`SELECT format('owner %d: import %d counts %d unpublished rows, there are %d', s.owner, import, rows, found)
		FROM (SELECT s.*, (SELECT count(*) FROM records WHERE doc BETWEEN (s.owner << 40 | first)
			AND (s.owner << 40 | last) AND records.import = s.import) AS found FROM staged AS s WHERE first < 1 << 40) AS s
		WHERE found <> rows`,
	`SELECT format('owner %d: import %d counts %d unpublished attachments, there are %d', s.owner, import, rows, found)
		FROM (SELECT s.*, (SELECT count(*) FROM attachments AS a WHERE a.doc BETWEEN (s.owner << 40 | (first & 1099511627775))
			AND (s.owner << 40 | (last & 1099511627775)) AND a.import = s.import) AS found FROM staged AS s WHERE first >= 1 << 40) AS s
		WHERE found <> rows`,
	`SELECT format('owner %d: attachments are numbered up to %d, the counter says %d', owner, last, attached)
		FROM (SELECT o.owner, attached, (SELECT max(doc) FROM attachments
			WHERE doc BETWEEN o.owner << 40 AND (o.owner + 1 << 40) - 1) & 1099511627775 AS last FROM owners AS o)
		WHERE last > attached`,
	`SELECT format('attachment %d of owner %d is filed under owner %d', doc & 1099511627775, doc >> 40, owner)
		FROM attachments WHERE doc >> 40 <> owner LIMIT 20`,
	`SELECT format('attachment %d of owner %d hangs on record %d, which does not exist', a.doc & 1099511627775, a.owner, a.source)
		FROM attachments AS a WHERE source IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM records AS r WHERE r.doc = (a.owner << 40 | a.source)) LIMIT 20`,
	`SELECT format('attachment %d of owner %d hangs on record %d, which does not exist', a.doc & 1099511627775, a.owner, a.target)
		FROM attachments AS a WHERE target IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM records AS r WHERE r.doc = (a.owner << 40 | a.target)) LIMIT 20`,
}
