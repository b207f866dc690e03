package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
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
	selectAgentRuns    = `SELECT ` + runsTable.list + ` FROM runs`
	selectLatestRuns   = selectAgentRuns + ` INDEXED BY runs_began WHERE owner = ? ORDER BY began DESC, id DESC LIMIT ?`
	selectLaterRuns    = selectAgentRuns + ` INDEXED BY runs_began WHERE owner = ? AND (began, id) < (?, ?) ORDER BY began DESC, id DESC LIMIT ?`
	selectLatestRunsOf = selectAgentRuns + ` INDEXED BY runs_agent WHERE owner = ? AND agent = ? ORDER BY began DESC, id DESC LIMIT ?`
	selectLaterRunsOf  = selectAgentRuns + ` INDEXED BY runs_agent WHERE owner = ? AND agent = ? AND (began, id) < (?, ?) ORDER BY began DESC, id DESC LIMIT ?`
	selectHeldRuns     = selectAgentRuns + ` INDEXED BY runs_held WHERE owner = ? AND holder <> ''`
	selectDueRuns      = selectAgentRuns + ` INDEXED BY runs_due WHERE owner = ?1 AND lineage = ?2 AND due <= ?3 AND (due, id) > (?4, ?5) AND due IS NOT NULL
		AND (?6 IS NULL OR queue IN (SELECT value FROM json_each(?6))) AND ` + hasSlot + ` ORDER BY due, id LIMIT ?7`

	selectRunEvents = `SELECT ` + runEventsTable.list + ` FROM run_events WHERE owner = ? AND run = ? AND number > ? ORDER BY number LIMIT ?`
)

const (
	selectRunIDs    = `SELECT id FROM runs WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`
	selectLastEvent = `SELECT number FROM run_events WHERE owner = ? AND run = ? ORDER BY number DESC LIMIT 1`
	selectNextRun   = `SELECT due FROM runs INDEXED BY runs_due WHERE owner = ?1 AND lineage = ?2 AND due IS NOT NULL AND ` + hasSlot + ` ORDER BY due LIMIT 1`
	countHeldRuns   = `SELECT count(*) FROM runs INDEXED BY runs_held WHERE owner = ? AND agent = ? AND until > ? AND id <> ? AND holder <> ''`
	// hasSlot holds for a run unless others of its agent are held, at the time ?3, that have all slots.
	hasSlot = `(slots = 0 OR slots > (SELECT count(*) FROM runs AS others INDEXED BY runs_held WHERE others.owner = ?1 AND others.agent = runs.agent
		AND others.until > ?3 AND others.id <> runs.id AND others.holder <> ''))`
	selectMarker = `SELECT marker, (SELECT file FROM pragma_database_list WHERE name = 'main') FROM lineage`

	deleteAgentRun  = `DELETE FROM runs WHERE owner = ? AND id = ? RETURNING seal, 0`
	deleteRunEvents = `DELETE FROM run_events WHERE owner = ? AND run = ? RETURNING seal, octet_length(document)`
	renewMarker     = `UPDATE lineage SET marker = randomblob(16)`
)

// runHome implements [stored.RunHome].
type runHome struct{ x *ownerTx }

// RunIDs reads the keys only.
func (h runHome) RunIDs(after string, max int) (found []string, err error) {
	err = h.x.eachText(selectRunIDs, after, max, 1, func(key []string) { found = append(found, key[0]) })
	return found, err
}

// Clock returns the machine's time.
func (h runHome) Clock() (time.Time, error) {
	return time.Now().UTC().Truncate(time.Microsecond), h.x.Ready()
}

// Table lineage: its only row has 16 random bytes, the marker. The store's lineage is a
// digest of them and of what tells the file from a copy of it, see fileIdentity.

// Lineage names the file's history.
func (h runHome) Lineage() (string, error) {
	var marker []byte
	var path string
	err := h.x.each(selectMarker, nil, func(rows *sql.Rows) error { return rows.Scan(&marker, &path) })
	if err != nil {
		return "", err
	}
	identity, err := fileIdentity(path)
	if err != nil {
		return "", translate("read", err)
	}
	return stored.LineageOf(marker, identity)
}

var _ store.Rooted = (*Store)(nil)

// NewLineage gives the store another marker, see [store.Rooted].
func (s *Store) NewLineage(ctx context.Context) error {
	return s.transact(ctx, func(w *writeTx) error {
		_, err := w.exec(renewMarker)
		return err
	})
}

// identityOf words what tells a file from a copy of it: its number in the file system, and
// when it was made. Where the file system does not say when, it is the file system's number,
// which may change when the machine starts.
func identityOf(file, system uint64, made int64) string {
	if made == 0 {
		return fmt.Sprintf("file %d of %d", file, system)
	}
	return fmt.Sprintf("file %d made %d", file, made)
}
