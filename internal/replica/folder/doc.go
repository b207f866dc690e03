// Package folder lets the machines of one owner meet in a folder that something else
// carries: a stick, a service that keeps folders alike, WebDAV, S3. Nobody but the machines
// can read it, and nobody needs to be trusted with it: losing it loses nothing.
//
// Names tell nothing. Below a folder named after a keyed tag of the owner, each machine has
// a part named after a keyed tag of its key:
//
//	OWNER/MACHINE/head.age       what the machine has published, see [head]
//	OWNER/MACHINE/<random>.age   packs of items, see package pack
//	OWNER/MACHINE/request.age    a machine asks to take part
//
// A machine writes only into its own part, so that machines never fight for a file. A pack
// never changes. The head lists the packs by their digests, so a pack that is missing,
// altered, old or somebody else's shows.
//
// Erasure: a machine that learns of one reads every pack again, and deletes each that holds
// something erased, whoever wrote it. It publishes what remains of the pack in its own part,
// and its head says for which pack that stands, see [instead].
//
// sync.go goes through a meeting. read.go takes in what others published, erase.go clears,
// publish.go publishes, tidy.go deletes what no head lists.
package folder

import "context"

// Storage is a place for files. Names are relative and have slashes. A Storage is used by
// one goroutine at a time.
type Storage interface {
	// List returns all files below a folder, to any depth, in any order; none if there is no
	// such folder.
	List(ctx context.Context, dir string) ([]File, error)
	// Get returns a file. It fails with fs.ErrNotExist if there is none, and with
	// replica.ErrTooLarge if it has more than most bytes.
	Get(ctx context.Context, name string, most int64) ([]byte, error)
	// Put writes a file, or replaces it: readers see the old content or the new one.
	Put(ctx context.Context, name string, data []byte) error
	// Delete deletes a file. A file that does not exist is deleted.
	Delete(ctx context.Context, name string) error
}

// File is a file in a Storage.
type File struct {
	Name string // with all its folders
	Size int64
}
