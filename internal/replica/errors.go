package replica

import "errors"

// Failures of a join that callers tell apart.
var (
	// ErrUnsigned: the owner has not signed what an item says the owner signed.
	ErrUnsigned = errors.New("the owner has not signed this")
	// ErrMalformed: an item is not in the form of its kind.
	ErrMalformed = errors.New("an item is not in the form of its kind")
)
