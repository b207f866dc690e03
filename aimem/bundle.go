package aimem

// Bundle is a bundle that was opened: it is known to be whole and valid, and is
// read again from its source as it is walked. It is a [Brain].
type Bundle struct{}
