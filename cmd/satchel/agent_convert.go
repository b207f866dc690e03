package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

type agentConvertCmd struct {
	In           string `arg:"" help:"A document in JSON, CBOR or JSON-LD, or of another platform, or - for standard input."`
	Out          string `arg:"" optional:"" help:"A file, or - for standard output. Default: standard output."`
	From         string `default:"" enum:",json,cbor,jsonld,a2a,openai-assistant,agent-spec,letta" help:"The format of IN: json, cbor or jsonld; or an agent of another platform: a2a (an Agent Card), openai-assistant, agent-spec (Open Agent Specification, JSON or YAML) or letta (.af). Default: detected." placeholder:"F"`
	To           string `default:"" enum:",json,cbor,jsonld,openai-assistant" help:"The format of OUT: json, cbor, jsonld or openai-assistant. Default: by the ending of OUT, else json. For Agent Cards use satchel agent card." placeholder:"F"`
	Agent        string `help:"The name or id of the agent, if the document has several." placeholder:"NAME"`
	Diag         bool   `help:"Print CBOR in diagnostic notation."`
	Level        string `help:"Convert only a definition with this level: ${levels}." placeholder:"LEVEL"`
	StrictLosses bool   `help:"End with 5 if anything was lost. The result is written in any case."`

	overFlags
	reportFlags
	agentJudgeFlags
}

// The forms of a document.
const (
	formJSON = "json"
	formCBOR = "cbor"
	formLD   = "jsonld"
)

// Run converts a document. One that breaks a rule is converted as it is, with a warning:
// it stays with whoever has it. One that holds a secret is not (AAIF-12-3, AAIF-12-4).
func (c *agentConvertCmd) Run(a *app) error {
	level, err := levelNamed(c.Level)
	if err == nil {
		err = c.written()
	}
	if err != nil {
		return err
	}
	j, err := c.judge(a)
	if err != nil {
		return err
	}
	raw, err := a.bytesOf(c.In, maxForeign)
	if err != nil {
		return err
	}
	d, losses, err := c.taken(a, j, raw)
	if err != nil {
		return err
	}
	if secrets := aaif.Secrets(d, j.secrets); len(secrets) > 0 {
		return a.refusedFor(secrets, c.In+" is not converted", exitRefused)
	}
	if level != "" {
		if err := j.sound(a, d, c.In); err != nil {
			return err
		}
		if err := j.beside(c.In).reach(d, level); err != nil {
			return err
		}
	}
	if wrong := agentErrors(j.judge(d, false)); len(wrong) > 0 {
		a.warn("warning: what is converted is not valid: %s; satchel agent validate lists them", plural(len(wrong), "violation", "violations"))
	}
	if c.Diag {
		return c.diagnose(a, raw, d)
	}
	more, err := c.write(a, j, d)
	if err != nil {
		return err
	}
	if err := c.tell(a, losses, more); err != nil {
		return err
	}
	if _, left := foreignNamed(c.To); !left && d.Kind == aaif.AgentKind && !d.Value.Has("agent_id") && (!a.json || stdout(c.Out)) {
		a.say("it has no agent_id, by which it stays the same agent when it changes: satchel agent add gives it one, and agent get -o writes it into the file")
	}
	return nil
}

// unwritten are the endings of forms that are not written, though other programs do.
var unwritten = []string{".yaml", ".yml", ".af", ".toml", ".xml", ".ndjson", ".jsonl"}

// written refuses a name that promises another form than any that is written.
func (c *agentConvertCmd) written() error {
	ending := strings.ToLower(filepath.Ext(c.Out))
	if c.To != "" || c.Diag || stdout(c.Out) || !slices.Contains(unwritten, ending) {
		return nil
	}
	return usagef("%s: no %s is written; there are .json, .cbor and .jsonld, and --to says json, cbor, jsonld or openai-assistant whatever the name", clean(c.Out), ending)
}

// taken reads a document: of this format, or as the definition of an agent that another
// platform keeps, with what of it was lost.
func (c *agentConvertCmd) taken(a *app, j agentJudge, raw []byte) (aaif.Document, foreignLosses, error) {
	f, ok := foreignNamed(c.From)
	if c.From == "" {
		f, ok = foreignOf(c.In, raw)
	}
	if !ok {
		d, err := c.read(raw)
		if err == nil && c.Agent != "" {
			err = usagef("--agent chooses one of several agents; a definition is one")
		}
		return d, foreignLosses{format: formOf(raw), direction: onReading}, err
	}
	d, losses, err := f.definition(a, raw, c.Agent, exchange.Options{Allow: j.secrets.Allow})
	return d, foreignLosses{f.name, onReading, losses}, err
}

