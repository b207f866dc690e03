// Package cli is what all commands share: the program's surroundings, the store that
// is open, output, errors, questions and progress.
//
//	app.go              App: streams, environment, clock, flags, and what writes to people
//	exit.go             errors that carry an exit status, and their words
//	home.go place.go    the folder of a store, or the home folder of a database
//	open.go engine.go   opening the store; unlock.go its keys, acting.go the owner
//	show.go times.go    records, ids and times for people; colour.go, screen.go
//	files.go bounded.go files that are written whole, and read up to a limit
//	progress.go         how far a long command is
//	issuer.go producer.go rekey_files.go  the keys that a home folder describes
//	server.go           the address, token and certificate of a server that a command speaks to
//
// The packages below it hold the commands, one package for each group; cmd/satchel
// holds the list of them.
package cli
