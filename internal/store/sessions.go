package store

import "time"

// Session lets the owner's browser in, or lets one enter; or it gives a remote assistant its
// tokens. The store keeps digests of the secrets, never the secrets themselves.
type Session struct {
	Digest string // of the secret, in hexadecimal digits
	Use    SessionUse
	// Code is of an Entrance the digest of the code for browsers without JavaScript, of a
	// Confirmation that of its code, of Raised and Failed the digest of their visit, of a
	// Passkey its public key, of a Challenge what was asked, and of a Code, a SpentCode and a
	// Refresh what an assistant was granted; all in JSON.
	Code  string
	Made  time.Time
	Seen  time.Time // when it was last used, to some minutes
	Ends  time.Time
	Label string // names the browser, for people
}

// SessionUse says what a secret opens.
type SessionUse string

// The uses of a secret.
const (
	Entrance SessionUse = "entrance" // lets one browser enter, once
	Visit    SessionUse = "visit"    // a browser's cookie
	// Confirmation confirms, once, that the owner sits before a browser.
	Confirmation SessionUse = "confirmation"
	Raised       SessionUse = "raised" // opens nothing: a visit was confirmed, until Ends
	Failed       SessionUse = "failed" // opens nothing: a visit showed a wrong code
	// Passkey is a key of a device of the owner's, which lets its browsers in. It has no end.
	Passkey   SessionUse = "passkey"
	Challenge SessionUse = "challenge" // opens nothing: a device is asked to sign it, once
	Code      SessionUse = "code"      // a remote assistant's, for its tokens
	SpentCode SessionUse = "code_spent"
	Refresh   SessionUse = "refresh" // a remote assistant's, for its next tokens
)

// Sessions finds the owner's sessions. Times have the resolution of a microsecond and come
// back in UTC. As far as the store can tell, see Records.Altered, a row that was changed
// outside of the store is no session.
type Sessions interface {
	// Session returns a session by its digest, or ErrNotFound.
	Session(digest string) (Session, error)
	// SessionList returns all sessions, ended ones too, latest made first.
	SessionList() ([]Session, error)
}

// SessionKeeper stores the owner's sessions. It finds what it has stored.
type SessionKeeper interface {
	Sessions
	// PutSession stores a session, instead of an earlier one of the same digest.
	PutSession(s Session) error
	// DropSession removes a session, if it is there.
	DropSession(digest string) error
	// DropEnded removes the sessions whose Ends is at or before an instant.
	DropEnded(by time.Time) error
}
