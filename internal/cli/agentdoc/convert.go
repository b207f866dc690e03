package agentdoc

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type agentConvertCmd struct {
	In           string `arg:"" help:"A document in JSON, CBOR or JSON-LD, or of another platform, or - for standard input."`
	Out          string `arg:"" optional:"" help:"A file, or - for standard output. Default: standard output."`
	From         string `default:"" enum:",json,cbor,jsonld,a2a,openai-assistant,agent-spec,letta" help:"The format of IN: json, cbor or jsonld; or an agent of another platform: a2a (an Agent Card), openai-assistant, agent-spec (Open Agent Specification, JSON or YAML) or letta (.af). Default: detected." placeholder:"F"`
	To           string `default:"" enum:",json,cbor,jsonld,openai-assistant" help:"The format of OUT: json, cbor, jsonld or openai-assistant. Default: by the ending of OUT, else json. For Agent Cards use satchel agent card." placeholder:"F"`
	Agent        string `help:"The name or id of the agent, if the document has several." placeholder:"NAME"`
	Diag         bool   `help:"Print CBOR in diagnostic notation."`
	Checkpoint   string `help:"Write the conversation in an agent file of Letta as a checkpoint to this file." placeholder:"FILE"`
	Level        string `help:"Convert only a definition with this level: ${levels}." placeholder:"LEVEL"`
	StrictLosses bool   `help:"End with 5 if anything was lost. The result is written in any case."`

	OverFlags
	documents.ReportFlags
	CheckFlags
}

// The formats of a document.
const (
	formJSON = "json"
	FormCBOR = "cbor"
	formLD   = "jsonld"
)

// Run converts a document. It converts an invalid one with a warning, since the document
// stays with its owner. It refuses one with a secret (AAIF-12-3, AAIF-12-4).
func (c *agentConvertCmd) Run(a *cli.App) error {
	level, err := LevelNamed(c.Level)
	if err == nil {
		err = c.written()
	}
	if err != nil {
		return err
	}
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	raw, err := BytesOf(a, c.In, maxForeign)
	if err != nil {
		return err
	}
	d, state, losses, err := c.taken(a, j, raw)
	if err != nil {
		return err
	}
	if secrets := privacy.Secrets(d, j.secrets); len(secrets) > 0 {
		return refusedFor(a, secrets, c.In+" is not converted", cli.ExitRefused)
	}
	if level != "" {
		if err := j.requireSound(a, d, c.In); err != nil {
			return err
		}
		if err := j.withFilesOf(c.In).reach(d, level); err != nil {
			return err
		}
	}
	if wrong := Errors(j.Check(d, false)); len(wrong) > 0 {
		a.Warn("warning: what is converted is not valid: %s; satchel agent validate lists them", cli.Plural(len(wrong), "violation", "violations"))
	}
	if c.Diag {
		return c.diagnose(a, raw, d)
	}
	if err := c.placeState(a, j, state); err != nil {
		return err
	}
	more, err := c.write(a, j, d)
	if err != nil {
		return err
	}
	if err := c.tell(a, losses, more); err != nil {
		return err
	}
	c.noteMissingID(a, d)
	return nil
}

// noteMissingID says that a definition has no agent_id, and what follows from that.
func (c *agentConvertCmd) noteMissingID(a *cli.App, d aaif.Document) {
	if d.Kind != aaif.AgentKind || d.Value.Has("agent_id") || a.JSON && !cli.IsStdout(c.Out) {
		return
	}
	what := "by which it stays the same agent when it changes"
	if _, left := foreignNamed(c.To); left {
		what = "and what is made of the assistant is another agent once it has changed"
	}
	a.Say("it has no agent_id, %s: satchel agent add gives it one, and agent get -o writes it into the file", what)
}

// unsupportedEndings are file name endings of formats that other programs write, but this
// one does not.
var unsupportedEndings = []string{".yaml", ".yml", ".af", ".toml", ".xml", ".ndjson", ".jsonl"}

