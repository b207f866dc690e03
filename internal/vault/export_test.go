package vault

// Unverify lets v serve records without verifying them, to measure what that
// costs.
func Unverify(v *Vault) *Vault {
	v.unverified = true
	return v
}

// OnlyEngineChanged and ErrBeyondEngine are what tests of every member call.
var (
	OnlyEngineChanged = onlyEngineChanged
	ErrBeyondEngine   = errBeyondEngine
)
