package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// launcher is the program of the npm package. It starts the program of the platform's package.
//
//go:embed parts/launcher.js
var launcher []byte

// npmReadme is what npm shows of the packages.
//
//go:embed parts/npm.md
var npmReadme string

// npm writes the packages for npm: one that people name, and one for each platform with the program in
// it. npm installs the one that fits, so nothing is downloaded or run at installation.
func (r *release) npm() error {
	needs := map[string]string{}
	for _, p := range platforms {
		name := npmName + "-" + p.npmOS() + "-" + p.npmCPU()
		needs[name] = r.version
		if err := r.putNPM(name, map[string]any{"os": []string{p.npmOS()}, "cpu": []string{p.npmCPU()}, "preferUnplugged": true},
			entry{"package/bin/" + p.binary(), 0o755, r.programs[p]}, entry{"package/licences.txt", 0o644, r.text("licences.txt")}); err != nil {
			return err
		}
	}
	return r.putNPM(npmName, map[string]any{
		"bin": map[string]string{programName: "bin/satchel.js"}, "optionalDependencies": needs, "engines": map[string]string{"node": ">=18"},
		"mcpName": mcpName, "keywords": []string{"mcp", "memory", "agents"},
	}, entry{"package/bin/satchel.js", 0o755, launcher})
}

// putNPM writes a package of npm with these members in its package.json.
func (r *release) putNPM(name string, members map[string]any, files ...entry) error {
	members["name"], members["version"], members["license"], members["homepage"] = name, r.version, r.licence, homepage
	members["description"], members["author"] = summary, authors
	members["repository"] = map[string]string{"type": "git", "url": "git+" + homepage + ".git"}
	members["files"] = []string{"bin", "licences.txt"}
	data, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return err
	}
	readme := strings.ReplaceAll(npmReadme, "NAME", npmName)
	files = append(files, entry{"package/package.json", 0o644, append(data, '\n')},
		entry{"package/LICENSE", 0o644, r.text("LICENSE")}, entry{"package/README.md", 0o644, []byte(readme)})
	return r.putTar("npm/"+packed(name, r.version), files)
}

// packed is the name that npm pack gives the file of a package.
func packed(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}
