package postgres

import "github.com/satchel-memory/satchel/internal/store/stored"

var sessionsTable = tableOf("sessions")

var sessionsSQL = &stored.SessionsSQL{List: selectSessions, Drop: deleteSession, DropEnded: deleteEnded}

var selectSessions = `SELECT ` + sessionsTable.list + ` FROM sessions WHERE owner = $1`

const (
	deleteSession = `DELETE FROM sessions WHERE owner = $1 AND digest = $2 RETURNING seal`
	deleteEnded   = `DELETE FROM sessions WHERE owner = $1 AND ends <= $2 RETURNING seal`
)

var readingsTable = tableOf("readings")

var readingsSQL = &stored.ReadingsSQL{List: selectReadings, First: firstReading, Place: placeReading, Drop: deleteReadings}

var selectReadings = `SELECT ` + readingsTable.list + ` FROM readings WHERE owner = $1 AND (at, nonce) < ($2, $3) AND at >= $4
	AND strpos(docs, $5) > 0 ORDER BY at DESC, nonce DESC LIMIT $6`

const (
	firstReading   = `SELECT min(at) FROM readings WHERE owner = $1`
	placeReading   = `SELECT at FROM readings WHERE owner = $1 ORDER BY at DESC, nonce DESC LIMIT 1 OFFSET $2`
	deleteReadings = `DELETE FROM readings WHERE owner = $1 AND at <= $2 RETURNING seal`
)
