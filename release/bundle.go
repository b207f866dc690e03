package main

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"strings"
)

// claudePlatform is an operating system as the names of bundles spell it. Claude Desktop tells systems
// apart, but not processors: a bundle for macOS holds a program for both, and one for another system
// that for amd64, which arm64 runs by emulation on Windows.
type claudePlatform struct{ name, os string }

func (c claudePlatform) String() string { return c.name }

// claudePlatforms are those that have a bundle.
var claudePlatforms = [...]claudePlatform{{"macos", "darwin"}, {"windows", "windows"}, {"linux", "linux"}}

// bundles writes MCP bundles, which Claude Desktop installs by a click.
func (r *release) bundles() error {
	for _, c := range claudePlatforms {
		p := platform{c.os, "amd64"}
		program := r.programs[p]
		if c.os == "darwin" {
			program = universal(program, r.programs[platform{c.os, "arm64"}])
		}
		manifest, err := r.bundleManifest(p)
		if err != nil {
			return err
		}
		if err := r.putZip(r.asset(c, ".mcpb"), []entry{
			{"manifest.json", 0o644, manifest}, {"server/" + p.binary(), 0o755, program},
			{"LICENSE", 0o644, r.text("LICENSE")}, {"licences.txt", 0o644, r.text("licences.txt")},
		}); err != nil {
			return err
		}
	}
	return nil
}

// bundleManifest is the manifest of version 0.4.
func (r *release) bundleManifest(p platform) ([]byte, error) {
	return json.MarshalIndent(map[string]any{
		"manifest_version": "0.4", "name": programName, "display_name": "Satchel", "version": r.version, "license": r.licence,
		"description": summary, "long_description": strings.ReplaceAll(description, "\n", " "),
		"author": map[string]string{"name": authors, "url": homepage}, "homepage": homepage,
		"repository": map[string]string{"type": "git", "url": homepage + ".git"}, "documentation": homepage + "/blob/main/docs/install.md",
		"server": map[string]any{
			"type": "binary", "entry_point": "server/" + p.binary(),
			"mcp_config": map[string]any{"command": "${__dirname}/server/" + p.binary(), "args": []string{"mcp"}, "env": map[string]string{}},
		},
		"tools_generated": true, "keywords": []string{"memory"},
		"compatibility": map[string]any{"platforms": []string{p.npmOS()}},
	}, "", "  ")
}

// universal joins two programs of macOS, one for each processor, into one file. The kernel reads the
// header, whose numbers are big-endian, and maps the part that it runs: at a page of 16 KiB.
func universal(amd64, arm64 []byte) []byte {
	const align = 14 // as a power of two
	var out bytes.Buffer
	programs := []struct {
		cpu, sub uint32
		data     []byte
	}{{uint32(macho.CpuAmd64), 3, amd64}, {uint32(macho.CpuArm64), 0, arm64}}
	header := []uint32{macho.MagicFat, uint32(len(programs))}
	offset := uint32(1 << align)
	for _, s := range programs {
		header = append(header, s.cpu, s.sub, offset, uint32(len(s.data)), align)
		offset = (offset + uint32(len(s.data)) + 1<<align - 1) &^ (1<<align - 1)
	}
	_ = binary.Write(&out, binary.BigEndian, header) // a buffer takes everything
	for i, s := range programs {
		out.Write(make([]byte, int(header[2+5*i+2])-out.Len()))
		out.Write(s.data)
	}
	return out.Bytes()
}
