// Package heapstart delays the first garbage collection of a program that imports it, from
// a heap of 4 MB to one of 16 MB. Most commands end before, and a collection would take an
// eighth of the time of a short one.
//
// It is a package of its own because the libraries allocate most of those 4 MB before main
// starts. Go initialises this package before the largest of them: it imports little.
package heapstart

import (
	"runtime"
	"runtime/debug"
)

// usual is the percentage of growth at which the collector starts, until this assignment
// raises it.
var usual = debug.SetGCPercent(400)

// End gives the collector its usual percentage back after the first collection, so that
// servers need no more memory, or at once.
func End(atOnce bool) {
	if atOnce {
		debug.SetGCPercent(usual)
		return
	}
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
