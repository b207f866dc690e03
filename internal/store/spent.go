package store

import "time"

// Tokens finds the tokens that serve once and have.
type Tokens interface {
	// SpentList returns those that are remembered at a time: whose Until does not lie
	// before it, in the bytewise order of issuers and ids, where such as begin alike for
	// 256 bytes may be in any order. One whose row was changed outside of the store is
	// among them.
	SpentList(now time.Time) ([]Spent, error)
}
