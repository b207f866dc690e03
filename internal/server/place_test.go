package server_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// place is where a store lies, which several servers may open.
type place struct {
	path string                        // of a file
	url  string                        // of a database; empty: it is a file
	over func(store.Store) store.Store // what lies over the store; nil: nothing
}

// overPostgres names the test that runs others in a database.
const overPostgres = "TestOverPostgres"

// placeOf returns a fresh place: a file, or in a test of [TestOverPostgres] a
// database.
func placeOf(t testing.TB) place {
	t.Helper()
	if !strings.HasPrefix(t.Name(), overPostgres+"/") {
		return place{path: filepath.Join(t.TempDir(), "satchel.db")}
	}
	return place{url: pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })}
}

// open opens the store once more, until the test ends.
func (p place) open(t testing.TB, seal func(memory.DID) []byte) store.Store {
	t.Helper()
	var s store.Store
	var err error
	if p.url != "" {
		s, err = postgres.Open(t.Context(), p.url, postgres.Options{Seal: seal})
	} else {
		s = sqlitetest.Open(t, p.path, sqlite.Options{Seal: seal})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if p.over != nil {
		s = p.over(s)
	}
	return s
}

// erased is what a hard forget answers: in a database, dead pages are left to its
// operator.
func (p place) erased() string {
	if p.url != "" {
		return `{"result":"erased","pending":true}`
	}
	return `{"result":"erased"}`
}

// publish makes a private record public behind the back of satchel.
func (p place) publish(t *testing.T, id string) {
	t.Helper()
	driver, at, statement := "sqlite", p.path+"?_pragma=busy_timeout(5000)", `UPDATE records SET origin = replace(origin, '"private"', '"public"') WHERE id = $1`
	if p.url != "" {
		driver, at = "pgx", p.url
		statement = `UPDATE records SET origin = convert_to(replace(convert_from(origin, 'UTF8'), '"private"', '"public"'), 'UTF8') WHERE id = convert_to($1, 'UTF8')`
	}
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	done, err := db.Exec(statement, id)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d records are changed: %v", n, err)
	}
}

// TestOverPostgres runs the tests of a whole house again with its store in a
// database.
func TestOverPostgres(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"OneMemoryEverywhere": TestOneMemoryEverywhere, "Ready": TestReady, "Canaries": TestCanaries, "LogTellsNothing": TestLogTellsNothing,
		"CapabilitiesHold": TestCapabilitiesHold, "ReadOnly": TestReadOnly, "Level1": TestLevel1, "Level2": TestLevel2, "EveryCode": TestEveryCode,
		"MetricsOfVault": TestMetricsOfVault, "RevocationEndsWhatIsUnderWay": TestRevocationEndsWhatIsUnderWay, "SkewIsOneRule": TestSkewIsOneRule,
		"RefusalsAreInTheLog": TestRefusalsAreInTheLog, "SubscribeToAnotherOwner": TestSubscribeToAnotherOwner, "OwnersApart": TestOwnersApart,
		"Replicas": TestReplicas, "ErasedMeanwhile": TestErasedMeanwhile, "EraseRace": TestEraseRace, "Transcripts": TestTranscripts, "ReplicasShareLimits": TestReplicasShareLimits,
		"Runs": TestRuns, "RunsShared": TestRunsShared, "RunsWhenAServerStops": TestRunsWhenAServerStops,
		"Peers": TestPeers, "PeersWait": TestPeersWait, "PeersApart": TestPeersApart, "PeersAtOnce": TestPeersAtOnce, "PeersListLongAnswers": TestPeersListLongAnswers,
	} {
		t.Run(name, test)
	}
}
