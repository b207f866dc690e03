package aaif

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// reads says how a platform reads a definition of a version; "" is this edition. newer
// means that it misses what is new in a later edition. not means that it cannot read the
// definition, which has a later version than any the platform lists (AAIF-7-14,
// AAIF-U.D-1). A platform that lists no version reads everything.
func (m Manifest) reads(version string) (newer, not bool) {
	version = cmp.Or(version, Version)
	listed, sameMajor := false, false
	newer, not = true, true
	for _, v := range m.Platform.Versions {
		major, minor, ok := edition(v)
		if !ok {
			continue
		}
		listed = true
		wantMajor, wantMinor, _ := edition(version)
		not = not && wantMajor > major
		sameMajor = sameMajor || wantMajor == major
		newer = newer && (wantMajor > major || wantMajor == major && wantMinor > minor)
	}
	if !listed {
		return false, false
	}
	return newer && !not, not
}

// edition returns the first two numbers of a version.
func edition(version string) (major, minor int, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return 0, 0, false
	}
	return parseDigits(parts[0]), parseDigits(parts[1]), true
}

// expired reports whether a manifest is no longer valid: it has expired, or its time of
// expiry is unreadable (AAIF-U.U-2).
func (m Manifest) expired(now time.Time) bool {
	e := m.Platform.ExpiresAt
	if now.IsZero() {
		return false
	}
	if e.IsZero() {
		says := m.Platform.Value.Get("manifest_expires_at").Type()
		return says != canon.TypeUndefined && says != canon.TypeNull
	}
	return !now.Before(e)
}

// versionWords says what follows from the version of a definition, or returns "".
func (n Negotiation) versionWords() string {
	switch {
	case n.Unread:
		return fmt.Sprintf("the definition is of version %s of the format, which is later than any that the platform reads; the agent is refused", Shown(n.version))
	case n.Newer:
		return fmt.Sprintf("the definition is of version %s of the format, which is a later edition than the platform reads: what is new in it is not known there", Shown(n.version))
	}
	return ""
}
