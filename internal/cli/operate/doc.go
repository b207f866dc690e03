// Package operate holds the commands that run a store: init, backup, restore, store,
// doctor, serve, mcp and connect.
//
//	init.go backup.go restore.go store*.go  a store is made, copied, moved and scrubbed
//	doctor*.go                              what is wrong with a store, and how to mend it
//	serve*.go mcp.go                        programs reach the memory
//	connect*.go hosts.go host_*.go          an assistant uses the memory
//	jsonc*.go toml*.go yaml*.go marker.go   the settings files of assistants, edited in place
package operate
