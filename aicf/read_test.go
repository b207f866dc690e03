package aicf

import (
	"slices"
	"strings"
	"testing"
)

// whole has every section of the format.
const whole = `@AICF_VERSION
version=3.1

@SESSION:s1
app_name=garden
user_id=u7
created_at=2025-03-01T08:00:00Z
last_update_time=2025-03-01T10:00:00+01:00
status=active
event_count=2

@CONVERSATION:talk_1
timestamp_start=2025-03-01T09:00:00Z
timestamp_end=2025-03-01T09:40:00Z
messages=12
topic=roses

@STATE
status=completed
flow=a|b
note=x|y

@INSIGHTS
@INSIGHTS roses want sun|DATA|HIGH|LOW|src=x

@DECISIONS
@DECISIONS plant roses|HIGH|LOW|the bed has sun

@LINKS
@LINKS decision_001->insight_001|implements

@EMBEDDING:talk_1
model=small-3
dimension=1
vector=0.5
keywords=roses

@CONSOLIDATION:sum_1
source_items=talk_1
consolidated_at=2025-04-01T00:00:00Z
method=deduplication

@UMP_RECORD:r1
record={}

@WORK:w1
foo=bar
`

func TestUnchanged(t *testing.T) {
	c := contents(t, whole)
	changes := map[string]func(Entry){
		"AICF_VERSION":   func(e Entry) { e.(*Declaration).Version = "3.0" },
		"SESSION":        func(e Entry) { e.(*Session).LastUpdateTime.Text = "" },
		"CONVERSATION":   func(e Entry) { e.(*Conversation).Topic = nil },
		"STATE":          func(e Entry) { e.(*State).Pairs[0].Value = "z" },
		"INSIGHTS":       func(e Entry) { e.(*Insight).Extra = nil },
		"DECISIONS":      func(e Entry) { e.(*Decision).Rationale = "" },
		"LINKS":          func(e Entry) { e.(*Link).MemoryType = Semantic },
		"EMBEDDING":      func(e Entry) { e.(*Embedding).Keywords = []string{} },
		"CONSOLIDATION":  func(e Entry) { e.(*Consolidation).SourceItems[0] = "x" },
		"UMP_RECORD":     func(e Entry) { e.(*Carried).Record = "" },
		"unknown, WORK":  func(e Entry) { e.(*Unknown).ID = "w2" },
		"made, not read": nil,
	}
	for _, e := range c.Entries {
		name := sectionName(e)
		if name == "" {
			continue
		}
		t.Run("AICF-FWD-1 "+name, func(t *testing.T) {
			if !unchanged(Spec, e) {
				t.Fatal("as it was read it counts as changed")
			}
			change := changes[name]
			if change == nil {
				t.Fatal("there is no change to try")
			}
			if change(e); unchanged(Spec, e) {
				t.Errorf("%T counts as unchanged", e)
			}
		})
	}
	t.Run("an entry made anew has no lines", func(t *testing.T) {
		if unchanged(Spec, &Insight{}) {
			t.Error("it counts as unchanged")
		}
	})
}

func sectionName(e Entry) string {
	if u, ok := e.(*Unknown); ok {
		return "unknown, " + u.Name
	}
	name, _, _ := strings.Cut(sectionOf(e), " ")
	return name
}

