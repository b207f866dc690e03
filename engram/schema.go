package engram

import _ "embed"

// Profile is one of the two JSON Schemas of an export (section 12.3).
type Profile string

// The profiles.
const (
	StrictWrite  Profile = "strict-write"  // for writers
	TolerantRead Profile = "tolerant-read" // for readers
)

//go:embed schema/v0.1.json
var strictSchema string

//go:embed schema/v0.1-read.json
var tolerantSchema string

// Schema returns the JSON Schema (2020-12) of a profile; nil: there is no such profile.
func Schema(p Profile) []byte {
	switch p {
	case StrictWrite:
		return []byte(strictSchema)
	case TolerantRead:
		return []byte(tolerantSchema)
	}
	return nil
}
