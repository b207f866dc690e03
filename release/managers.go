package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"text/template"
)

// formulaText is the formula for Homebrew.
//
//go:embed parts/formula.rb
var formulaText string

// formula writes the formula, for a tap of the owner's.
func (r *release) formula() error {
	t, err := template.New("").Option("missingkey=error").Parse(formulaText)
	if err != nil {
		return err
	}
	values := map[string]string{"Summary": summary, "Homepage": homepage, "Version": r.version, "Licence": r.licence}
	for _, p := range platforms {
		if p.os == "windows" {
			continue
		}
		name := r.asset(p, ".tar.gz")
		values["URL_"+p.String()] = r.address(name)
		if values["SHA_"+p.String()], err = sumOf(filepath.Join(r.out, name)); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	if err := t.Execute(&out, values); err != nil {
		return err
	}
	return r.put(programName+".rb", out.Bytes())
}

// manifest writes the manifest for Scoop, for a bucket of the owner's.
func (r *release) manifest() error {
	type file struct {
		URL    string `json:"url"`
		Hash   string `json:"hash,omitempty"`
		Folder string `json:"extract_dir"`
	}
	current, next := map[string]file{}, map[string]file{}
	for arch, name := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		asset := r.asset(platform{"windows", arch}, ".zip")
		sum, err := sumOf(filepath.Join(r.out, asset))
		if err != nil {
			return err
		}
		current[name] = file{r.address(asset), sum, strings.TrimSuffix(asset, ".zip")}
		variable := func(s string) string { return strings.ReplaceAll(s, r.version, "$version") }
		next[name] = file{URL: variable(r.address(asset)), Folder: variable(strings.TrimSuffix(asset, ".zip"))}
	}
	return r.putJSON(programName+".json", map[string]any{
		"version": r.version, "description": summary, "homepage": homepage, "license": r.licence, "architecture": current, "bin": programName + ".exe",
		"checkver":   map[string]string{"github": homepage},
		"autoupdate": map[string]any{"architecture": next, "hash": map[string]string{"url": "$baseurl/" + checksums}},
		"notes":      []string{"Make your memory with: satchel init", "scoop uninstall leaves it in %LOCALAPPDATA%\\satchel."},
	})
}

// registry writes the entry for the MCP registry.
func (r *release) registry() error {
	stdio := map[string]string{"type": "stdio"}
	argument := []map[string]string{{"type": "positional", "value": "mcp"}}
	packages := []map[string]any{{"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": npmName, "version": r.version,
		"runtimeHint": "npx", "packageArguments": argument, "transport": stdio}}
	for _, c := range claudePlatforms {
		name := r.asset(c, ".mcpb")
		sum, err := sumOf(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{"registryType": "mcpb", "identifier": r.address(name), "fileSha256": sum, "transport": stdio})
	}
	return r.putJSON("server.json", map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    mcpName, "title": "Satchel", "description": summary, "version": r.version, "websiteUrl": homepage,
		"repository": map[string]string{"url": homepage, "source": "github"}, "packages": packages,
	})
}

// putJSON writes a document of the release.
func (r *release) putJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return r.put(name, append(data, '\n'))
}

// sumOfBytes returns the SHA-256 of data in hex.
func sumOfBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
