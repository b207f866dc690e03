package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

var (
	runsTable      = tableOf("runs")
	runEventsTable = tableOf("run_events")
)

var agentRunsSQL = &stored.AgentRunsSQL{
	ListSQL: stored.ListSQL{Latest: selectLatestRuns, Later: selectLaterRuns, LatestOf: selectLatestRunsOf, LaterOf: selectLaterRunsOf},
	Events:  selectRunEvents, Last: selectLastEvent, Due: selectDueRuns, Next: selectNextRun, Held: countHeldRuns, Holders: selectHeldRuns, Drop: deleteAgentRun, DropEvents: deleteRunEvents,
}

var (
	selectAgentRuns    = `SELECT ` + runsTable.list + ` FROM runs WHERE owner = $1`
	selectLatestRuns   = selectAgentRuns + ` ORDER BY began DESC, by_id DESC LIMIT $2`
	selectLaterRuns    = selectAgentRuns + ` AND (began, by_id) < ($2, $3) ORDER BY began DESC, by_id DESC LIMIT $4`
	selectLatestRunsOf = selectAgentRuns + ` AND by_agent = $2 ORDER BY began DESC, by_id DESC LIMIT $3`
	selectLaterRunsOf  = selectAgentRuns + ` AND by_agent = $2 AND (began, by_id) < ($3, $4) ORDER BY began DESC, by_id DESC LIMIT $5`
	selectHeldRuns     = selectAgentRuns + ` AND holder <> ''`
	selectDueRuns      = selectAgentRuns + ` AND lineage = $2 AND due <= $3 AND (due, by_id) > ($4, $5) AND due IS NOT NULL
		AND ($6::text IS NULL OR queue IN (SELECT convert_to(jsonb_array_elements_text($6::jsonb), 'UTF8'))) AND ` + hasSlot + ` ORDER BY due, by_id LIMIT $7`

	selectRunEvents = `SELECT ` + runEventsTable.list + ` FROM run_events WHERE owner = $1 AND by_run = $2 AND number > $3 ORDER BY number LIMIT $4`
)

const (
	selectRunIDs    = `SELECT id FROM runs WHERE owner = $1 AND by_id > $2 ORDER BY by_id LIMIT $3`
	selectLastEvent = `SELECT number FROM run_events WHERE owner = $1 AND by_run = $2 ORDER BY number DESC LIMIT 1`
	selectNextRun   = `SELECT due FROM runs WHERE owner = $1 AND lineage = $2 AND due IS NOT NULL AND ` + hasSlot + ` ORDER BY due LIMIT 1`
	countHeldRuns   = `SELECT count(*) FROM runs WHERE owner = $1 AND by_agent = $2 AND until > $3 AND by_id <> $4 AND holder <> ''`
	// hasSlot holds for a run unless others of its agent are held, at the time $3, that have all slots.
	hasSlot = `(slots = 0 OR slots > (SELECT count(*) FROM runs AS others WHERE others.owner = $1 AND others.by_agent = runs.by_agent
		AND others.until > $3 AND others.by_id <> runs.by_id AND others.holder <> ''))`

	deleteAgentRun  = `DELETE FROM runs WHERE owner = $1 AND by_id = $2 RETURNING seal, 0`
	deleteRunEvents = `DELETE FROM run_events WHERE owner = $1 AND by_run = $2 RETURNING seal, octet_length(document)`
)

// runHome implements [stored.RunHome].
type runHome struct{ x *ownerTx }

// RunIDs reads the keys only.
func (h runHome) RunIDs(after string, most int) (found []string, err error) {
	err = h.x.each(selectRunIDs, []any{short(after), max(most, 0)}, func(rows pgx.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		found = append(found, string(id))
		return err
	})
	return found, err
}

// Clock returns the server's time.
func (h runHome) Clock() (time.Time, error) {
	var now int64
	err := h.x.first(selectClock, nil, &now)
	return stored.Instant(now), err
}

// The store's lineage is a digest of a random marker, which a migration makes, and of where
// the database lies, if the user of the URL may ask: the number of the server's system, its
// timeline, which each restore and each failover makes another, and the number of the
// database. A cluster has the marker only: each node has a system of its own.
const (
	selectClock  = `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint WHERE $1::uuid IS NOT NULL`
	selectMarker = `SELECT lineage FROM schema_version WHERE one AND $1::uuid IS NOT NULL`
	selectPlace  = `SELECT concat_ws(' ', s.system_identifier,
			CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END, d.oid)
		FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database() AND $1::uuid IS NOT NULL`

	// setMarker gives a new store its marker.
	setMarker = `UPDATE schema_version SET lineage = $1 WHERE one AND lineage IS NULL`
)

// Lineage names the database's history.
func (h runHome) Lineage() (string, error) {
	var marker []byte
	var place string
	asked := []statement{{query: selectMarker, scan: func(rows pgx.Rows) error { return rows.Scan(&marker) }}}
	if h.x.tx.store != nil && h.x.tx.store.placed {
		asked = append(asked, statement{query: selectPlace, scan: func(rows pgx.Rows) error { return rows.Scan(&place) }})
	}
	if err := h.x.all(asked...); err != nil {
		return "", err
	}
	return stored.LineageOf(marker, place)
}

// isPlaced reports whether programs may ask where the database lies.
func (s *Store) isPlaced(ctx context.Context) (bool, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	if there, err := hasCitus(ctx, conn.Conn()); err != nil || there {
		return false, err
	}
	var place string
	err = conn.QueryRow(ctx, selectPlace, [16]byte{}).Scan(&place)
	return err == nil, ctx.Err()
}
