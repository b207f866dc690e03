// Package privacy finds credentials and personal data in AAIF documents, and masks them
// before a state leaves (sections 8.1 and 12).
//
//	12.1      secrets*.go allow.go    [Secrets]: the credentials in a document; none are allowed
//	8.1, 12   redact*.go              [Redact]: a state without secrets, and by its policy without personal data
//	          persons*.go             mail addresses, telephone numbers, cards, accounts
//	          mask*.go                walks through a state, and keeps its references intact
//	          hit.go unescape.go      searches one text, also behind escapes
package privacy
