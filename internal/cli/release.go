package cli

import (
	"runtime/debug"
	"strings"
)

// stamped is the version that the linker writes in when the Makefile builds;
// nothing else changes it.
var stamped = ""

// ConstraintsEdition is the edition of Engram that adds constraints.
const ConstraintsEdition = "0.1.2"

// Release is the version this binary was built from.
func Release() string {
	info, _ := debug.ReadBuildInfo()
	return releaseOf(stamped, info)
}

// releaseOf takes the version that was stamped, else that of the module, else
// the revision of the sources, as far as each is known.
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
