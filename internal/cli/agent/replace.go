package agent

import (
	"bytes"
	"os"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
)

// overFlags say whether a file with another content may be overwritten.
type overFlags struct {
	Force bool `help:"Replace a file even if it holds something else."`
}

// Words for documents without an [aaif.Kind].
const (
	cardWords      = "an Agent Card"
	assistantWords = "an assistant of OpenAI"
	diagnosisWords = "CBOR in diagnostic notation" // never recognised in a file
)

// words describes a document of a foreign format.
func (f foreignAgent) words() string {
	return map[string]string{
		"a2a": cardWords, "openai-assistant": assistantWords, "letta": "an agent file of Letta", "agent-spec": "an agent of the Open Agent Specification",
	}[f.name]
}

// kindWords describes a document of a kind.
func kindWords(kind aaif.Kind) string {
	switch kind {
	case aaif.AgentKind:
		return "a definition of an agent"
	case aaif.StateKind:
		return "a checkpoint of a run"
	case aaif.ManifestKind:
		return "a manifest of a platform"
	case aaif.ReportKind:
		return "a conformance report"
	case aaif.RegistryKind:
		return "a registry"
	}
	return ""
}

// mayPut refuses to overwrite a file with another content, which would be lost.
func (f overFlags) mayPut(a *cli.App, path, what string) error {
	if f.Force || !hasContent(path) {
		return nil
	}
	there := whatIsIn(a, path)
	if there == what {
		return nil
	}
	return cli.Refusedf("%s is there and holds %s; --force replaces it", cli.Clean(path), there)
}

// hasContent reports whether a file exists and is not empty. Writing reports other
// errors.
func hasContent(path string) bool {
	if cli.IsStdout(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// whatIsIn describes the content of a file.
func whatIsIn(a *cli.App, path string) string {
	raw, err := BytesOf(a, path, maxForeign)
	if err != nil || len(raw) > maxForeign {
		return "something that cannot be read"
	}
	if v, err := anyTree(raw); err == nil && v.Type() == canon.TypeObject {
		if words := kindWords(aaif.KindOf(aaif.FromJSONLD(v))); words != "" {
			return words
		}
	}
	if f, ok := foreignOf(path, raw); ok {
		return f.words()
	}
	src := codec.Source{File: bytes.NewReader(raw), Size: int64(len(raw))} // without its name, which says what it is to become
	if f, err := formats.Detect(src); err == nil {
		return f.Title
	}
	return "something that is in no format known here"
}

// anyTree reads a JSON or CBOR tree, within the limit for foreign documents.
func anyTree(raw []byte) (canon.Value, error) {
	limits := aaif.ReadOptions{Bytes: maxForeign}
	if aaif.IsCBOR(raw) {
		return aaif.FromCBOR(raw, limits)
	}
	return aaif.FromJSON(raw, limits)
}

// placement says where, in which format and over what to write a document about an agent.
type placement struct {
	path string
	form string // "": the one of its file name
	overFlags
}

// putDocument writes a document, if it overwrites nothing else.
func putDocument(a *cli.App, to placement, v canon.Value) error {
	if err := to.mayPut(a, to.path, kindWords(aaif.KindOf(v))); err != nil {
		return err
	}
	if err := to.mayGiveWay(a, to.path, v); err != nil {
		return err
	}
	return placeDocument(a, to.path, to.form, v)
}

// putForeign does the same for a foreign document.
func putForeign(a *cli.App, to placement, what string, v canon.Value) error {
	if err := to.mayPut(a, to.path, what); err != nil {
		return err
	}
	if err := to.mayGiveWay(a, to.path, v); err != nil {
		return err
	}
	return placeBytes(a, to.path, agentJSON(v))
}

// putBytes does the same for other content.
func putBytes(a *cli.App, to placement, what string, data []byte) error {
	if err := to.mayPut(a, to.path, what); err != nil {
		return err
	}
	return placeBytes(a, to.path, data)
}
