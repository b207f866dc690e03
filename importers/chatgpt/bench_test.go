package chatgpt_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/importtest"
)

// large returns an export of a number of conversations of ten turns.
func large(conversations int) string {
	var b strings.Builder
	answer := strings.Repeat(strings.Repeat("The well is deep and the water is cold. ", 12)+`\n\n`, 6)
	for i := range conversations {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"title":"Talk %d","create_time":1767261600,"conversation_id":"c-%d","current_node":"n9","mapping":{`, i, i)
		for n := range 10 {
			role := [...]string{"user", "assistant"}[n%2]
			if n > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"n%d":{"parent":"n%d","children":["n%d"],"message":{"author":{"role":%q},"create_time":%d,"content":{"content_type":"text","parts":["%s"]},"metadata":{"model_slug":"m"},"recipient":"all"}}`,
				n, n-1, n+1, role, 1767261600+n, answer)
		}
		b.WriteString("}}")
	}
	return "[" + b.String() + "]"
}

func BenchmarkRead(b *testing.B) {
	text := large(200)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := chatgpt.Format().Open(importtest.File("conversations.json", text), importtest.Options())
		n := 0
		for err == nil {
			if _, err = r.Next(); err == nil {
				n++
			}
		}
		if !errors.Is(err, io.EOF) || n < 200*6 {
			b.Fatal(n, err)
		}
	}
}
