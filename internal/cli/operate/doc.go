// Package operate holds the commands that run a store: init, backup, restore, store,
// doctor, serve, mcp and connect.
//
//	init.go backup.go restore.go store*.go  make, copy, move and scrub a store
//	doctor*.go                              find and mend faults of a store
//	serve*.go mcp.go                        serve the memory to other programs
//	open*.go                                let the owner's browser in to the pages of a server
//	connect*.go hosts.go host_*.go          connect an assistant to the memory
//	jsonc*.go toml*.go yaml*.go marker.go   edit the settings files of assistants in place
package operate
