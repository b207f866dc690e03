package bundle_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// accepted opens the bundles that the vectors of the room say are valid.
func accepted(t *testing.T) map[string]*aimem.Bundle {
	t.Helper()
	all := map[string]*aimem.Bundle{}
	for _, folder := range []string{"envelope", "records", "embedding", "checksum", "stream"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "..", "aimem", "testdata", folder, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no vectors in %s: %v", folder, err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if header := string(archive.Comment); !strings.Contains(header, "expect: ok") || strings.Contains(header, "foreign: yes") {
				continue
			}
			doc := archive.Files[0].Data
			b, err := aimem.Open(codec.Source{Name: archive.Files[0].Name, File: bytes.NewReader(doc), Size: int64(len(doc))}, aimem.Options{})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			t.Cleanup(func() { _ = b.Close() })
			all[folder+"/"+filepath.Base(path)] = b
		}
	}
	return all
}

// shown is what of a chunk a reader who knows the format alone sees.
func shown(c aimem.Chunk) string {
	return fmt.Sprint(c.ID, c.Content, c.Hash, c.MemoryType, c.Zone, c.Pinned, c.CreatedAt, c.Tags)
}

func shownOf(t *testing.T, b aimem.Brain) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	if err := b.Chunks(func(c aimem.Chunk) error { all[shown(c)] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAcceptedBundles is acceptance test 1 of the mapping, through a store: whatever
// is valid comes in, leaves as it came under its own ids, and is no change when it
// comes again.
func TestAcceptedBundles(t *testing.T) {
	racing.Skip(t)
	for name, b := range accepted(t) {
		t.Run("AIMEM-4-2 AIMEM-1.2-6 "+name, func(t *testing.T) {
			h := open(t)
			r, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{})
			if err != nil || r.Inserted != b.Counts().Chunks {
				t.Fatalf("%d of %d came in: %+v, %v", r.Inserted, b.Counts().Chunks, r, err)
			}
			out := h.Left(aimem.Export{OriginIDs: true, Embeddings: true})
			left := vaulttest.OpenBundle(t, []byte(out.Text), aimem.Options{ForeignIDs: true})
			if got, want := shownOf(t, left), shownOf(t, b); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("left as\n%v\nwas\n%v", got, want)
			}
			got, want := left.Counts(), b.Counts()
			if got.Edges != r.Edges.Inserted || got.Entities != want.Entities || got.Links != r.Links.Inserted || want.Edges > 0 && got.Edges == 0 {
				t.Errorf("left %+v of %+v", got, want)
			}
			again, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{})
			if err != nil || again.Skipped != want.Chunks || again.Edges.Inserted+again.Entities.Inserted+again.Links.Inserted != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// TestLegacyFormat: it is read, and never written.
func TestLegacyFormat(t *testing.T) {
	h := open(t)
	legacy := vaulttest.Bundle{Chunks: vaulttest.Brain().Chunks, More: vaulttest.Object{"format": "memoryai-bundle"}}
	vaulttest.WantChunks(t, "the legacy one", h.TakesIn(legacy, aimem.Import{}), 3, 0, 0, 0)
	t.Run("AIMEM-2.1-4 AIMEM-2.1-3 what came in the legacy format leaves in the present one", func(t *testing.T) {
		for _, q := range []aimem.Export{{}, {OriginIDs: true}, {History: true}} {
			if b := h.Left(q); b.Get("format").Text() != "aimem-bundle" || strings.Contains(b.Text, "memoryai") || b.Get("chunks").Len() != 3 {
				t.Errorf("%+v: %s", q, b.Text)
			}
		}
	})
}

// withoutOurs takes every x_ump out of a bundle, as who drops what it does not know.
func withoutOurs(b vaulttest.LeftAs) string {
	v := b.Without("x_ump").Without("checksum")
	chunks := v.Get("chunks")
	for i, c := range chunks.Items() {
		c = c.Without("x_ump")
		chunks = chunks.WithItem(i, c)
	}
	v = v.With("chunks", chunks)
	return string(v.With("checksum", canon.String(vaulttest.ChecksumOf(v))).Append(nil))
}

func TestComesBackBare(t *testing.T) {
	racing.Skip(t)
	onEach(t, testComesBackBare)
}

// testComesBackBare is acceptance test 7 of the mapping.
func testComesBackBare(t *testing.T, open opener) {
	h := open(t)
	vaulttest.StockedBrain(t, h.House)
	b := h.Left(aimem.Export{History: true})
	bare := withoutOurs(b)
	if !strings.Contains(b.Text, `"x_ump"`) || strings.Contains(bare, `"x_ump"`) {
		t.Fatal("nothing was taken out; the test could not fail")
	}
	t.Run("AIMEM-4-4 what comes back without our members is a no-op where it came from", func(t *testing.T) {
		before := h.digest()
		r := h.Taken(t, bare)
		if r.Inserted != 0 || r.Updated != 0 || len(r.Rejected) != 0 || r.Skipped != b.Get("chunks").Len() {
			t.Errorf("%+v", r)
		}
		if h.digest() != before {
			t.Error("the store changed")
		}
	})
}

func TestNothingWithheldLeaves(t *testing.T) {
	racing.Skip(t)
	onEach(t, testNothingWithheldLeaves)
}

// testNothingWithheldLeaves is acceptance test 8 of the mapping: what is not to
// leave is in no byte of a bundle, residue included, and not after another hop.
func testNothingWithheldLeaves(t *testing.T, open opener) {
	h := open(t)
	h.Tell("kept here: "+vaulttest.Canary, `"consent":{"exportable":false}`, `"scope":{"visibility":"shared"}`)
	h.Must(ump.OpRemember, `{"record":{"consent":{"redact":["body.structured.secret"]},"scope":{"visibility":"shared"},
		"body":{"text":"told in part","structured":{"secret":"`+vaulttest.Canary+`","aimem":{"v":1,"note":"x"}}}}}`)
	h.Tell("for friends", `"scope":{"visibility":"shared"}`)
	brief := h.Tell("for a while: "+vaulttest.Canary+" too", `"consent":{"retention":"P1D"}`, `"scope":{"visibility":"shared"}`)
	peer := h.Granted(memory.Grant{Verbs: []memory.Verb{memory.ExportVerb}})
	t.Run("to somebody else", func(t *testing.T) {
		b, err := h.Bundle(peer, aimem.Export{History: true})
		if err != nil || b.Get("chunks").Len() != 2 || strings.Contains(b.Text, vaulttest.Canary) {
			t.Errorf("%v: %s", err, b.Text)
		}
		if mine := h.Left(aimem.Export{ToPeer: true, History: true}); mine.Get("chunks").Len() != 2 || strings.Contains(mine.Text, vaulttest.Canary) {
			t.Errorf("the owner gives away %s", mine.Text)
		}
	})
	h.Pass(25 * time.Hour)
	if _, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil || h.MustGet(brief).Lifecycle.Status != memory.Tombstoned {
		t.Fatalf("it has not ended: %v", err)
	}
	t.Run("to the owner, and on from there", func(t *testing.T) {
		b := h.Left(aimem.Export{History: true, Embeddings: true})
		vaulttest.WantSet(t, b.Contents(), "for friends", "told in part")
		if strings.Contains(b.Text, vaulttest.Canary) {
			t.Errorf("it leaves: %s", b.Text)
		}
		other := openAt(t, filepath.Join(t.TempDir(), "other.db"))
		defer other.Store.Close()
		other.Taken(t, b.Text)
		if on := other.Left(aimem.Export{History: true}); strings.Contains(on.Text, vaulttest.Canary) || on.Get("chunks").Len() != 2 {
			t.Errorf("from there it leaves: %s", on.Text)
		}
	})
}

func TestProtectedFromElsewhere(t *testing.T) { onEach(t, testProtectedFromElsewhere) }

func testProtectedFromElsewhere(t *testing.T, open opener) {
	h := open(t)
	var b vaulttest.Bundle
	kinds := []string{"preference", "decision", "identity", "pitfall", "procedure", "fact", "goal", "episodic"}
	for _, kind := range kinds {
		b.Chunks = append(b.Chunks, vaulttest.Chunk(kind, "a quince "+kind, vaulttest.Object{"memory_type": kind, "created_at": "2026-06-04T09:00:00Z"}),
			vaulttest.Chunk("pinned-"+kind, "a pinned quince "+kind, vaulttest.Object{"memory_type": kind, "is_pinned": true, "created_at": "2026-06-04T09:00:00Z"}))
	}
	vaulttest.WantChunks(t, "all", h.TakesIn(b, aimem.Import{}), 16, 0, 0, 0)
	before, scores := h.Contents(), h.Scores()
	h.Pass(10 * 365 * 24 * time.Hour)
	if err := h.SweepAll(h.Ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.TidyAll(h.Ctx); err != nil {
		t.Fatal(err)
	}
	t.Run("AIMEM-5.1-7 what came in a bundle of another producer is protected alike", func(t *testing.T) {
		if h.Contents() != before {
			t.Error("jobs have changed it")
		}
		after, spared := h.Scores(), 0
		for id, was := range scores {
			rec := h.MustGet(id)
			want := strings.Contains(rec.Body.Text, "pinned") || !strings.HasSuffix(rec.Body.Text, " fact") &&
				!strings.HasSuffix(rec.Body.Text, " goal") && !strings.HasSuffix(rec.Body.Text, " episodic")
			if same := after[id] == was; same != want {
				t.Errorf("%s: score %v, was %v", rec.Body.Text, after[id], was)
			}
			if want {
				spared++
			}
		}
		if len(scores) != 16 || spared != 13 {
			t.Errorf("%d of %d are protected", spared, len(scores))
		}
	})
}
