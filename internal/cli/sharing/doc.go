// Package sharing holds the commands that admit others and identify them: token, consent,
// trust, owner, keys and audit.
package sharing
