package audit_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/audit"
)

func TestSoundLogs(t *testing.T) {
	l := logOf(t, 1)
	for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 255, 256, 257, 700} {
		f := filled(t, l, n)
		report := verify(t, f, l, nil)
		if !report.Sound() || report.Entries != int64(n) || report.Signed != int64(n) || report.Unsigned != 0 {
			t.Errorf("%d entries: %+v", n, report)
		}
		if n == 0 {
			continue
		}
		anchor := head(t, f)
		if err := l.Append(f, acts(l, 5)...); err != nil {
			t.Fatal(err)
		}
		if report := verify(t, f, l, anchor); !report.Sound() || report.Head.Size != int64(n+5) {
			t.Errorf("%d entries and 5 more: %+v", n, report)
		}
	}
}

func TestUnsignedTail(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 10)
	closed := l
	closed.Key = nil
	if err := closed.Append(f, acts(l, 3)...); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, f, l, nil); !report.Sound() || report.Signed != 10 || report.Unsigned != 3 {
		t.Errorf("got %+v", report)
	}
	if err := l.Append(f, acts(l, 1)...); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, f, l, nil); !report.Sound() || report.Signed != 14 {
		t.Errorf("after the key was there again: %+v", report)
	}
}

// tampered are ways to change a log of 100 entries, whose head of 60 entries
// was kept, and what is to be found then.
var tampered = []struct {
	name   string
	change func(t *testing.T, f, earlier *fake)
	want   audit.FindingKind
	number int64 // of the first finding
	anchor bool  // found by the anchor alone
}{
	{"first byte of an entry", func(_ *testing.T, f, _ *fake) { f.entries[40][0] ^= 1 }, audit.Edited, 40, false},
	{"last byte of the last entry", func(_ *testing.T, f, _ *fake) { f.entries[99][len(f.entries[99])-1] ^= 1 }, audit.Edited, 99, false},
	{"a digit of a time", replace(40, "12:00:40", "12:00:41"), audit.Edited, 40, false},
	{"a principal", replace(0, `"owner"`, `"agent"`), audit.Edited, 0, false},
	{"an act", replace(17, "forget", "export"), audit.Edited, 17, false},
	{"a byte more", func(_ *testing.T, f, _ *fake) { f.entries[40] = append(f.entries[40], ' ') }, audit.Edited, 40, false},
	{"an empty entry", func(_ *testing.T, f, _ *fake) { f.entries[40] = []byte{} }, audit.Edited, 40, false},
	{"two entries edited", func(_ *testing.T, f, _ *fake) { f.entries[40][0] ^= 1; f.entries[41][0] ^= 1 }, audit.Edited, 40, false},
	{"an entry edited and all hashes made anew", func(t *testing.T, f, _ *fake) { f.entries[40][9] ^= 1; f.rehash(t) }, audit.Rewritten, 100, false},

	{"taken out in the middle", func(_ *testing.T, f, _ *fake) { f.entries = slices.Delete(f.entries, 40, 41) }, audit.Deleted, 40, false},
	{"the first taken out", func(_ *testing.T, f, _ *fake) { f.entries = slices.Delete(f.entries, 0, 1) }, audit.Deleted, 0, false},
	{"five taken out", func(_ *testing.T, f, _ *fake) { f.entries = slices.Delete(f.entries, 40, 45) }, audit.Deleted, 40, false},
	{"taken out, its place kept", func(_ *testing.T, f, _ *fake) { f.entries[40] = nil }, audit.Deleted, 40, false},
	{"five taken out, places kept", func(_ *testing.T, f, _ *fake) { clear(f.entries[40:45]) }, audit.Deleted, 40, false},
	{"the last taken out, places kept", func(_ *testing.T, f, _ *fake) { clear(f.entries[90:]) }, audit.Truncated, 90, false},
	{"all taken out, places kept", func(_ *testing.T, f, _ *fake) { clear(f.entries) }, audit.Truncated, 0, false},
	{"the last taken out with hashes, places kept", func(_ *testing.T, f, _ *fake) { clear(f.entries[90:]); f.hashes = f.hashes[:176] }, audit.Truncated, 90, false},
	{"taken out, the rest hashed anew", func(t *testing.T, f, _ *fake) { f.entries = slices.Delete(f.entries, 40, 41); f.rehash(t) }, audit.Truncated, 99, false},
	{"taken out and another put at the end", func(t *testing.T, f, _ *fake) {
		f.entries = append(slices.Delete(f.entries, 40, 41), bytes.Clone(f.entries[7]))
		f.rehash(t)
	}, audit.Rewritten, 100, false},

	{"cut off, hashes left", func(_ *testing.T, f, _ *fake) { f.entries = f.entries[:90] }, audit.Truncated, 90, false},
	{"cut off with the hashes", func(t *testing.T, f, _ *fake) { f.entries = f.entries[:90]; f.rehash(t) }, audit.Truncated, 90, false},
	{"all cut off", func(_ *testing.T, f, _ *fake) { f.entries, f.hashes = nil, nil }, audit.Truncated, 0, false},

	{"neighbours changed places", swap(40, 41), audit.Reordered, 40, false},
	{"entries far apart changed places", swap(20, 60), audit.Reordered, 20, false},
	{"changed places and hashed anew", func(t *testing.T, f, e *fake) { swap(40, 41)(t, f, e); f.rehash(t) }, audit.Rewritten, 100, false},
	{"one moved to the back", func(_ *testing.T, f, _ *fake) {
		e := f.entries[40]
		f.entries = slices.Insert(slices.Delete(f.entries, 40, 41), 50, e)
	}, audit.Reordered, 40, false},

	{"doubled", func(_ *testing.T, f, _ *fake) { f.entries = slices.Insert(f.entries, 41, f.entries[40]) }, audit.Duplicated, 41, false},
	{"doubled over another", func(_ *testing.T, f, _ *fake) { f.entries[41] = f.entries[40] }, audit.Duplicated, 41, false},
	{"doubled at the end", func(_ *testing.T, f, _ *fake) { f.entries = append(f.entries, f.entries[40]) }, audit.Inserted, 100, false},
	{"put in", func(_ *testing.T, f, _ *fake) { f.entries = slices.Insert(f.entries, 40, []byte(`{"act":"read"}`)) }, audit.Inserted, 40, false},

	{"a leaf's hash changed", func(_ *testing.T, f, _ *fake) { f.hashes[3][5] ^= 1 }, audit.HashBroken, 2, false},
	{"an inner hash changed", func(_ *testing.T, f, _ *fake) { f.hashes[2][5] ^= 1 }, audit.HashBroken, 1, false},
	{"a leaf's hash missing", func(_ *testing.T, f, _ *fake) { f.hashes[3] = nil }, audit.HashBroken, 2, false},
	{"an inner hash missing", func(_ *testing.T, f, _ *fake) { f.hashes[2] = nil }, audit.HashBroken, 1, false},
	{"a hash too short", func(_ *testing.T, f, _ *fake) { f.hashes[2] = f.hashes[2][:31] }, audit.HashBroken, 1, false},

	{"no head", func(_ *testing.T, f, _ *fake) { f.head = nil }, audit.Headless, 100, false},
	{"a garbled head", func(_ *testing.T, f, _ *fake) { f.head[3] ^= 0x20 }, audit.HeadBroken, 0, false},
	{"a head with a byte more", func(_ *testing.T, f, _ *fake) { f.head = append(f.head, '\n') }, audit.HeadBroken, 0, false},
	{"a head that says fewer", func(_ *testing.T, f, _ *fake) { f.head = bytes.Replace(f.head, []byte("\n100\n"), []byte("\n99\n"), 1) }, audit.HeadForged, 99, false},
	{"a head of another time", func(_ *testing.T, f, _ *fake) { f.head = bytes.Replace(f.head, []byte("2026"), []byte("2025"), 1) }, audit.HeadForged, 100, false},
	{"the head of another owner", func(t *testing.T, f, _ *fake) { f.head = filled(t, logOf(t, 2), 100).head }, audit.HeadForeign, 100, false},
	{"a head signed with another key", func(t *testing.T, f, _ *fake) {
		owner, thief := key(t, 1).DID(), logOf(t, 2)
		forged := filled(t, thief, 100).head
		f.head = bytes.ReplaceAll(forged, []byte(thief.Owner), []byte(owner))
	}, audit.HeadForged, 100, false},

	{"an older copy put back", func(_ *testing.T, f, e *fake) { *f = *e }, audit.RolledBack, 50, true},
	{"the older head put back alone", func(_ *testing.T, f, e *fake) { f.head = e.head }, audit.RolledBack, 50, true},
	{"an older copy put back and continued", func(t *testing.T, f, e *fake) {
		*f = *e
		l := logOf(t, 1)
		entry := acts(l, 1)[0]
		for i := range 30 {
			entry.At = noon(1000 + i)
			if err := l.Append(f, entry); err != nil {
				t.Fatal(err)
			}
		}
	}, audit.Forked, 60, true},
	{"all deleted and begun anew", func(_ *testing.T, f, _ *fake) { *f = fake{} }, audit.RolledBack, 0, true},
}

