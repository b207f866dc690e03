package cli

import (
	"runtime/debug"
	"strings"
)

// stamped is the version that the linker sets in a build with the Makefile.
var stamped = ""

// ConstraintsEdition is the edition of Engram that adds constraints.
const ConstraintsEdition = "0.1.2"

// Release is the version of this binary.
func Release() string {
	info, _ := debug.ReadBuildInfo()
	return releaseOf(stamped, info)
}

// releaseOf returns the stamped version, else the module's version, else the revision of
// the sources, if known.
func releaseOf(stamped string, info *debug.BuildInfo) string {
	const unknown = "(devel)"
	switch {
	case stamped != "":
		return strings.TrimPrefix(stamped, "v")
	case info == nil:
		return unknown
	case info.Main.Version != "" && info.Main.Version != unknown:
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return s.Value[:7]
		}
	}
	return unknown
}

// ReadEdition returns the UMP edition of the memory.
func (a *App) ReadEdition() (spoken string, err error) {
	err = a.With(Reading, func(o *Session) error {
		spoken, err = o.Edition(a.Ctx, o.Owner)
		return err
	})
	return spoken, err
}