func TestReadRaw(t *testing.T) {
	t.Run("AICF-INS-4 a bare row is what it is known to be", func(t *testing.T) {
		const row = "7|HIGH|LOW|d"
		as := func(like Entry) Entry {
			e, ok := readRaw(Spec, row, like)
			if !ok {
				t.Fatalf("%q is no %T", row, like)
			}
			return e
		}
		if in := as(&Insight{}).(*Insight); in.Text != "7" || in.Category != "HIGH" {
			t.Errorf("got %+v", in)
		}
		if d := as(&Decision{}).(*Decision); d.Text != "7" || d.Rationale != "d" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("what is not one such entry", func(t *testing.T) {
		for raw, like := range map[string]Entry{
			"@STATE\nx=1":                      &Insight{},
			"x=1":                              &State{},
			"@INSIGHTS a|b\n@INSIGHTS c|d":     &Insight{},
			"a|b\nc|d":                         &Insight{},
			"@INSIGHTS a|DATA|LOW|LOW\nb":      &Insight{},
			"@CONVERSATION:a\nmessages=1\n":    &Conversation{},
			"":                                 &Insight{},
			"@INSIGHTS\n@INSIGHTS a|b|c|d|e=f": &Insight{},
		} {
			if e, ok := readRaw(Spec, raw, like); ok && e.Place().Raw == raw && raw != "" {
				t.Errorf("%q is read as %+v", raw, e)
			}
		}
	})
}

func TestReadSection(t *testing.T) {
	f, err := Parse(numbered(whole), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, found := Read(f, Options{})
	t.Run("AICF-READ-1 sections one by one are the file", func(t *testing.T) {
		var raws, want []string
		var each []Finding
		for s := range f.Sections() {
			entries, findings := ReadSection(s)
			each = append(each, findings...)
			for _, e := range entries {
				raws = append(raws, e.Place().Raw)
			}
		}
		for _, e := range c.Entries {
			want = append(want, e.Place().Raw)
		}
		if !slices.Equal(raws, want) || !slices.Equal(each, found) {
			t.Errorf("got %q and %v, want %q and %v", raws, each, want, found)
		}
	})
}

func TestValidate(t *testing.T) {
	t.Run("AICF-VALS-5 findings are told up to a limit, and counted beyond", func(t *testing.T) {
		text := "@STATE\n" + strings.Repeat("no key\n", 50)
		found, err := Validate(numbered(text), Options{Limits: Limits{Findings: 10}, Partial: true})
		if last := found[len(found)-1]; err != nil || len(found) != 11 || last.Code != codeMore {
			t.Errorf("%d findings, the last one %v, %v", len(found), last, err)
		}
	})
	t.Run("AICF-VALM-3 strictness makes warnings fatal, and notices never", func(t *testing.T) {
		warned, noticed := []Finding{{Severity: Notice}, {Severity: Warning}}, []Finding{{Severity: Notice}}
		if Fatal(warned, false) || !Fatal(warned, true) || Fatal(noticed, true) || !Fatal([]Finding{{Severity: Broken}}, false) {
			t.Error("what is fatal is not, or what is not is")
		}
	})
	t.Run("AICF-READ-4 what is found is told with its line and section", func(t *testing.T) {
		for want, f := range map[string]Finding{
			"line 3: STATE user: expected key=value [AICF-VALS-4]": {Line: 3, Section: "STATE user", Message: "expected key=value", Rule: "AICF-VALS-4"},
			"missing @STATE [AICF-VALS-3]":                         {Message: "missing @STATE", Rule: "AICF-VALS-3"},
		} {
			if got := f.String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
	t.Run("a file that is too large is refused", func(t *testing.T) {
		if _, err := Validate(numbered(whole), Options{Limits: Limits{File: 10}}); err == nil {
			t.Error("it was accepted")
		}
	})
}

// TestReadLinear takes very long where anything is quadratic in the size of the file.
func TestReadLinear(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"blank lines between entries": "@INSIGHTS a|b|c|d\n" + strings.Repeat("\n", 10*n),
		"headers without entries":     strings.Repeat("@LINKS\n", n),
		"keys of another scope":       "@STATE:user\n" + strings.Repeat("app:a=b\n", n),
		"sources that are not there":  "@CONSOLIDATION:c\nsource_items=a" + strings.Repeat("|a", n) + "\n",
		"entries in rows":             "@DECISIONS\n" + strings.Repeat("a|b|c|d\n", n),
		"parts behind an entry":       "@INSIGHTS a|b|c|d" + strings.Repeat("|x=y", n) + "\n",
		"parts that are repeated":     "@INSIGHTS a|b|c|d" + strings.Repeat("|memory_type=y", n) + strings.Repeat("|x=y", n) + "\n",
		"lines without a key":         "@SESSION:s\n" + strings.Repeat("a\n", n),
	} {
		t.Run("AICF-SIZE-4 "+name, func(t *testing.T) {
			found, err := Validate([]byte(text), Options{})
			if err != nil || len(found) == 0 {
				t.Errorf("%d findings, %v", len(found), err)
			}
		})
	}
}
