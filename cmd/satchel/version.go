package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// version is the output of --version: the release, and what it conforms to (UMP-7-6).
func version() string {
	offered := capabilities()
	lines := []string{"satchel " + cli.Release(), fmt.Sprintf("UMP %s / %s / %s bindings", offered.UMP, offered.Conformance, bindingNames(offered.Bindings))}
	for _, s := range specifications() {
		lines = append(lines, fmt.Sprintf("%s %s / %s", s.Name, strings.Join(s.Versions, ", "), s.Level))
	}
	return strings.Join(lines, "\n")
}

// specification is a specification besides UMP.
type specification struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
	Level    string   `json:"level"`
}

// specifications are those that the program follows besides UMP.
func specifications() []specification {
	return []specification{
		{"AIMEM Bundle", []string{aimem.Version}, "level 3 (Bidirectional)"},
		{"Engram", []string{engram.Version, cli.ConstraintsEdition}, "tier Full"},
		{"AICF", []string{aicf.V31.String(), aicf.V30.String()}, "reader and writer; reads 2.0 and 1.0"},
		{"AAIF", []string{aaif.Version}, "level Observable"},
	}
}

// capabilities is what a vault of a command offers with the owner's key. The vault states
// the level, as its capabilities do.
func capabilities() memory.Capabilities {
	nobody := memory.DID("did:key:nobody")
	v := vault.New(cli.VaultOptions(vault.Options{
		Owner: nobody, Release: cli.Release(), Bindings: []string{"mcp", "http", "file"},
		Key: func(memory.DID) (keys.Private, bool) { return keys.Private{}, true },
	}))
	offered, err := v.Capabilities(context.Background(), memory.Caller{Owner: nobody})
	if err != nil {
		panic(err) // impossible: nothing asks a store
	}
	return offered
}

// bindingNames names the bindings as UMP 7 spells them.
func bindingNames(bindings []string) string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		if names[i] = b; b != "file" {
			names[i] = strings.ToUpper(b)
		}
	}
	return strings.Join(names, "+")
}

// versionFlag prints the version and ends the program.
type versionFlag bool

// BeforeReset runs if the flag is set, whatever else is.
func (versionFlag) BeforeReset(k *kong.Kong, c *kong.Context) error {
	text := version()
	if slices.Contains(c.Args, "--json") {
		offered := capabilities()
		data, err := json.MarshalIndent(map[string]any{"release": cli.Release(), "ump": offered.UMP,
			"conformance": offered.Conformance, "bindings": offered.Bindings, "specifications": specifications()}, "", "  ")
		if err != nil {
			return err
		}
		text = string(data)
	}
	fmt.Fprintln(k.Stdout, text)
	k.Exit(cli.ExitDone)
	return nil
}
