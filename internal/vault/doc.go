// Package vault is the service that keeps one owner's memory and answers for it:
// remember, recall, get, revise, forget, list, brief, import and export. Every binding
// and the command line call it. It alone decides which records to store, signs them with
// the owner's key, and lets a record leave through one gate (gate.go). vault.go lists
// the layers of the vault.
package vault
