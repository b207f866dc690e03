// Package agentdoc holds the commands of satchel agent that write, check, sign and convert
// documents about agents: definitions, checkpoints, manifests, reports and registries.
package agentdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
)

// Commands are the commands of satchel agent that need no store.
type Commands struct {
	New       agentNewCmd       `cmd:"" help:"Write a definition to begin with."`
	Validate  agentValidateCmd  `cmd:"" help:"List every violation and every secret in a definition, a checkpoint, a manifest, a report or a registry."`
	Lint      agentLintCmd      `cmd:"" help:"Check a document as its author: formats, conditions, and rules that no schema can state."`
	Level     agentLevelCmd     `cmd:"" help:"Show which conformance levels a definition has, and what the next level needs."`
	Sign      agentSignCmd      `cmd:"" help:"Sign a definition or a report."`
	Verify    agentVerifyCmd    `cmd:"" help:"Check the signature of a definition or a report, or the checksum of a checkpoint."`
	Convert   agentConvertCmd   `cmd:"" help:"Convert a document between JSON, CBOR and JSON-LD, and agents of other platforms to definitions and back."`
	Diff      agentDiffCmd      `cmd:"" help:"Compare two documents member by member. Changes that weaken an agent come first."`
	Try       agentTryCmd       `cmd:"" help:"Decide every condition of a definition on a payload, and show what was undecided and why."`
	Route     agentRouteCmd     `cmd:"" help:"Show which models a run would use, in which order, and why."`
	Negotiate agentNegotiateCmd `cmd:"" help:"Compare the needs of an agent with a platform, and show what is missing."`
	Card      agentCardCmd      `cmd:"" help:"Write the Agent Card of A2A for an agent."`
	Checksum  agentChecksumCmd  `cmd:"" help:"Check or set the checksum of a checkpoint."`
	Registry  agentRegistryCmd  `cmd:"" help:"List the names that definitions may use; check and extend a registry of your own."`
	Secrets   agentSecretsCmd   `cmd:"" help:"Allow texts that look like secrets and are none."`
	Bump      agentBumpCmd      `cmd:"" help:"Give a definition its next version. The agent keeps its id."`
}

// ForAll reports whether a command concerns a document, and not the agents of one owner
// of a store.
func ForAll(name string) bool {
	switch name {
	case "new", "validate", "lint", "level", "sign", "convert", "diff", "route", "try", "checksum", "registry", "secrets", "negotiate", "card", "bump":
		return true
	}
	return false
}

// maxAgent is the most bytes of a document about an agent, as in [aaif.ReadOptions].
const maxAgent = aaif.MaxState

// Bytes reads a file, or standard input for "-", up to one byte above the limit.
func Bytes(a *cli.App, path string) ([]byte, error) { return BytesOf(a, path, maxAgent) }

// BytesOf reads a document up to a number of bytes, from a file or from standard input
// for "-".
func BytesOf(a *cli.App, path string, most int64) (raw []byte, err error) {
	in, err := source.Open(path, source.Options{Stdin: a.Stdin()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if in.File == nil {
		return nil, cli.Usagef("%s is a folder or an archive; name one file of it", cli.Clean(path))
	}
	return io.ReadAll(io.LimitReader(io.NewSectionReader(in.File, 0, in.Size), most+1))
}

// readTree reads the tree of a JSON or CBOR document of any kind.
func readTree(a *cli.App, path string) (canon.Value, error) {
	raw, err := Bytes(a, path)
	if err != nil {
		return canon.Value{}, err
	}
	if aaif.IsCBOR(raw) {
		return aaif.FromCBOR(raw, aaif.ReadOptions{})
	}
	return aaif.FromJSON(raw, aaif.ReadOptions{})
}

// Read reads a document of any kind.
func Read(a *cli.App, path string) (aaif.Document, error) {
	raw, err := Bytes(a, path)
	if err != nil {
		return aaif.Document{}, err
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	if advice := OtherForm(path, raw, d.Value, err); advice != "" {
		err = errors.Join(err, cli.Invalidf("%s", advice))
	}
	return d, err
}

// Definition reads a definition, and refuses other documents.
func Definition(a *cli.App, path string) (aaif.Document, error) {
	d, err := Read(a, path)
	if err == nil && d.Kind != aaif.AgentKind {
		err = cli.Invalidf("%s is a document of type %s; a definition of an agent is wanted, which has a member agent", cli.Clean(path), d.Kind)
	}
	return d, err
}

// Finding is a violation, for JSON.
type Finding struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Rule    string `json:"rule"`
	Level   string `json:"level"` // error or warning
	Message string `json:"message"`
}

func findingOf(p *codec.ParseError) Finding {
	f := Finding{Code: codeOf(p), Pointer: p.Path, Rule: p.Rule, Level: "error", Message: p.Err.Error()}
	if p.Warning {
		f.Level = "warning"
	}
	return f
}

// Findings returns violations, for JSON.
func Findings(found []*codec.ParseError) []Finding {
	all := make([]Finding, len(found))
	for i, p := range found {
		all[i] = findingOf(p)
	}
	return all
}

// show prints a violation on one line.
func (f Finding) show(a *cli.App) {
	at := f.Pointer
	if at == "" {
		at = "the document"
	}
	a.Print("%s  %s  %s: %s [%s]", f.Level, f.Code, cli.Clean(at), cli.Clean(f.Message), f.Rule)
}

// Errors returns the violations that make a document invalid.
func Errors(found []*codec.ParseError) []*codec.ParseError {
	return slices.DeleteFunc(slices.Clone(found), func(p *codec.ParseError) bool { return p.Warning })
}

// RawValue returns a tree as JSON, unchanged.
func RawValue(v canon.Value) json.RawMessage {
	if v.Type() == canon.TypeUndefined {
		return nil
	}
	return v.Append(nil)
}

// JSON writes a document as JSON on several lines, in its order.
func JSON(v canon.Value) []byte {
	return append(v.AppendIndent(nil, "  "), '\n')
}

// PlaceBytes writes a document to a file, wholly or not at all, or to standard output.
func PlaceBytes(a *cli.App, path string, data []byte) error {
	return a.Place(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}
