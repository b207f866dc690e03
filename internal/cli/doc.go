// Package cli holds what all commands share: the program's surroundings, the open
// store, output, errors, questions and progress.
//
//	app.go               App: streams, environment, clock, flags, and output for people
//	exit.go              errors with an exit status, and their messages
//	home.go location.go  the folder of a store, or the home folder of a database
//	open.go engine.go    opening the store; unlock.go its keys, owner.go the selected owner
//	show.go times.go     records, ids and times for people; colour.go, screen.go
//	files.go bounded.go  files that are written whole, and read up to a limit
//	progress.go          the progress of a long command
//	issuer.go producer.go rekey_files.go  the keys that a home folder describes
//	server.go            the address, token and certificate of a server that a command calls
//
// The packages below it hold the commands, one package for each group; cmd/satchel
// lists them.
package cli
