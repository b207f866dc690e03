// Command engram is the smallest runtime: it fetches somebody's context, verifies it,
// and puts it behind its own system prompt. The address of the store is its argument,
// the token is in $ENGRAM_TOKEN.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: engram https://memory.example")
	}
	client, err := engram.NewClient(engram.ClientOptions{Base: os.Args[1], Token: os.Getenv("ENGRAM_TOKEN"), Transport: engramhttp.Transport(nil), Now: time.Now})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Fetch(context.Background()); err != nil {
		log.Fatal(err) // nothing is used of what could not be verified
	}
	prompt, err := client.Prompt(engram.PromptOptions{Base: "You are a helpful assistant."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(prompt.System)
}
