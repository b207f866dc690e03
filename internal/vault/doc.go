// Package vault is the service that keeps one owner's memory and answers for
// it: remember, recall, get, revise, forget, list, brief, import and export.
// Every binding and the command line ask it; it alone decides what is stored,
// signs it with the owner's key, and lets a record leave through one gate
// (gate.go). vault.go lists the layers of the vault.
package vault
