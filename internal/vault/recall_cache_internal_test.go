package vault

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A question that was under way when content was dropped leaves nothing behind, and takes
// nothing from the questions after it.
func TestHeldMeanwhile(t *testing.T) {
	var c recallCache
	before := c.asked()
	c.drop("did:key:ada")
	old := c.of("did:key:ada", store.Sum{1}, before)
	if len(c.owners) != 0 {
		t.Error("a question from before keeps what it reads")
	}
	later := c.of("did:key:ada", store.Sum{2}, c.asked())
	if again := c.of("did:key:ada", store.Sum{1}, before); again == later || again == old || c.owners["did:key:ada"] != later {
		t.Error("a question from before displaces what later ones keep")
	}
}

// The cache is bounded by owners, by bytes of an owner and by the length of a list.
func TestHeldBounds(t *testing.T) {
	var c recallCache
	for i := range mostAsking + 3 {
		c.of(memory.DID(fmt.Sprint("did:key:", i)), store.Sum{byte(i)}, c.asked())
	}
	if len(c.owners) != mostAsking || c.owners["did:key:0"] != nil {
		t.Errorf("%d owners are kept", len(c.owners))
	}
	x := c.of("did:key:ada", store.Sum{9}, c.asked())
	long := make([]recall.Posting, mostPosting+1)
	for i := range 3 * mostHeld / (16 * mostPosting) {
		for term, list := range map[string][]recall.Posting{fmt.Sprint("long", i): long, fmt.Sprint("word", i): long[:mostPosting]} {
			if got, err := x.documents(term, len(list), func() ([]recall.Posting, error) { return list, nil }); len(got) != len(list) || err != nil {
				t.Fatal(len(got), err)
			}
		}
		if _, kept := find(x, postingsIn, fmt.Sprint("long", i), sizeOfPostings); kept {
			t.Fatal("a long list is kept")
		}
		bounded(t, x)
		if lists := len(x.young.postings) + len(x.old.postings); 16*mostPosting*lists > mostHeld {
			t.Fatalf("%d lists are kept", lists)
		}
	}
	last := int64(3 * mostHeld / sizeOfEntry(0, &recall.Candidate{}))
	for n := range last {
		for _, of := range []int64{n, 0} { // 0 is asked for again and again
			_, err := x.candidates([]int64{of}, func(numbers []int64) ([]*recall.Candidate, error) {
				if of == 0 && n > 0 {
					t.Fatal("what is used again is not kept")
				}
				return []*recall.Candidate{{Doc: recall.Doc(numbers[0])}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		bounded(t, x)
	}
	if _, kept := find(x, entriesIn, 1, sizeOfEntry); kept {
		t.Error("what was not used again is kept")
	}
}

func bounded(t *testing.T, x *indexCache) {
	t.Helper()
	if size := x.young.size + x.old.size; size > mostHeld {
		t.Fatalf("%d bytes are kept", size)
	}
}
