// Package machines has the commands by which an owner's machines meet: pair, devices and
// sync. It also syncs by itself beside a program that goes on, and lets init join.
//
//	state.go      sync.json: remotes, when machines met, who asks to take part
//	side.go       this machine's side of an exchange
//	reach.go      addresses and certificates
//	gift.go       what a new machine gets
//	pair.go       shows a code          join.go     types it
//	devices.go    the machines          sync.go     the remotes
//	exchange.go   one exchange          keep.go     exchanges beside a running program
package machines
