// Package upload imports files that an owner's browser brings. An [Inbox] keeps each file
// until the import is done: without a name in the file system where that is possible, so
// that even a crash leaves no copy. It reads a file once to say what the import would do,
// and imports it in the background when the owner says so.
//
// inbox.go takes files in and hands them out, file.go is one file and what becomes of it,
// work.go does the reading and the importing, undo.go takes imports back.
package upload