// read reads a document in one of its forms.
func (c *agentConvertCmd) read(raw []byte) (aaif.Document, error) {
	var v canon.Value
	var err error
	binary := aaif.IsCBOR(raw)
	switch {
	case c.From == formCBOR && !binary:
		return aaif.Document{}, invalidf("%s is no CBOR of a document: it does not begin with a map", clean(c.In))
	case c.From != "" && c.From != formCBOR && binary:
		return aaif.Document{}, invalidf("%s is no JSON; it may be CBOR", clean(c.In))
	case binary:
		v, err = aaif.FromCBOR(raw, aaif.ReadOptions{})
	default:
		v, err = aaif.FromJSON(raw, aaif.ReadOptions{})
	}
	if err != nil {
		return aaif.Document{}, err
	}
	if c.From == formLD && !v.Has("@context") {
		return aaif.Document{}, invalidf("%s has no @context: it is no JSON-LD", clean(c.In))
	}
	if c.From == formLD || c.From == "" && v.Has("@context") {
		v = aaif.FromJSONLD(v)
	}
	kind := aaif.KindOf(v)
	if kind == "" {
		return aaif.Document{}, invalidf("%s is neither a definition, a checkpoint, a manifest, a report nor a registry", clean(c.In))
	}
	return aaif.Document{Kind: kind, Value: v}, nil
}

// diagnose prints CBOR in diagnostic notation: as it came, or what the document becomes.
func (c *agentConvertCmd) diagnose(a *app, raw []byte, d aaif.Document) error {
	if c.To != "" && c.To != formCBOR {
		return usagef("--diag shows CBOR; leave --to out")
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
	return a.putBytes(placement{path: c.Out, overFlags: c.overFlags}, diagnosisWords, []byte(clean(text)+"\n"))
}

// formOf returns the form in which a document came.
func formOf(raw []byte) string {
	if aaif.IsCBOR(raw) {
		return formCBOR
	}
	return formJSON
}

// write writes a document, and returns what of it the form has no place for.
func (c *agentConvertCmd) write(a *app, j agentJudge, d aaif.Document) (foreignLosses, error) {
	f, ok := foreignNamed(c.To)
	if !ok {
		form := agentForm(c.To, c.Out)
		lost, err := lostIn(form, d.Value)
		if err == nil {
			err = a.putDocument(placement{c.Out, form, c.overFlags}, d.Value)
		}
		return foreignLosses{form, onWriting, lost}, err
	}
	if d.Kind != aaif.AgentKind {
		return foreignLosses{}, usagef("a document of type %s is no agent, and cannot be written as %s", d.Kind, f.name)
	}
	v, losses, err := f.to(aaif.ReadDefinition(d.Value), exchange.Options{Allow: j.secrets.Allow})
	if err != nil {
		return foreignLosses{}, err
	}
	return foreignLosses{f.name, onWriting, losses}, a.putForeign(placement{path: c.Out, overFlags: c.overFlags}, assistantWords, v)
}

// tell says what was converted, and what was lost on the way.
func (c *agentConvertCmd) tell(a *app, losses ...foreignLosses) error {
	if !a.json || stdout(c.Out) {
		a.say("converted from %s to %s", losses[0].format, losses[1].format)
	}
	return tellLosses(a, c.Out, c.reportFlags, c.StrictLosses, losses...)
}

// lostIn returns what a form does not hold.
func lostIn(form string, v canon.Value) ([]codec.Loss, error) {
	if form != formCBOR {
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

// agentForm returns the form in which a document is written.
func agentForm(to, path string) string {
	if to != "" || stdout(path) {
		return cmp.Or(to, formJSON)
	}
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains([]string{formCBOR, formLD}, ending) {
		return ending
	}
	return formJSON
}

// placeDocument writes a document in a form; "" is the one that its path asks for.
func (a *app) placeDocument(path, form string, v canon.Value) error {
	switch agentForm(form, path) {
	case formCBOR:
		if stdout(path) && isTerminal(a.out) {
			return usagef("CBOR is not for a terminal; name a file, or say --diag")
		}
		raw, err := aaif.ToCBOR(v)
		if err != nil {
			return err
		}
		return a.placeBytes(path, raw)
	case formLD:
		return a.placeBytes(path, agentJSON(aaif.ToJSONLD(v)))
	}
	return a.placeBytes(path, agentJSON(v))
}
