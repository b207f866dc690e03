package meaning_test

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestExported: bundles have the vectors only if the owner asks for them, and none of a
// record of which a part stays behind.
func TestExported(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, how vaulttest.Opener) {
		h := open(t, how)
		h.Tell("A poodle named Rex")
		h.Tell("Something kept in part", `"consent":{"redact":["body.text"]}`)
		h.use(meaning.Settings{All: true})
		if vectorsOf(h) != 2 {
			t.Fatalf("%d vectors", vectorsOf(h))
		}
		for name, said := range h.Everywhere() {
			if strings.Contains(said, `"embedding"`) || strings.Contains(said, h.server.URL) {
				t.Errorf("%s has vectors, or names the server: %s", name, said)
			}
		}
		found := 0
		bundle := h.Left(aimem.Export{Embeddings: true})
		for _, c := range bundle.Get("chunks").Items() {
			if !c.Has("embedding") {
				continue
			}
			found++
			floats, err := base64.StdEncoding.DecodeString(c.Get("embedding").Text())
			if err != nil || len(floats) != 4*embedtest.Dim {
				t.Fatalf("%d bytes, %v", len(floats), err)
			}
			var dot, length, other float64
			for i, want := range embedtest.Vector("A poodle named Rex") {
				got := float64(math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:])))
				dot, length, other = dot+got*want, length+got*got, other+want*want
			}
			if cosine := dot / math.Sqrt(length*other); cosine < .999 || math.Abs(length-1) > .01 {
				t.Errorf("cosine %v, length %v", cosine, length)
			}
		}
		if found != 1 {
			t.Errorf("%d chunks have vectors, want 1", found)
		}
	})
}

// TestAlteredSettings: somebody who writes into the file cannot have the memory sent
// elsewhere.
func TestAlteredSettings(t *testing.T) {
	h := open(t, vaulttest.Open)
	h.Tell("A poodle named Rex")
	h.use(meaning.Settings{})
	other := embedtest.New(t)
	h.Edit(`UPDATE attachments SET data = CAST(replace(CAST(data AS TEXT), ?, ?) AS BLOB) WHERE space = 'embed.settings'`, h.server.URL, other.URL)
	h.Tell("A new poodle")
	h.catchUp()
	h.finds(h.Me(), "Which animal?", "")
	if n := other.Calls(); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
	if findings, err := h.Health(h.Ctx); err != nil || len(findings) == 0 {
		t.Errorf("doctor finds %q, %v", findings, err)
	}
}