func replace(number int, from, to string) func(*testing.T, *fake, *fake) {
	return func(t *testing.T, f, _ *fake) {
		if !strings.Contains(string(f.entries[number]), from) {
			t.Fatalf("%s is not in %s", from, f.entries[number])
		}
		f.entries[number] = []byte(strings.Replace(string(f.entries[number]), from, to, 1))
	}
}

func swap(i, j int) func(*testing.T, *fake, *fake) {
	return func(_ *testing.T, f, _ *fake) { f.entries[i], f.entries[j] = f.entries[j], f.entries[i] }
}

func TestTampered(t *testing.T) {
	l := logOf(t, 1)
	earlier, kept, now := filled(t, l, 50), filled(t, l, 60), filled(t, l, 100)
	for _, test := range tampered {
		t.Run(test.name, func(t *testing.T) {
			f := now.clone()
			test.change(t, f, earlier.clone())
			report, anchored := verify(t, f, l, nil), verify(t, f, l, head(t, kept))
			rewritten := !slices.EqualFunc(f.hashes, now.hashes, bytes.Equal) // the anchor tells by itself
			if test.anchor && !report.Sound() {
				t.Errorf("without the anchor: %+v", report.Findings)
			}
			if test.anchor {
				report = anchored
			}
			if got := kinds(anchored); !rewritten && !slices.Equal(got, []audit.FindingKind{test.want}) || !slices.Contains(got, test.want) {
				t.Errorf("the anchor adds to what explains it: %+v", anchored.Findings)
			}
			if got := kinds(report); !slices.Equal(got, []audit.FindingKind{test.want}) || report.Findings[0].Number != test.number {
				t.Errorf("want %s at %d, got %+v", test.want, test.number, report.Findings)
			}
		})
	}
}

