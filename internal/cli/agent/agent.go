// Package agent holds the commands of satchel agent, which write, check, sign, convert,
// keep and send definitions of agents and the states of their runs.
package agent

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

// Cmd is the command satchel agent.
type Cmd struct {
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
	Eval      agentEvalCmd      `cmd:"" help:"Put the test cases of an agent to it, and compare its scores with the thresholds of its definition. No tool that may write is called."`
	Status    agentStatusCmd    `cmd:"" help:"Show or change the status of a definition."`
	Add       agentAddCmd       `cmd:"" help:"Add a definition to the store."`
	List      agentListCmd      `cmd:"" help:"List the agents in the store."`
	Get       agentGetCmd       `cmd:"" help:"Print a definition from the store."`
	Remove    agentRemoveCmd    `cmd:"" help:"Remove an agent for good, with every revision and every checkpoint of it."`
	States    agentStatesCmd    `cmd:"" help:"List the checkpoints in the store."`
	State     agentStateCmd     `cmd:"" help:"Add, print, check, redact, restore and remove checkpoints."`
	Migrate   agentMigrateCmd   `cmd:"" help:"Move a run to another platform: send its checkpoint, or write it to a file."`
	Run       agentRunCmd       `cmd:"" help:"Run an agent: ask its models, call its tools, and ask you for approvals."`
	Runs      agentRunsCmd      `cmd:"" help:"List runs, newest first, and what they wait for."`
	Memory    agentMemoryCmd    `cmd:"" help:"Show what an agent remembers, and forget some of it."`
	Watch     agentWatchCmd     `cmd:"" help:"Show what happens in a run, until it ends."`
	Approve   agentApproveCmd   `cmd:"" help:"Approve the call that a run waits for."`
	Reject    agentRejectCmd    `cmd:"" help:"Reject the call that a run waits for."`
	Resume    agentResumeCmd    `cmd:"" help:"Resume a run that was stopped or approved, or that came as a checkpoint."`
	Cancel    agentCancelCmd    `cmd:"" help:"End a run, also one that another program executes."`
	Grant     agentGrantCmd     `cmd:"" help:"Let an agent use tools of its definition."`
	Triggers  agentTriggersCmd  `cmd:"" help:"Show what starts an agent by itself, and switch it on or off."`
	Key       agentKeyCmd       `cmd:"" help:"Keep the key of a provider of models."`
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

// agentBytes reads a file, or standard input for "-", up to one byte above the limit.
func agentBytes(a *cli.App, path string) ([]byte, error) { return BytesOf(a, path, maxAgent) }

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

// agentTree reads the tree of a JSON or CBOR document of any kind.
func agentTree(a *cli.App, path string) (canon.Value, error) {
	raw, err := agentBytes(a, path)
	if err != nil {
		return canon.Value{}, err
	}
	if aaif.IsCBOR(raw) {
		return aaif.FromCBOR(raw, aaif.ReadOptions{})
	}
	return aaif.FromJSON(raw, aaif.ReadOptions{})
}

// agentDocument reads a document of any kind.
func agentDocument(a *cli.App, path string) (aaif.Document, error) {
	raw, err := agentBytes(a, path)
	if err != nil {
		return aaif.Document{}, err
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	if advice := otherForm(path, raw, d.Value, err); advice != "" {
		err = errors.Join(err, cli.Invalidf("%s", advice))
	}
	return d, err
}

// definition reads a definition, and refuses other documents.
func definition(a *cli.App, path string) (aaif.Document, error) {
	d, err := agentDocument(a, path)
	if err == nil && d.Kind != aaif.AgentKind {
		err = cli.Invalidf("%s is a document of type %s; a definition of an agent is wanted, which has a member agent", cli.Clean(path), d.Kind)
	}
	return d, err
}

// agentFinding is a violation, for JSON.
type agentFinding struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Rule    string `json:"rule"`
	Level   string `json:"level"` // error or warning
	Message string `json:"message"`
}

func agentFindingOf(p *codec.ParseError) agentFinding {
	f := agentFinding{Code: agentCode(p), Pointer: p.Path, Rule: p.Rule, Level: "error", Message: p.Err.Error()}
	if p.Warning {
		f.Level = "warning"
	}
	return f
}

func agentFindings(found []*codec.ParseError) []agentFinding {
	all := make([]agentFinding, len(found))
	for i, p := range found {
		all[i] = agentFindingOf(p)
	}
	return all
}

// show prints a violation on one line.
func (f agentFinding) show(a *cli.App) {
	at := f.Pointer
	if at == "" {
		at = "the document"
	}
	a.Print("%s  %s  %s: %s [%s]", f.Level, f.Code, cli.Clean(at), cli.Clean(f.Message), f.Rule)
}

// agentErrors returns the violations that make a document invalid.
func agentErrors(found []*codec.ParseError) []*codec.ParseError {
	return slices.DeleteFunc(slices.Clone(found), func(p *codec.ParseError) bool { return p.Warning })
}

// rawValue returns a tree as JSON, unchanged.
func rawValue(v canon.Value) json.RawMessage {
	if v.Type() == canon.TypeUndefined {
		return nil
	}
	return v.Append(nil)
}

// agentJSON writes a document as JSON on several lines, in its order.
func agentJSON(v canon.Value) []byte {
	return append(v.AppendIndent(nil, "  "), '\n')
}

// placeBytes writes a document to a file, wholly or not at all, or to standard output.
func placeBytes(a *cli.App, path string, data []byte) error {
	return a.Place(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}
