package e2e

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// archive generates exports of ChatGPT: the same for the same seed and sizes.
type archive struct {
	seed          uint64
	conversations int
	exchanges     int // of each conversation
	words         int // of each answer
}

// write writes conversations.json.
func (a archive) write(to io.Writer) error {
	out := bufio.NewWriterSize(to, 1<<20)
	for i := range a.conversations {
		between := ",\n"
		if i == 0 {
			between = "[\n"
		}
		if _, err := out.WriteString(between); err != nil {
			return err
		}
		if _, err := out.WriteString(a.conversation(i)); err != nil {
			return err
		}
	}
	if _, err := out.WriteString("\n]\n"); err != nil {
		return err
	}
	return out.Flush()
}

// conversation is one conversation, in which a user and an assistant take turns.
func (a archive) conversation(i int) string {
	r := rand.New(rand.NewPCG(a.seed, uint64(i)))
	var b strings.Builder
	began := 1_600_000_000 + i*3600
	last := 2*a.exchanges - 1
	fmt.Fprintf(&b, `{"title":"%s","create_time":%d.25,"update_time":%d,"conversation_id":"c-%d-%d","current_node":"n%d","mapping":{`,
		prose(r, 4), began, began+60*last, a.seed, i, last)
	b.WriteString(`"root":{"id":"root","message":null,"parent":null,"children":["n0"]}`)
	for n := range 2 * a.exchanges {
		author, words, parent, children := "user", 25, fmt.Sprintf("n%d", n-1), fmt.Sprintf(`"n%d"`, n+1)
		if n%2 == 1 {
			author, words = "assistant", a.words
		}
		if n == 0 {
			parent = "root"
		}
		if n == last {
			children = ""
		}
		fmt.Fprintf(&b, `,"n%[1]d":{"id":"n%[1]d","parent":"%[2]s","children":[%[3]s],"message":{"id":"n%[1]d","author":{"role":"%[4]s"},"create_time":%[5]d.5,`+
			`"content":{"content_type":"text","parts":["%[6]s"]},"status":"finished_successfully","metadata":{"model_slug":"gpt-x"},"recipient":"all"}}`,
			n, parent, children, author, began+60*n, prose(r, words))
	}
	b.WriteString("}}")
	return b.String()
}

// prose makes so many words, of which some are frequent and most are rare, as in a
// language.
func prose(r *rand.Rand, words int) string {
	const syllables = "balocatedifogumakenirosutavewixoyuze"
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for rank := int(r.ExpFloat64()*r.ExpFloat64()*800) + 1; rank > 0; rank /= 18 {
			at := rank % 18 * 2
			b.WriteString(syllables[at : at+2])
		}
	}
	return b.String()
}
