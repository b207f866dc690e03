package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// stamped is the version that the linker writes in when the Makefile builds;
// nothing else changes it.
var stamped = ""

// version is what --version prints: the release, and what it conforms to
// (UMP-7-6).
func version() string {
	return fmt.Sprintf("satchel %s\nUMP 0.1 / L2 / MCP+HTTP+file bindings", release())
}

// release is the version this binary was built from.
func release() string {
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

// versionFlag prints the version and ends the program.
type versionFlag bool

// BeforeReset is called when the flag is there, whatever else is.
func (versionFlag) BeforeReset(k *kong.Kong, c *kong.Context) error {
	text := version()
	if slices.Contains(c.Args, "--json") {
		text = fmt.Sprintf(`{"release": %q, "ump": "0.1", "conformance": "L2", "bindings": ["mcp", "http", "file"]}`, release())
	}
	fmt.Fprintln(k.Stdout, text)
	k.Exit(exitDone)
	return nil
}