// written refuses an output name with the ending of an unsupported format.
func (c *agentConvertCmd) written() error {
	if c.Checkpoint != "" && (c.Diag || cli.IsStdout(c.Checkpoint)) {
		return cli.Usagef("--checkpoint takes the name of a file, and goes without --diag")
	}
	if c.Checkpoint != "" && filepath.Clean(c.Checkpoint) == filepath.Clean(c.Out) {
		return cli.Usagef("--checkpoint names another file than OUT, which the definition is written to")
	}
	ending := strings.ToLower(filepath.Ext(c.Out))
	if c.To != "" || c.Diag || cli.IsStdout(c.Out) || !slices.Contains(unsupportedEndings, ending) {
		return nil
	}
	return cli.Usagef("%s: no %s is written; there are .json, .cbor and .jsonld, and --to says json, cbor, jsonld or openai-assistant whatever the name", cli.Clean(c.Out), ending)
}

// placeState writes the checkpoint of a conversation, if one is asked for.
func (c *agentConvertCmd) placeState(a *cli.App, j Checker, state canon.Value) error {
	if c.Checkpoint == "" {
		return nil
	}
	if state.Type() == canon.TypeUndefined {
		a.Warn("nobody has said anything in it: no checkpoint is written")
		return nil
	}
	d := aaif.Document{Kind: aaif.StateKind, Value: state}
	if found := append(privacy.Secrets(d, j.secrets), Errors(j.CheckDeparture(d))...); len(found) > 0 {
		return refusedFor(a, found, "the conversation is not written", cli.ExitRefused)
	}
	if n := len(state.Append(nil)); n > maxAgent {
		return cli.Refusedf("%s: a checkpoint has at most %d bytes, and this conversation makes one of %d; without --checkpoint the agent is converted without it", aaif.TooLarge, maxAgent, n)
	}
	if err := Put(a, Placement{c.Checkpoint, "", c.OverFlags}, state); err != nil {
		return err
	}
	a.Say("%s holds the conversation, as a checkpoint of %s: with the definition in the store, satchel agent migrate takes it on", cli.Clean(c.Checkpoint), state.Get("agent_id").Text())
	return nil
}

// taken reads a document of AAIF, or a foreign agent as a definition with its losses, and
// with the checkpoint of its conversation if one is asked for.
func (c *agentConvertCmd) taken(a *cli.App, j Checker, raw []byte) (aaif.Document, canon.Value, foreignLosses, error) {
	f, ok := foreignNamed(c.From)
	if c.From == "" {
		f, ok = foreignOf(c.In, raw)
	}
	if !ok {
		d, err := c.read(raw)
		switch {
		case err == nil && c.Agent != "":
			err = cli.Usagef("--agent chooses one of several agents; a definition is one")
		case err == nil && c.Checkpoint != "":
			err = cli.Usagef("--checkpoint is for agent files of Letta, which hold conversations; a definition holds none")
		}
		return d, canon.Value{}, foreignLosses{format: formOf(raw), direction: documents.OnReading}, err
	}
	d, state, losses, err := f.definition(a, raw, c.Agent, c.Checkpoint != "", exchange.Options{Allow: j.secrets.Allow})
	return d, state, foreignLosses{f.name, documents.OnReading, losses}, err
}

// read reads a document in one of its formats.
func (c *agentConvertCmd) read(raw []byte) (aaif.Document, error) {
	var v canon.Value
	var err error
	binary := aaif.IsCBOR(raw)
	switch {
	case c.From == FormCBOR && !binary:
		return aaif.Document{}, cli.Invalidf("%s is no CBOR of a document: it does not begin with a map", cli.Clean(c.In))
	case c.From != "" && c.From != FormCBOR && binary:
		return aaif.Document{}, cli.Invalidf("%s is no JSON; it may be CBOR", cli.Clean(c.In))
	case binary:
		v, err = aaif.FromCBOR(raw, aaif.ReadOptions{})
	default:
		v, err = aaif.FromJSON(raw, aaif.ReadOptions{})
	}
	if err != nil {
		return aaif.Document{}, err
	}
	if c.From == formLD && !v.Has("@context") {
		return aaif.Document{}, cli.Invalidf("%s has no @context: it is no JSON-LD", cli.Clean(c.In))
	}
	if c.From == formLD || c.From == "" && v.Has("@context") {
		v = aaif.FromJSONLD(v)
	}
	kind := aaif.KindOf(v)
	if kind == "" {
		return aaif.Document{}, cli.Invalidf("%s is neither a definition, a checkpoint, a manifest, a report nor a registry", cli.Clean(c.In))
	}
	return aaif.Document{Kind: kind, Value: v}, nil
}

