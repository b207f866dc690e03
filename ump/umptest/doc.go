// Package umptest is a service that keeps memories in a map, for tests of what
// speaks the Universal Memory Protocol. It does what section 3 asks of a service
// at level 2, or at level 3 but for signatures, and is the same in every run: ids
// are counted and every write is one second after the one before. It neither
// signs nor ranks well.
package umptest
