package handoff_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

// A stream that was cut anywhere but before its last end of line is nothing.
func TestTruncation(t *testing.T) {
	for name, state := range states(t) {
		t.Run("AAIF-8.3-10 "+name+" cut anywhere", func(t *testing.T) {
			stream := sent(t, state, handoff.SendOptions{})
			for n := range len(stream) - 1 {
				if v, err := receive(stream[:n]); err == nil || aaif.CodeOf(err) == "" || v.Type() != canon.TypeUndefined && n < strings.LastIndex(stream, "{") {
					t.Fatalf("at %d: %v", n, err)
				}
			}
		})
	}
}

// Lines in another order make the same state, or none.
func TestReordering(t *testing.T) {
	for name, state := range states(t) {
		t.Run("AAIF-8.3-3 AAIF-8.3-9 "+name+" with two lines exchanged", func(t *testing.T) {
			lines := strings.SplitAfter(strings.TrimSuffix(sent(t, state, handoff.SendOptions{}), "\n")+"\n", "\n")
			lines = lines[:len(lines)-1]
			for i := range lines {
				for j := range i {
					lines[i], lines[j] = lines[j], lines[i]
					got, err := receive(strings.Join(lines, ""))
					switch {
					case err == nil:
						equal(t, got, state)
					case aaif.CodeOf(err) == "":
						t.Errorf("%d and %d: %v", i, j, err)
					}
					if err == nil && (i == len(lines)-1 || j == 0) {
						t.Errorf("the first or the last line moved")
					}
					lines[i], lines[j] = lines[j], lines[i]
				}
			}
		})
	}
}

// Every member of every frame is taken away, and every line left out or doubled.
func TestDeletion(t *testing.T) {
	for name, state := range states(t) {
		stream := sent(t, state, handoff.SendOptions{})
		lines := strings.SplitAfter(stream, "\n")
		for n, line := range lines[:len(lines)-1] {
			for _, m := range tree(t, line).Members() {
				t.Run(fmt.Sprintf("AAIF-8.3-9 %s line %d without %s", name, n+1, m.Name), func(t *testing.T) {
					if m.Name == "counts" { // which of the lists without an item are there, the checksum tells
						got, err := receive(edited(t, stream, n, func(v canon.Value) canon.Value { return v.Without(m.Name) }))
						if err != nil {
							t.Fatal(err)
						}
						equal(t, got, state)
						return
					}
					refusal(t, edited(t, stream, n, func(v canon.Value) canon.Value { return v.Without(m.Name) }),
						aaif.BadFrame, aaif.ChecksumMismatch, aaif.EnvelopeIncomplete, aaif.ProtocolError)
				})
			}
			t.Run(fmt.Sprintf("AAIF-8.3-9 %s without line %d", name, n+1), func(t *testing.T) {
				refusal(t, strings.Join(lines[:n], "")+strings.Join(lines[n+1:], ""), aaif.ChecksumMismatch, aaif.ProtocolError)
			})
			t.Run(fmt.Sprintf("AAIF-8.3-9 %s with line %d twice", name, n+1), func(t *testing.T) {
				refusal(t, strings.Join(lines[:n+1], "")+strings.Join(lines[n:], ""), aaif.ChecksumMismatch, aaif.ProtocolError)
			})
		}
	}
}

// What this package holds to be a frame is what the schema has as one.
func TestSchemaAgrees(t *testing.T) {
	schema := compiled(t)
	values := []canon.Value{canon.Null(), canon.Bool(true), canon.Int(-1), canon.Number(0.5), canon.String("in_flight"), canon.Array(), canon.Array(canon.String("status")),
		canon.Array(canon.String("run_id")), canon.Object(), tree(t, `{"scope":1}`), tree(t, `{"messages":1}`), tree(t, `{"memory":-1}`), tree(t, `{"provenance":{"checksum":1}}`), tree(t, `{"provenance":{"x":1}}`),
		tree(t, `[{"role":"user","content":""}]`), tree(t, `[{"role":"user"}]`), tree(t, `{"x":1}`)}
	names := strings.Fields("type state_id run_id counts extensions absent index messages scope key ttl_remaining_seconds pipeline_position iteration arguments status output alias checksum code x-a error")
	random := rand.New(rand.NewPCG(1, 2))
	var valid, invalid int
	for _, line := range []string{first, chunk0, note, at, call, sub, last, gaveUp} {
		for range 600 {
			v := tree(t, line)
			for range 1 + random.IntN(2) {
				name := names[random.IntN(len(names))]
				if v.Has(name) && random.IntN(3) == 0 {
					v = v.Without(name)
				} else {
					v = v.With(name, values[random.IntN(len(values))])
				}
			}
			text := string(v.Append(nil)) + "\n"
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			theirs := schema.Validate(doc) == nil
			stream := text
			if v.Get("type").Text() != "handoff_init" {
				stream = first + text
			}
			_, err = handoff.Receive(context.Background(), strings.NewReader(stream), handoff.Options{Admit: welcome})
			code := aaif.CodeOf(err)
			if ours := code != aaif.BadFrame && code != aaif.UnknownType; ours != theirs {
				t.Fatalf("%s: frame %v, schema %v: %v", text, ours, theirs, err)
			}
			if theirs {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < 50 || invalid < 1000 {
		t.Errorf("%d valid, %d invalid", valid, invalid)
	}
}

// Whatever is received can be sent, and arrives as it is.
func FuzzReceive(f *testing.F) {
	for _, state := range states(f) {
		f.Add(sent(f, state, handoff.SendOptions{}))
	}
	f.Add(first + chunk0 + note + at + call + sub + gaveUp)
	f.Fuzz(func(t *testing.T, stream string) {
		v, err := receive(stream)
		if err != nil {
			if aaif.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		again, err := receive(sent(t, v, handoff.SendOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, again, v)
	})
}
