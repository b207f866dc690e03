package postgres

import "github.com/satchel-memory/satchel/internal/store/stored"

var sessionsTable = tableOf("sessions")

var sessionsSQL = &stored.SessionsSQL{List: selectSessions, Drop: deleteSession, DropEnded: deleteEnded}

var selectSessions = `SELECT ` + sessionsTable.list + ` FROM sessions WHERE owner = $1`

const (
	deleteSession = `DELETE FROM sessions WHERE owner = $1 AND digest = $2 RETURNING seal`
	deleteEnded   = `DELETE FROM sessions WHERE owner = $1 AND ends <= $2 RETURNING seal`
)
