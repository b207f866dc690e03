// Package sharing holds the commands that let others in and say who they are: token,
// consent, trust, owner, keys and audit.
package sharing
