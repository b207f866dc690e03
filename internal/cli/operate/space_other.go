//go:build !linux && !darwin

package operate

import "errors"

// freeSpace is unknown on this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
