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

// overFlags say whether a file that holds something else may give way.
type overFlags struct {
	Force bool `help:"Replace a file even if it holds something else."`
}

// The words for what no kind of [aaif.Kind] is.
const (
	cardWords      = "an Agent Card"
	assistantWords = "an assistant of OpenAI"
	diagnosisWords = "CBOR in diagnostic notation" // which is never told from other texts
)

// words says what a document of another platform is.
func (f foreignAgent) words() string {
	return map[string]string{
		"a2a": cardWords, "openai-assistant": assistantWords, "letta": "an agent file of Letta", "agent-spec": "an agent of the Open Agent Specification",
	}[f.name]
}

// kindWords says what a document of a kind is.
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

// mayPut refuses to write where a file is that holds something else than what is to be
// written, as [target.mayReplace] does for memories: what is replaced cannot be had back.
func (f overFlags) mayPut(a *cli.App, path, what string) error {
	if f.Force || !inTheWay(path) {
		return nil
	}
	there := whatIsIn(a, path)
	if there == what {
		return nil
	}
	return cli.Refusedf("%s is there and holds %s; --force replaces it", cli.Clean(path), there)
}

// inTheWay reports whether there is a file that holds something. Of what is none, writing
// says why it cannot.
func inTheWay(path string) bool {
	if cli.IsStdout(path) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// whatIsIn says what a file holds.
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
	src := codec.Source{File: bytes.NewReader(raw), Size: int64(len(raw))} // without its name, which says what it is to be
	if f, err := formats.Detect(src); err == nil {
		return f.Title
	}
	return "something that is in no format known here"
}

// anyTree reads a tree in JSON or CBOR, of up to what is read of other platforms.
func anyTree(raw []byte) (canon.Value, error) {
	limits := aaif.ReadOptions{Bytes: maxForeign}
	if aaif.IsCBOR(raw) {
		return aaif.FromCBOR(raw, limits)
	}
	return aaif.FromJSON(raw, limits)
}

// placement is where a document about an agent goes, in which form, and over what.
type placement struct {
	path string
	form string // "": the one that its path asks for
	overFlags
}

// putDocument writes a document where nothing else gives way.
func putDocument(a *cli.App, to placement, v canon.Value) error {
	if err := to.mayPut(a, to.path, kindWords(aaif.KindOf(v))); err != nil {
		return err
	}
	if err := to.mayGiveWay(a, to.path, v); err != nil {
		return err
	}
	return placeDocument(a, to.path, to.form, v)
}

// putForeign is putDocument of what another platform keeps.
func putForeign(a *cli.App, to placement, what string, v canon.Value) error {
	if err := to.mayPut(a, to.path, what); err != nil {
		return err
	}
	if err := to.mayGiveWay(a, to.path, v); err != nil {
		return err
	}
	return placeBytes(a, to.path, agentJSON(v))
}

// putBytes is putDocument of what is no document of this format, and of no agent.
func putBytes(a *cli.App, to placement, what string, data []byte) error {
	if err := to.mayPut(a, to.path, what); err != nil {
		return err
	}
	return placeBytes(a, to.path, data)
}
