package sqlite

import "github.com/satchel-memory/satchel/internal/store/stored"

var sessionsTable = tableOf("sessions")

var sessionsSQL = &stored.SessionsSQL{List: selectSessions, Drop: deleteSession, DropEnded: deleteEnded}

var selectSessions = `SELECT ` + sessionsTable.list + ` FROM sessions WHERE owner = ?`

const (
	deleteSession = `DELETE FROM sessions WHERE owner = ? AND digest = ? RETURNING seal`
	deleteEnded   = `DELETE FROM sessions WHERE owner = ? AND ends <= ? RETURNING seal`
)
