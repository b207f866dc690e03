package handoff_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

const (
	first  = `{"type":"handoff_init","state_id":"s","agent_id":"a","run_id":"r","source_platform":"p","migration_token":"a.b.c","checkpoint_at":"2026-06-10T09:17:43Z","status":"paused"}` + "\n"
	chunk0 = `{"type":"context_chunk","index":0,"messages":[]}` + "\n"
	note   = `{"type":"memory_item","scope":"user","key":"k","content":"c"}` + "\n"
	at     = `{"type":"pipeline_state","pipeline_position":{},"variables":{},"iteration":1}` + "\n"
	call   = `{"type":"pending_tool","id":"c","tool_name":"t","arguments":{},"status":"pending"}` + "\n"
	sub    = `{"type":"subagent_ref","alias":"a","agent_id":"b","state_id":"c"}` + "\n"
	last   = `{"type":"handoff_complete","checksum":"504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d"}` + "\n"
	gaveUp = `{"type":"handoff_error","code":"MODEL_UNAVAILABLE","message":"no model"}` + "\n"
)

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		code         aaif.Code
		path         string
	}{
		{"AAIF-8.3-3 nothing", "", aaif.ProtocolError, "line 1"},
		{"AAIF-8.3-3 a chunk first", chunk0 + first + last, aaif.ProtocolError, "line 1"},
		{"AAIF-8.3-3 two inits", first + first + last, aaif.ProtocolError, "line 2"},
		{"AAIF-8.3-3 the end first", last, aaif.ProtocolError, "line 1"},
		{"AAIF-8.3-3 a frame after the end", first + last + note, aaif.ProtocolError, "line 3"},
		{"AAIF-8.3-3 a blank after the end", first + last + " ", aaif.ProtocolError, "line 3"},
		{"AAIF-8.3-3 a second end", first + last + last, aaif.ProtocolError, "line 3"},
		{"AAIF-8.3-3 ends of lines without end", first + last + strings.Repeat("\n", 20), aaif.ProtocolError, "line 18"},
		{"AAIF-8.3-3 two pipelines", first + at + at + last, aaif.ProtocolError, "line 3"},
		{"AAIF-8.3-4 a chunk left out", first + chunk0 + strings.Replace(chunk0, "0", "2", 1) + last, aaif.ProtocolError, "line 3 /index"},
		{"AAIF-8.3-4 a chunk twice", first + chunk0 + chunk0 + last, aaif.ProtocolError, "line 3 /index"},
		{"AAIF-8.3-4 a chunk before 0", first + strings.Replace(chunk0, "0", "-1", 1) + last, aaif.BadFrame, "line 2 /index"},
		{"AAIF-8.3-4 half a chunk", first + strings.Replace(chunk0, "0", "0.5", 1) + last, aaif.BadFrame, "line 2 /index"},
		{"AAIF-8.3-10 no end", first + note, aaif.ProtocolError, "line 3"},
		{"AAIF-8.3-10 half a line", first + note[:20], aaif.BadFrame, "line 2 /type"},
		{"AAIF-8.3-11 no time", strings.Replace(first, "checkpoint_at", "captured_by", 1) + last, aaif.EnvelopeIncomplete, "line 1"},
		{"AAIF-8.3-11 no status", strings.Replace(first, "status", "captured_by", 1) + last, aaif.EnvelopeIncomplete, "line 1"},
		{"AAIF-8.3-11 other counts", strings.Replace(first, `"run_id"`, `"counts":{"memory":2},"run_id"`, 1) + note + last, aaif.ProtocolError, "line 1 /counts/memory"},
		{"AAIF-8.3-9 another checksum", first + note + at + call + sub + last, aaif.ChecksumMismatch, "/provenance/checksum"},
		{"AAIF-8.3-9 no checksum at all", first + `{"type":"handoff_complete","checksum":""}`, aaif.ChecksumMismatch, "/provenance/checksum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p := refusal(t, c.stream, c.code); p.Path != c.path {
				t.Errorf("at %q: %v", p.Path, p)
			}
		})
	}
	t.Run("AAIF-8.3-1 ends of lines after the end, in either manner", func(t *testing.T) {
		state := states(t)["state"]
		stream := sent(t, state, handoff.SendOptions{})
		for _, s := range []string{stream + "\n", stream + "\r\n\n", strings.TrimSuffix(stream, "\n"), strings.ReplaceAll(stream, "\n", "\r\n")} {
			got, err := receive(s)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, state)
		}
	})
}

