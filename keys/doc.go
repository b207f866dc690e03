// Package keys handles Ed25519 keys: it names them as did:key identifiers, stores
// them in files, and prints them as recovery kits that people write down.
//
//	private.go   Private: signing without showing the secret
//	stream.go    signing and verifying messages that are too large to hold
//	did.go       did:key (W3C did:key method, Ed25519 only)
//	file.go      key files: PKCS #8 in PEM, 0600, sealed with age if there is a passphrase
//	seal.go      the passphrase
//	wrapped.go   keys encrypted under another key's secret
//	recovery.go  the recovery kit
//
// Each specification's package defines its own signature profile.
package keys