// TestEveryByte changes every byte of a log, one after the other.
func TestEveryByte(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 21)
	flip := func(what string, parts ...[]byte) {
		for i, part := range parts {
			for j := range part {
				part[j] ^= 0x11
				if verify(t, f, l, nil).Sound() {
					t.Errorf("%s %d, byte %d: nothing was found", what, i, j)
				}
				part[j] ^= 0x11
			}
		}
	}
	flip("entry", f.entries...)
	flip("hash", f.hashes...)
	flip("head", f.head)
	if report := verify(t, f, l, nil); !report.Sound() {
		t.Errorf("the log was not put back: %+v", report)
	}
}

// TestAnyChange: whatever is done to entries and hashes alike, without the key,
// shows.
func TestAnyChange(t *testing.T) {
	l := logOf(t, 1)
	whole := filled(t, l, 300)
	rapid.Check(t, func(rt *rapid.T) {
		f := whole.clone()
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			i, j := rapid.IntRange(0, len(f.entries)-1).Draw(rt, "i"), rapid.IntRange(0, len(f.entries)-1).Draw(rt, "j")
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				f.entries = slices.Delete(f.entries, i, i+1)
			case 1:
				f.entries = slices.Insert(f.entries, i, f.entries[j])
			case 2:
				f.entries[i], f.entries[j] = f.entries[j], f.entries[i]
			case 3:
				f.entries[i] = append(bytes.Clone(f.entries[i]), 'x')
			case 4:
				f.entries[i] = nil
			}
		}
		same := slices.EqualFunc(f.entries, whole.entries, bytes.Equal)
		if !same && rapid.Bool().Draw(rt, "hash anew") && !slices.ContainsFunc(f.entries, func(e []byte) bool { return e == nil }) {
			f.rehash(t)
		}
		report := verify(t, f, l, nil)
		// What stands after the head is nobody's word yet, and said to be so.
		n := len(whole.entries)
		longer := len(f.entries) > n && slices.EqualFunc(f.entries[:n], whole.entries, bytes.Equal)
		if longer && report.Unsigned == int64(len(f.entries)-n) {
			return
		}
		if report.Sound() != same {
			rt.Fatalf("same: %v, found: %+v", same, report.Findings)
		}
	})
}

func TestAnchorOfSomebodyElse(t *testing.T) {
	l, other := logOf(t, 1), logOf(t, 2)
	report := verify(t, filled(t, l, 5), l, head(t, filled(t, other, 5)))
	if got := kinds(report); !slices.Equal(got, []audit.FindingKind{audit.AnchorInvalid}) {
		t.Errorf("got %v", got)
	}
}

func TestManyFindings(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 1000)
	for i := range f.entries {
		f.entries[i][0] ^= 1
	}
	if report := verify(t, f, l, nil); len(report.Findings) != 100 || report.More < 900 {
		t.Errorf("%d findings and %d more", len(report.Findings), report.More)
	}
}

// TestVerifyReadsInParts: a log is never held whole.
func TestVerifyReadsInParts(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 2000)
	verify(t, f, l, nil)
	if f.most > 256 {
		t.Errorf("%d entries were asked for at once", f.most)
	}
}

func TestVerifyFailsWithTheStore(t *testing.T) {
	l := logOf(t, 1)
	f := filled(t, l, 20)
	f.broken = errors.New("disk")
	if report, err := audit.Verify(f, l.Owner, nil); !errors.Is(err, f.broken) || !report.Sound() {
		t.Errorf("got %+v, %v", report, err)
	}
}
