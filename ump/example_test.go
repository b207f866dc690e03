package ump_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// An owner makes a signed record, and somebody else reads and verifies its bytes.
func ExampleAuthor() {
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32)) // an owner has a random one
	if err != nil {
		fmt.Println(err)
		return
	}
	record, err := ump.Author(memory.Record{
		Kind:  memory.Procedural,
		Body:  memory.Body{Text: "The build uses pnpm, never npm."},
		Scope: memory.Scope{Owner: key.DID()},
		Time:  memory.Times{Created: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)},
	}, &key)
	if err != nil {
		fmt.Println(err)
		return
	}
	read, err := ump.Decode(record.Origin, codec.Options{})
	fmt.Println(read.Body.Text, err)
	fmt.Println("genuine:", ump.Verify(record.Origin) == nil)
	fmt.Println("changed:", ump.Verify(bytes.Replace(record.Origin, []byte("never"), []byte("maybe"), 1)) != nil)
	// Output:
	// The build uses pnpm, never npm. <nil>
	// genuine: true
	// changed: true
}
