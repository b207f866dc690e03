// Command engram is the smallest runtime: it fetches a person's context, verifies it, and
// adds it to its own system prompt. Its argument is the address of the store; $ENGRAM_TOKEN
// holds the token.
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
		log.Fatal(err) // use nothing that could not be verified
	}
	prompt, err := client.Prompt(engram.PromptOptions{Base: "You are a helpful assistant."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(prompt.System)
}
