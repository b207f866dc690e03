// Package trigger decides what starts the agents whose triggers an owner has switched on (AAIF
// 4, events). It starts none itself: package host does.
//
//	which triggers are on             switches.go
//	what happens, and whom it starts  event.go
//	signed requests of other programs webhook.go
//	folders whose files change        folder.go
//
// When a schedule fires is in package aaif.
package trigger
