//go:build unix && !linux

package source_test

import "os"

// asNobody reports whether permissions bind this process.
func asNobody() (restore func(), ok bool) { return func() {}, os.Geteuid() != 0 }