func TestBadFrames(t *testing.T) {
	for _, c := range []struct {
		name, line string
		code       aaif.Code
	}{
		{"AAIF-8.3-1 a list", `[1]`, aaif.BadFrame},
		{"AAIF-8.3-1 a text", `"handoff_error"`, aaif.BadFrame},
		{"AAIF-8.3-1 no JSON", `{type:1}`, aaif.BadFrame},
		{"AAIF-8.3-1 two objects", `{"type":"handoff_error","code":"A","message":""}{}`, aaif.BadFrame},
		{"AAIF-8.3-1 an empty line", ``, aaif.BadFrame},
		{"AAIF-8.3-1 no UTF-8", "{\"type\":\"memory_item\",\"scope\":\"user\",\"key\":\"\xff\",\"content\":\"\"}", aaif.BadFrame},
		{"AAIF-8.3-1 a doubled member", `{"type":"handoff_error","type":"memory_item"}`, aaif.DuplicateKey},
		{"AAIF-8.3-1 no type", `{"code":"A","message":""}`, aaif.BadFrame},
		{"AAIF-8.3-1 a type that is no text", `{"type":1}`, aaif.BadFrame},
		{"AAIF-8.3-2 an unknown type", `{"type":"handoff_pause"}`, aaif.UnknownType},
		{"AAIF-8.3-2 a type in another case", `{"type":"Handoff_Error","code":"A","message":""}`, aaif.UnknownType},
		{"AAIF-8.3-2 a member of another frame", `{"type":"memory_item","scope":"user","key":"k","content":"c","alias":"a"}`, aaif.BadFrame},
		{"AAIF-8.3-2 extensions where there are none", `{"type":"pipeline_state","pipeline_position":{},"variables":{},"iteration":1,"extensions":{"state_id":"x"}}`, aaif.BadFrame},
		{"AAIF-8.3-11 an extension that is no extension", `{"type":"memory_item","scope":"user","key":"k","content":"c","extensions":{"scope":"task"}}`, aaif.BadFrame},
		{"AAIF-8.3-11 extensions that are a list", `{"type":"memory_item","scope":"user","key":"k","content":"c","extensions":[]}`, aaif.BadFrame},
		{"AAIF-8.3-11 absent, what may not be", `{"type":"pending_tool","id":"c","tool_name":"t","arguments":{},"status":"pending","absent":["id"]}`, aaif.BadFrame},
		{"AAIF-8.3-11 absent as a text", `{"type":"pending_tool","id":"c","tool_name":"t","arguments":{},"status":"pending","absent":"status"}`, aaif.BadFrame},
		{"AAIF-8.3-12 too deep", `{"type":"memory_item","scope":"user","key":"k","content":"c","extensions":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, aaif.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p := refusal(t, first+c.line+"\n"+last, c.code); !strings.HasPrefix(p.Path, "line 2") {
				t.Errorf("at %q", p.Path)
			}
		})
	}
	for _, ext := range []string{`"state_id":"x"`, `"conversation":[]`, `"sc_standard":"SC-007"`, `"provenance":1`, `"provenance":{"checksum":"x"}`, `"provenance":{"migration_token":"x"}`} {
		t.Run("AAIF-8.3-6 the first frame says nothing twice: "+ext, func(t *testing.T) {
			refusal(t, strings.Replace(first, `"run_id"`, `"extensions":{`+ext+`},"run_id"`, 1)+last, aaif.BadFrame)
		})
	}
}

// Every member that a frame must have is missed, and every one is held to its type.
func TestMembers(t *testing.T) {
	cases := 0
	for _, line := range []string{first, chunk0, note, at, call, sub, last, gaveUp} {
		v := tree(t, line)
		required := map[string][]string{"handoff_init": {"state_id", "agent_id", "run_id", "source_platform", "migration_token"}}[v.Get("type").Text()]
		for _, m := range v.Members() {
			if m.Name == "type" || required != nil && !slices.Contains(required, m.Name) {
				continue
			}
			cases++
			for _, edit := range []canon.Value{v.Without(m.Name), v.With(m.Name, canon.Null()), v.With(m.Name, canon.Bool(true))} {
				t.Run("AAIF-U.S-1 "+v.Get("type").Text()+" without "+m.Name, func(t *testing.T) {
					broken := string(edit.Append(nil)) + "\n"
					if v.Get("type").Text() != "handoff_init" {
						broken = first + broken
					}
					if p := refusal(t, broken+last, aaif.BadFrame); !strings.HasSuffix(p.Path, "/"+m.Name) || p.Rule != "AAIF-U.S-1" {
						t.Errorf("at %q: %v", p.Path, p)
					}
				})
			}
		}
	}
	if cases != 23 {
		t.Errorf("%d members", cases)
	}
}

// watched fails when it is read further than it may be.
type watched struct {
	io.Reader
	left *int
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if *w.left -= n; *w.left < 0 {
		return n, errors.New("read too far")
	}
	return n, err
}

func TestAdmit(t *testing.T) {
	stream := first + strings.Repeat(note, 100) + last
	t.Run("AAIF-8.3-6 AAIF-13.1-3 a token that is refused ends it before another byte is read", func(t *testing.T) {
		left, asked := len(first), 0
		no := errors.New("no")
		_, err := handoff.Receive(context.Background(), watched{strings.NewReader(stream), &left}, handoff.Options{Admit: func(b aaif.Binding, token string) error {
			asked++
			if (b != aaif.Binding{StateID: "s", AgentID: "a", RunID: "r"}) || token != "a.b.c" {
				t.Errorf("asked of %+v, %s", b, token)
			}
			return no
		}})
		if err != no || left != 0 || asked != 1 {
			t.Errorf("got %v, %d bytes unread, asked %d times", err, left, asked)
		}
	})
	t.Run("AAIF-8.3-6 nobody who verifies", func(t *testing.T) {
		_, err := handoff.Receive(context.Background(), strings.NewReader(stream), handoff.Options{})
		if aaif.CodeOf(err) != aaif.TokenInvalid {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-8.2-8 a run that the state does not have is not asked of", func(t *testing.T) {
		state := states(t)["state-least"]
		_, err := handoff.Receive(context.Background(), strings.NewReader(sent(t, state, handoff.SendOptions{})), handoff.Options{Admit: func(b aaif.Binding, _ string) error {
			if b.RunID != "" || b.StateID != "s" {
				t.Errorf("asked of %+v", b)
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("AAIF-8.3-6 nothing is asked of a stream that begins with something else", func(t *testing.T) {
		_, err := handoff.Receive(context.Background(), strings.NewReader(note+first), handoff.Options{Admit: func(aaif.Binding, string) error { t.Error("asked"); return nil }})
		if aaif.CodeOf(err) != aaif.ProtocolError {
			t.Errorf("got %v", err)
		}
	})
}

func TestPeerError(t *testing.T) {
	for _, c := range []struct {
		name, line, code, message string
	}{
		{"AAIF-8.3-7 AAIF-8.3-8 a handoff_error leaves nothing to go on from", gaveUp, "MODEL_UNAVAILABLE", "no model"},
		{"AAIF-8.3-7 with a code that is none", strings.Replace(gaveUp, "MODEL_UNAVAILABLE", "no\\nmodel", 1), "PROTOCOL_ERROR", "no model"},
		{"AAIF-8.3-7 with a long message", strings.Replace(gaveUp, "no model", strings.Repeat("é", 5000), 1), "MODEL_UNAVAILABLE", strings.Repeat("é", 500)},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := receive(first + note + at + call + sub + c.line + "whatever follows")
			peer, ok := errors.AsType[*handoff.PeerError](err)
			if !ok || string(peer.Code) != c.code || string(aaif.CodeOf(err)) != c.code || peer.Message != c.message || v.Type() != canon.TypeUndefined {
				t.Errorf("got %+v, %v", peer, err)
			}
			if strings.Contains(err.Error(), "no model") {
				t.Errorf("repeats what the other side says: %v", err)
			}
		})
	}
}

// slow yields one byte at a time, and then fails.
type slow struct {
	text string
	err  error
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, s.err
	}
	p[0], s.text = s.text[0], s.text[1:]
	return 1, nil
}

func TestChannel(t *testing.T) {
	state := states(t)["state"]
	stream := sent(t, state, handoff.SendOptions{})
	t.Run("AAIF-8.3-10 a channel that fails is named", func(t *testing.T) {
		cut := errors.New("cut")
		for _, s := range []string{"", first, first + note[:7], stream} {
			_, err := handoff.Receive(context.Background(), &slow{s, cut}, handoff.Options{Admit: welcome})
			if !errors.Is(err, cut) || aaif.CodeOf(err) != aaif.ProtocolError {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("AAIF-8.3-11 lists without an item, counted or not", func(t *testing.T) {
		for name, there := range map[string]string{"none is there": ``, "one is there, and empty": `"subagent_states":[],`, "two are": `"pending_tool_calls":[],"subagent_states":[],`} {
			small := tree(t, `{`+there+`"sc_standard":"SC-006","state_id":"5f0c2a1e-1111-4222-8333-444455556666","agent_id":"5f0c2a1e-1111-4222-8333-444455556667","run_id":"r",
				"checkpoint_at":"2026-01-01T00:00:00Z","status":"paused","provenance":{"source_platform":"p"}}`)
			small = aaif.WithToken(small, "a.b.c")
			for _, counts := range []string{`{}`, `{"subagents":0,"pending":0}`, `{"messages":0,"memory":0,"pending":0,"subagents":0}`} {
				stream := edited(t, sent(t, small, handoff.SendOptions{}), 0, func(v canon.Value) canon.Value { return v.With("counts", tree(t, counts)) })
				got, err := receive(stream)
				if err != nil {
					t.Errorf("%s, counted as %s: %v", name, counts, err)
					continue
				}
				equal(t, got, small)
			}
		}
	})
	t.Run("AAIF-8.3-11 byte by byte", func(t *testing.T) {
		got, err := handoff.Receive(context.Background(), &slow{stream, io.EOF}, handoff.Options{Admit: welcome})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, state)
	})
	t.Run("AAIF-8.3-10 a receiver that stops", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		_, err := handoff.Receive(ctx, strings.NewReader(stream), handoff.Options{Admit: func(aaif.Binding, string) error { stop(); return nil }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// endless yields a text over and over.
type endless struct {
	text string
	at   int
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	e.read += int64(n)
	return n, nil
}

func TestLimits(t *testing.T) {
	note1k := strings.Replace(note, `"c"`, `"`+strings.Repeat("c", 1000)+`"`, 1)
	for _, c := range []struct {
		name string
		more string
		o    handoff.Options
		code aaif.Code
	}{
		{"AAIF-8.3-12 a line without end", "x", handoff.Options{}, aaif.FrameTooLarge},
		{"AAIF-8.3-12 a line of more than is taken", note1k, handoff.Options{Line: 1000}, aaif.FrameTooLarge},
		{"AAIF-8.3-12 lines without end", note1k, handoff.Options{}, aaif.TooLarge},
		{"AAIF-8.3-12 more than is taken", note, handoff.Options{Total: 1000}, aaif.TooLarge},
		{"AAIF-8.3-12 more frames than are taken", note, handoff.Options{Frames: 50}, aaif.TooLarge},
		{"AAIF-8.3-12 more values than are taken", strings.Replace(note, `"c"`, `"c","extensions":{"x":[`+strings.Repeat("0,", 500)+`0]}`, 1), handoff.Options{Values: 1200}, aaif.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Admit = welcome
			var before, after runtime.MemStats
			runtime.GC()
			defer debug.SetGCPercent(debug.SetGCPercent(20)) // little of what is seen is garbage
			runtime.ReadMemStats(&before)
			r := &endless{text: c.more}
			_, err := handoff.Receive(context.Background(), io.MultiReader(strings.NewReader(first), r), c.o)
			runtime.ReadMemStats(&after)
			if aaif.CodeOf(err) != c.code {
				t.Errorf("got %s: %v", aaif.CodeOf(err), err)
			}
			if own := int64(c.o.Line+c.o.Frames+c.o.Values) + c.o.Total; own > 0 && r.read > 200<<10 {
				t.Errorf("read %d bytes", r.read)
			}
			if most := max(c.o.Total, 16<<20); r.read > most+1<<20 || after.HeapAlloc > before.HeapAlloc && int64(after.HeapAlloc-before.HeapAlloc) > 2*most {
				t.Errorf("read %d bytes, held %d", r.read, after.HeapAlloc-before.HeapAlloc)
			}
		})
	}
	t.Run("AAIF-8.3-12 a line of as much as is taken", func(t *testing.T) {
		state := states(t)["state"]
		stream, longest := sent(t, state, handoff.SendOptions{}), 0
		for line := range strings.Lines(stream) {
			longest = max(longest, len(line)-1)
		}
		o := handoff.Options{Admit: welcome, Line: longest, Total: int64(len(stream))}
		if _, err := handoff.Receive(context.Background(), strings.NewReader(stream), o); err != nil {
			t.Error(err)
		}
		o.Line--
		if _, err := handoff.Receive(context.Background(), strings.NewReader(stream), o); aaif.CodeOf(err) != aaif.FrameTooLarge {
			t.Errorf("got %v", err)
		}
		o.Line, o.Total = longest, o.Total-1
		if _, err := handoff.Receive(context.Background(), strings.NewReader(stream), o); aaif.CodeOf(err) == "" {
			t.Errorf("got %v", err)
		}
	})
}
