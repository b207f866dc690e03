// Package machines has the commands pair, devices and sync. It also syncs in the background of
// a running program, answers other machines for satchel serve, and joins machines for
// satchel init --join.
//
//	pair.go          satchel pair              join.go         satchel init --join
//	devices.go       satchel devices           sync.go         satchel sync
//	background.go    syncs of running programs serve.go        answers for satchel serve
//	exchange.go      one exchange with a remote outcome.go     its result
//	this_machine.go  this machine, opened      machine.go      its key file
//	state.go         sync.json                 remote.go       a remote, and its storage
//	enrollment.go    what a new machine gets   address.go      CODE@ADDRESS
//	certificate.go   certificates of pairings  status.go       what is known of a machine
//	erasure.go       who lacks an erasure      copy.go         a copy of the store for a new machine
//	doctor.go        satchel doctor            metrics.go      satchel serve's metrics
package machines
