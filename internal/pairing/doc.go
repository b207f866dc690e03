// Package pairing brings a secret from one machine to another whose user types a short code.
//
// The code never travels. Both machines prove to each other that they know it by OPAQUE
// (RFC 9807), a password-authenticated key exchange. Who only listens learns nothing, and
// who stands between the machines, or plays one of them, has one guess for each try. The
// host answers three tries in ten minutes.
//
//	code.go   codes of four words
//	wire.go   what travels: three requests and their answers
//	host.go   the machine that shows the code
//	join.go   the machine on which it is typed
package pairing
