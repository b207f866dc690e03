package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// TestLossList requires that the first losses are listed and all others counted.
func TestLossList(t *testing.T) {
	var l codec.LossList
	const n = 30_000
	for i := range n {
		p := &codec.ParseError{Path: fmt.Sprintf("/%d", i), Rule: "CHATGPT-2", Err: fmt.Errorf("bad at byte %d", i)}
		l.Add(codec.Loss{Pointer: fmt.Sprint(i), Reason: "2 thoughts"}, codec.LeftOut(fmt.Sprintf("an element with the id %q", fmt.Sprint(i)), p))
	}
	all := l.All()
	if len(all) > 11_000 {
		t.Fatalf("%d losses are kept", len(all))
	}
	thoughts, left := 0, 0
	for _, loss := range all {
		many, reason := codec.Counts(loss.Reason)
		switch {
		case reason == "thoughts":
			thoughts += many
		case codec.IsLeftOut(loss):
			left += many
		default:
			t.Errorf("a loss of its own: %v", loss)
		}
	}
	if thoughts != 2*n || left != n {
		t.Errorf("%d thoughts and %d parts left out, want %d and %d", thoughts, left, 2*n, n)
	}
	declared := codec.Declared{Reading: []string{"… thoughts", codec.LostUnit}}
	for _, loss := range all {
		if !declared.Covers(loss) {
			t.Errorf("not declared: %v", loss)
		}
	}
}

// TestLossListReasons requires that losses with ever new reasons are bounded, too.
func TestLossListReasons(t *testing.T) {
	var l codec.LossList
	for i := range 30_000 {
		l.Add(codec.Loss{Reason: fmt.Sprintf("reason %d", i)})
	}
	all := l.All()
	last := all[len(all)-1]
	if n, reason := codec.Counts(last.Reason); len(all) != 11_001 || reason != codec.LostMore || n != 19_000 {
		t.Errorf("%d losses, the last %v", len(all), last)
	}
	if !(codec.Declared{}).Covers(last) || strings.Contains(last.Reason, "reason 1") {
		t.Errorf("the last: %v", last)
	}
}
