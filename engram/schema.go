package engram

import _ "embed"

// Profile is one of the two JSON Schemas of an export (section 12.3).
type Profile string

// The profiles.
const (
	StrictWrite  Profile = "strict-write"  // what is written
	TolerantRead Profile = "tolerant-read" // what can be read
)

//go:embed schema/v0.1.json
var strictSchema string

//go:embed schema/v0.1-read.json
var tolerantSchema string

// Schema returns the JSON Schema (2020-12) of a profile, nil of what is none.
func Schema(p Profile) []byte {
	switch p {
	case StrictWrite:
		return []byte(strictSchema)
	case TolerantRead:
		return []byte(tolerantSchema)
	}
	return nil
}
