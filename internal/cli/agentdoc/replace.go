package agentdoc

import (
	"bytes"
	"os"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
)

// OverFlags say whether a file with another content may be overwritten.
type OverFlags struct {
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

// KindWords describes a document of a kind.
func KindWords(kind aaif.Kind) string {
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
func (f OverFlags) MayPut(a *cli.App, path, what string) error {
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
	if v, err := AnyTree(raw); err == nil && v.Type() == canon.TypeObject {
		if words := KindWords(aaif.KindOf(aaif.FromJSONLD(v))); words != "" {
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

// AnyTree reads a JSON or CBOR tree, within the limit for foreign documents.
func AnyTree(raw []byte) (canon.Value, error) {
	limits := aaif.ReadOptions{Bytes: maxForeign}
	if aaif.IsCBOR(raw) {
		return aaif.FromCBOR(raw, limits)
	}
	return aaif.FromJSON(raw, limits)
}

// Placement says where, in which format and over what to write a document about an agent.
type Placement struct {
	Path string
	Form string // "": the one of its file name
	OverFlags
}

// Put writes a document, if it overwrites nothing else.
func Put(a *cli.App, to Placement, v canon.Value) error {
	if err := to.MayPut(a, to.Path, KindWords(aaif.KindOf(v))); err != nil {
		return err
	}
	if err := to.MayGiveWay(a, to.Path, v); err != nil {
		return err
	}
	return PlaceDocument(a, to.Path, to.Form, v)
}

// putForeign does the same for a foreign document.
func putForeign(a *cli.App, to Placement, what string, v canon.Value) error {
	if err := to.MayPut(a, to.Path, what); err != nil {
		return err
	}
	if err := to.MayGiveWay(a, to.Path, v); err != nil {
		return err
	}
	return PlaceBytes(a, to.Path, JSON(v))
}

// putBytes does the same for other content.
func putBytes(a *cli.App, to Placement, what string, data []byte) error {
	if err := to.MayPut(a, to.Path, what); err != nil {
		return err
	}
	return PlaceBytes(a, to.Path, data)
}
