// Package pairing sends a secret from one machine to another whose user types a short code.
//
// The code is never sent. The machines prove to each other that they know it, by OPAQUE (RFC
// 9807), a password-authenticated key exchange. An eavesdropper learns nothing. An attacker who
// stands between the machines, or plays one of them, can test one code in each try. The host
// answers three tries in ten minutes.
//
//	code.go    codes of four words
//	wire.go    the requests, their answers, and their encryption
//	host.go    the machine that shows the code
//	client.go  the machine on which the code is typed
package pairing
