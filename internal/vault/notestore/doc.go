// Package notestore keeps what the agents of an owner remember (AAIF 4.5): notes, each with a
// scope and a key. The package knows the scopes by their names only; package notes of the
// runs says who reads what.
//
// A note of the scopes user and long_term is a record that waits for the owner, as facts found
// in conversations do: the owner confirms it, or rejects it, and a rejected one does not come
// back. A note of the scopes session and task is no record, since it ends before anybody has to
// decide on it. Neither is a note that has to be sealed. All notes have an attachment, see
// [vault.NoteSpace]; its data is JSON, sealed under the owner's key if the note is to be:
//
//	{"agent": "…", "scope": "user", "user": "", "session": "", "key": "editor", "text": "…", "by": "run id", "at": "…", "ends": "…"}
//
// text is there unless the attachment is from a record. A second kind of attachment, whose key
// begins with "seed ", says that a definition's own content was written once.
package notestore

import "github.com/satchel-memory/satchel/internal/vault"

// Service keeps the notes of the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
