package stored_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// TestAttachedPage reads pages of the attachments 1 to 10, of which the first in
// altered are not as they were written.
func TestAttachedPage(t *testing.T) {
	staged := func(runs ...int64) (list []stored.Stretch) {
		for i := 0; i < len(runs); i += 2 {
			list = append(list, stored.Stretch{First: stored.AttachmentBase + runs[i], Last: stored.AttachmentBase + runs[i+1]})
		}
		return list
	}
	for _, test := range []struct {
		name    string
		after   int64
		max     int
		staged  []stored.Stretch
		altered int64
		size    int
		want    []int64
	}{
		{name: "all", max: 20, want: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{name: "so many", max: 3, want: []int64{1, 2, 3}},
		{name: "after one", after: 8, max: 20, want: []int64{9, 10}},
		{name: "after the last", after: 10, max: 20},
		{name: "from before the first", after: -5, max: 2, want: []int64{1, 2}},
		{name: "none", max: 0},
		{name: "without what is staged", max: 20, staged: staged(1, 2, 4, 6, 10, 10), want: []int64{3, 7, 8, 9}},
		{name: "so many without what is staged", max: 2, staged: staged(2, 8), want: []int64{1, 9}},
		{name: "runs of documents are others", max: 2, staged: []stored.Stretch{{First: 1, Last: 10}}, want: []int64{1, 2}},
		{name: "on past what was changed", max: 2, altered: 5, want: []int64{6, 7}},
		{name: "fewer when they are large", max: 20, size: stored.PageSize/2 + 1, want: []int64{1, 2}},
		{name: "one when it is large", max: 20, size: 2 * stored.PageSize, want: []int64{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := make([]byte, test.size)
			page := stored.AttachmentPage{Max: test.max, Staged: test.staged, Read: func(s stored.Stretch, limit int, yield func(store.Attachment, bool) error) error {
				for n := max(s.First, 1); n <= min(s.Last, 10) && limit > 0; n, limit = n+1, limit-1 {
					if err := yield(store.Attachment{Number: n, Data: data}, n > test.altered); err != nil {
						return err
					}
				}
				return nil
			}}
			found, err := page.After(test.after)
			var got []int64
			for _, a := range found {
				got = append(got, a.Number)
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	broken := errors.New("broken")
	page := stored.AttachmentPage{Max: 1, Read: func(stored.Stretch, int, func(store.Attachment, bool) error) error { return broken }}
	if _, err := page.After(0); !errors.Is(err, broken) {
		t.Errorf("got %v; want what the store said", err)
	}
}
