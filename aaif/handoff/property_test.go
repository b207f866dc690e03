package handoff_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

// odd returns a state with members taken away, put in, and moved to where they do not
// belong, all the way down.
func odd(random *rand.Rand, v canon.Value, depth int) canon.Value {
	names := []string{"type", "absent", "extensions", "counts", "provenance", "state_id", "run_id", "source_platform", "checksum", "status", "key", "index", "x-a", ""}
	values := []canon.Value{canon.Null(), canon.Int(0), canon.String(""), canon.Array(), canon.Object(), canon.Array(canon.String("run_id")), canon.Object(canon.Member{Name: "state_id", Value: canon.Null()})}
	switch v.Type() {
	case canon.TypeObject:
		var members []canon.Member
		for _, m := range v.Members() {
			if random.IntN(20) == 0 {
				continue
			}
			members = append(members, canon.Member{Name: m.Name, Value: odd(random, m.Value, depth+1)})
		}
		for random.IntN(4) == 0 {
			members = append(members, canon.Member{Name: names[random.IntN(len(names))], Value: values[random.IntN(len(values))]})
		}
		return canon.Object(members...)
	case canon.TypeArray:
		var items []canon.Value
		for _, inner := range v.Items() {
			for range random.IntN(3) {
				items = append(items, odd(random, inner, depth+1))
			}
		}
		return canon.Array(items...)
	case canon.TypeString:
		if depth > 2 && random.IntN(10) == 0 {
			return canon.String(v.Text() + strconv.Itoa(random.IntN(1000)) + "\n\u2028\"")
		}
	}
	return v
}

// What can be sent arrives as it is; what cannot is refused before a byte of it leaves.
func TestOddStatesArrive(t *testing.T) {
	random, whole := rand.New(rand.NewPCG(3, 4)), states(t)
	arrived, stayed := 0, 0
	for i := range 4000 {
		state := aaif.WithToken(odd(random, whole[[]string{"state", "state-odd", "failed-state"}[i%3]], 0), "a.b.c")
		var b bytes.Buffer
		if err := handoff.Send(context.Background(), &b, state, handoff.SendOptions{Chunk: 1 + random.IntN(500)}); err != nil {
			if aaif.CodeOf(err) == "" || b.Len() > 0 {
				t.Fatalf("%v, after %d bytes of %s", err, b.Len(), state.Append(nil))
			}
			stayed++
			continue
		}
		got, err := receive(b.String())
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, state.Append(nil), b.String())
		}
		if string(got.AppendCanonical(nil)) != string(state.AppendCanonical(nil)) {
			t.Fatalf("got  %s\nwant %s", got.AppendCanonical(nil), state.AppendCanonical(nil))
		}
		arrived++
	}
	t.Run("AAIF-8.3-11 odd states arrive as they are", func(t *testing.T) {
		if arrived < 500 || stayed < 500 {
			t.Errorf("%d arrived, %d stayed", arrived, stayed)
		}
	})
}
