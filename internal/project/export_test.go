package project

// Normalize exports normalize to the external tests.
func Normalize(remote string) (string, bool) { return normalize(remote) }
