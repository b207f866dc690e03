// Package umptest is a service that keeps memories in a map, for tests of bindings of the
// Universal Memory Protocol. It implements section 3 at level 2, or at level 3 without
// signatures. It behaves the same in every run: it counts ids, and every write is one
// second after the previous one. It ranks simply.
package umptest
