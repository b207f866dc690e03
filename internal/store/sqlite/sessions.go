package sqlite

import "github.com/satchel-memory/satchel/internal/store/stored"

var sessionsTable = tableOf("sessions")

var sessionsSQL = &stored.SessionsSQL{List: selectSessions, Drop: deleteSession, DropEnded: deleteEnded}

var selectSessions = `SELECT ` + sessionsTable.list + ` FROM sessions WHERE owner = ?`

const (
	deleteSession = `DELETE FROM sessions WHERE owner = ? AND digest = ? RETURNING seal`
	deleteEnded   = `DELETE FROM sessions WHERE owner = ? AND ends <= ? RETURNING seal`
)

var readingsTable = tableOf("readings")

var readingsSQL = &stored.ReadingsSQL{List: selectReadings, First: firstReading, Place: placeReading, Drop: deleteReadings}

var selectReadings = `SELECT ` + readingsTable.list + ` FROM readings WHERE owner = ? AND (at, nonce) < (?, ?) AND at >= ?
	AND instr(docs, ?) > 0 ORDER BY at DESC, nonce DESC LIMIT ?`

const (
	firstReading   = `SELECT min(at) FROM readings WHERE owner = ?`
	placeReading   = `SELECT at FROM readings WHERE owner = ? ORDER BY at DESC, nonce DESC LIMIT 1 OFFSET ?`
	deleteReadings = `DELETE FROM readings WHERE owner = ? AND at <= ? RETURNING seal`
)
