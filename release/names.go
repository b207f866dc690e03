package main

import (
	"fmt"
	"strings"
)

// These are all names that the packages carry. To publish under another name, change them here; a
// change of the module path (CONTRIBUTING.md, Names) changes what follows from it.
const (
	programName = "satchel"
	module      = "github.com/satchel-memory/satchel"
	homepage    = "https://" + module
	npmName     = "@satchel-memory/satchel"          // each platform's package is called so, and then -linux-x64
	mcpName     = "io.github.satchel-memory/satchel" // in the MCP registry, which lets the owner of that GitHub account publish it
	authors     = "The Satchel authors"
	maintainer  = authors + " <satchel-memory@users.noreply.github.com>"
	summary     = "Agent memory that you carry: one signed store for all your assistants" // the MCP registry takes 100 characters

	description = `One program keeps what your assistants learn about you in a file on your
machine, signed with your key. It gives that memory to any assistant over MCP
or HTTP. You see it, correct it, and take it with you.`
)

// platform is an operating system and a processor, as Go spells them.
type platform struct{ os, arch string }

// platforms are all that the program is released for.
var platforms = [...]platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (p platform) String() string { return p.os + "_" + p.arch }

// binary is the file name of the program.
func (p platform) binary() string {
	if p.os == "windows" {
		return programName + ".exe"
	}
	return programName
}

// npmOS and npmCPU are the platform as Node.js spells it.
func (p platform) npmOS() string  { return strings.Replace(p.os, "windows", "win32", 1) }
func (p platform) npmCPU() string { return strings.Replace(p.arch, "amd64", "x64", 1) }

// asset names a file of the release for a platform.
func (r *release) asset(p fmt.Stringer, ending string) string {
	return programName + "_" + r.version + "_" + p.String() + ending
}

// address is where people download a file of the release.
func (r *release) address(name string) string {
	return homepage + "/releases/download/v" + r.version + "/" + name
}