// diagnose prints CBOR in diagnostic notation: the input, or the converted document.
func (c *agentConvertCmd) diagnose(a *cli.App, raw []byte, d aaif.Document) error {
	if c.To != "" && c.To != FormCBOR {
		return cli.Usagef("--diag shows CBOR; leave --to out")
	}
	if !aaif.IsCBOR(raw) {
		var err error
		if raw, err = aaif.ToCBOR(d.Value); err != nil {
			return err
		}
	}
	text, err := aaif.Diagnostic(raw)
	if err != nil {
		return err
	}
	return putBytes(a, Placement{Path: c.Out, OverFlags: c.OverFlags}, diagnosisWords, []byte(cli.Clean(text)+"\n"))
}

// formOf returns the format of the input.
func formOf(raw []byte) string {
	if aaif.IsCBOR(raw) {
		return FormCBOR
	}
	return formJSON
}

// write writes a document, and returns its losses in that format.
func (c *agentConvertCmd) write(a *cli.App, j Checker, d aaif.Document) (foreignLosses, error) {
	f, ok := foreignNamed(c.To)
	if !ok {
		form := agentForm(c.To, c.Out)
		lost, err := lostIn(form, d.Value)
		if err == nil {
			err = Put(a, Placement{c.Out, form, c.OverFlags}, d.Value)
		}
		return foreignLosses{form, documents.OnWriting, lost}, err
	}
	if d.Kind != aaif.AgentKind {
		return foreignLosses{}, cli.Usagef("a document of type %s is no agent, and cannot be written as %s", d.Kind, f.name)
	}
	v, losses, err := f.to(aaif.ReadDefinition(d.Value), exchange.Options{Allow: j.secrets.Allow})
	if err != nil {
		return foreignLosses{}, err
	}
	return foreignLosses{f.name, documents.OnWriting, losses}, putForeign(a, Placement{Path: c.Out, OverFlags: c.OverFlags}, assistantWords, v)
}

// tell reports the conversion and its losses.
func (c *agentConvertCmd) tell(a *cli.App, losses ...foreignLosses) error {
	if !a.JSON || cli.IsStdout(c.Out) {
		a.Say("converted from %s to %s", losses[0].format, losses[1].format)
	}
	return tellLosses(a, c.Out, c.ReportFlags, c.StrictLosses, losses...)
}

// lostIn returns the losses of a document in a format.
func lostIn(form string, v canon.Value) ([]codec.Loss, error) {
	if form != FormCBOR {
		return nil, nil
	}
	raw, err := aaif.ToCBOR(v)
	if err != nil {
		return nil, err
	}
	again, err := aaif.FromCBOR(raw, aaif.ReadOptions{Bytes: 2 * maxAgent})
	if err != nil {
		return nil, err
	}
	var lost []codec.Loss
	for _, c := range changesOf(v, again) {
		lost = append(lost, codec.Loss{Pointer: c.Pointer, Reason: "a number of which CBOR holds the nearest double only [AAIF-9-6]"})
	}
	return lost, nil
}

// agentForm returns the format of the output.
func agentForm(to, path string) string {
	if to != "" || cli.IsStdout(path) {
		return cmp.Or(to, formJSON)
	}
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains([]string{FormCBOR, formLD}, ending) {
		return ending
	}
	return formJSON
}

// PlaceDocument writes a document in a format; "" means the one of its file name.
func PlaceDocument(a *cli.App, path, form string, v canon.Value) error {
	switch agentForm(form, path) {
	case FormCBOR:
		if cli.IsStdout(path) && cli.IsTerminal(a.Out) {
			return cli.Usagef("CBOR is not for a terminal; name a file, or say --diag")
		}
		raw, err := aaif.ToCBOR(v)
		if err != nil {
			return err
		}
		return PlaceBytes(a, path, raw)
	case formLD:
		return PlaceBytes(a, path, JSON(aaif.ToJSONLD(v)))
	}
	return PlaceBytes(a, path, JSON(v))
}
