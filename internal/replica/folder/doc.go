// Package folder syncs the machines of one owner through a shared folder: a USB stick, a
// folder that Syncthing or Dropbox copies, a WebDAV folder, an S3 bucket. Only the machines
// can read the folder, and nobody has to trust its storage. A lost folder loses no memory:
// every machine publishes its memory again.
//
// The folder of an owner is named by a keyed hash of the owner's DID. Below it, each machine
// has a part, named by a keyed hash of the machine's DID. The names reveal neither:
//
//	OWNER/MACHINE/head.age       the list of what the machine has published, see [head]
//	OWNER/MACHINE/<random>.age   packs of items, see package pack
//	OWNER/MACHINE/request.age    a request of a new machine to take part
//
// A machine writes only into its own part, so two machines never write the same file. A pack
// never changes. The head lists the packs by digest. The digest reveals a pack that is
// missing, altered or old, or that another machine wrote.
//
// Erasure: a machine that learns of an erasure reads the packs that may hold the erased
// record, see [filter], and deletes each pack with an erased record, whichever machine wrote
// it. It publishes the other items of the pack in its own part. Its head names the deleted
// pack and the new one, see [replacement].
//
//	sync.go     the steps of one sync        state.go    what this machine remembers of a folder
//	part.go     files of one machine         head.go     the head and its limits
//	read.go     reads and joins others       publish.go  writes packs and the head
//	erase.go    clears packs of erased items tidy.go     deletes files that no head lists
//	request.go  requests to take part        filter.go   which records a file may hold
package folder

import "context"

// Storage holds files. Names are relative and separated by slashes. One goroutine at a time
// uses a Storage. No method keeps or changes the data that it is given. The methods stop with
// the error of ctx when it ends.
type Storage interface {
	// List returns all files below a folder, at any depth, in any order. It returns none if
	// the folder does not exist.
	List(ctx context.Context, dir string) ([]File, error)
	// Get returns the content of a file. It fails with fs.ErrNotExist if the file does not
	// exist, and with replica.ErrTooLarge if the file has more than most bytes.
	Get(ctx context.Context, name string, most int64) ([]byte, error)
	// Put writes or replaces a file atomically: readers see the old content or the new one.
	Put(ctx context.Context, name string, data []byte) error
	// Delete deletes a file. It succeeds if the file does not exist.
	Delete(ctx context.Context, name string) error
}

// File is a file in a Storage.
type File struct {
	Name string // with its folders, relative to the Storage
	Size int64  // in bytes
}
