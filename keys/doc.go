// Package keys holds Ed25519 keys: their names as did:key identifiers, the
// files they rest in, and the recovery kit a person writes down.
//
//	private.go   Private: signing without showing the secret
//	stream.go    signing and verifying what is too large to hold
//	did.go       did:key (W3C did:key method, Ed25519 only)
//	file.go      key files: PKCS #8 in PEM, 0600, sealed with age when there is a passphrase
//	seal.go      the passphrase
//	wrapped.go   keys kept under another key's secret
//	recovery.go  the recovery kit
//
// Signature profiles belong to the rooms of the specifications that define them.
package keys
