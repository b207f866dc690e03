package bundle_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// garden is a bundle made of three records of an owner: the first depends on the
// others, is about Ada and names a record that is elsewhere.
func garden(t *testing.T, owner memory.DID, author func(memory.Record) (memory.Record, error)) canon.Value {
	t.Helper()
	var out bytes.Buffer
	w, err := aimem.Format(ump.Forms()).Create(&out, codec.Options{Producer: "garden"})
	if err != nil {
		t.Fatal(err)
	}
	var targets []memory.Relation
	for i, text := range []string{"the key is brass", "the fence is old", "the gate is green"} {
		r := memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner, Visibility: memory.Private},
			Time: memory.Times{Created: vaulttest.Start().AddDate(0, 0, i-9)}, Provenance: &memory.Provenance{Actor: string(owner), ActorKind: memory.ByUser, Method: "stated"},
		}
		if i == 2 {
			r.Relations = append(targets, memory.Relation{Type: "about", Target: "entity:Ada"}, memory.Relation{Type: "causal", Target: "urn:ump:elsewhere"})
		}
		if r, err = author(r); err != nil {
			t.Fatal(err)
		}
		targets = append(targets, memory.Relation{Type: []string{"depends_on", "causal"}[i%2], Target: string(r.ID)})
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := canon.Parse(out.Bytes(), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// relating lists the relations of the record in force with a text, by the texts of their targets.
func (h *house) relating(text string) []string {
	var list []string
	for _, rel := range h.MustGet(h.LiveSaying(text)).Relations {
		target := rel.Target
		if strings.HasPrefix(target, "urn:ump:") && target != "urn:ump:elsewhere" {
			target = h.MustGet(memory.ID(target)).Body.Text
		}
		list = append(list, rel.Type+" "+target)
	}
	return list
}

func summed(v canon.Value) string {
	v = v.Without("checksum")
	return string(v.With("checksum", canon.String(vaulttest.ChecksumOf(v))).Append(nil))
}

// TestForeignRelations: the relations of records that become those of another owner lead
// to the new records, once each, also when the bundle comes again.
func TestForeignRelations(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		other := vaulttest.Seeded(t, 77)
		for name, caller := range map[string]func(*house) memory.Caller{
			"the owner": func(h *house) memory.Caller { return h.Me() },
			"an agent":  func(h *house) memory.Caller { return h.Agent() },
			"a token":   func(h *house) memory.Caller { return h.Granted(memory.Grant{Verbs: []memory.Verb{memory.WriteVerb}}) },
		} {
			for _, signed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, signed %v", name, signed), func(t *testing.T) {
					h := open(t)
					author := ump.Forms().Author
					if signed {
						author = func(r memory.Record) (memory.Record, error) { return ump.Author(r, &other) }
					}
					text := summed(garden(t, other.DID(), author))
					for i := range 2 {
						report, err := h.ImportBrain(h.Ctx, caller(h), vaulttest.Opened(t, text), aimem.Import{})
						if err != nil {
							t.Fatal(err)
						}
						outside := slices.IndexFunc(report.Warnings, func(w aimem.Warning) bool {
							return w.Code == aimem.WarnEdgeSkipped && strings.Contains(w.Detail, "causal leads to urn:ump:elsewhere,")
						})
						if told := outside >= 0; told != (i == 0) {
							t.Errorf("import %d warns %+v", i, report.Warnings)
						}
						want := []string{"depends_on the key is brass", "causal the fence is old", "about entity:Ada"}
						if got := h.relating("the gate is green"); !slices.Equal(got, want) {
							t.Errorf("relations are %q, want %q", got, want)
						}
						if got := h.Left(aimem.Export{}).Ends(); len(got) != 2 {
							t.Errorf("edges are %q", got)
						}
					}
				})
			}
		}
	})
}

// TestEditedBundle: a fresh store believes the edges and links of a bundle, not the
// relations of the records beside them.
func TestEditedBundle(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("signed %v", signed), func(t *testing.T) {
				h := open(t)
				author := ump.Forms().Author
				if signed {
					author = func(r memory.Record) (memory.Record, error) { return ump.Author(r, &h.Key) }
				}
				v := garden(t, h.Key.DID(), author)
				edges := v.Get("edges").Items()
				v = v.With("edges", canon.Array(edges[1].With("weight", canon.Number(0.5)))).With("chunk_entities", canon.Array())
				h.Taken(t, summed(v))
				if got, want := h.relating("the gate is green"), []string{"causal the fence is old", "causal urn:ump:elsewhere"}; !slices.Equal(got, want) {
					t.Errorf("relations are %q, want %q", got, want)
				}
				left := h.Left(aimem.Export{})
				if got, want := left.Ends(), []string{"causal the gate is green the fence is old"}; !slices.Equal(got, want) {
					t.Errorf("edges are %q, want %q", got, want)
				}
				if w := left.Get("edges").Items()[0].Get("weight").Float(); w != 0.5 {
					t.Errorf("the weight is %v", w)
				}
				if n := left.Get("chunk_entities").Len(); n != 0 {
					t.Errorf("there are %d links", n)
				}
				if rec := h.MustGet(h.LiveSaying("the gate is green")); signed && rec.Provenance.Method != "stated" {
					t.Errorf("the record is another: %+v", rec.Provenance)
				}
				h.Healthy()
			})
		}
	})
}
