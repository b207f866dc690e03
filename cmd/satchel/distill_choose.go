package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/claudeai"
	takeout "github.com/satchel-memory/satchel/importers/gemini"
	chat "github.com/satchel-memory/satchel/memory/conversation"
)

// conversations opens what has conversations, and says what it is.
func conversations(src codec.Source) (string, chat.Reader, error) {
	for _, shape := range []chat.Shape{takeout.Shape(), claudeai.Shape(), chatgpt.Shape()} {
		if shape.Detect(src) != codec.No {
			r, err := shape.Open(src, codec.Options{})
			return shape.Format, r, err
		}
	}
	r, err := distill.OpenTranscript(src, codec.Options{})
	return "aicf", r, err
}

// mostChoices is how many conversations are listed to choose from.
const mostChoices = 20

// choose looks whether it is clear which conversation is meant, and lists them otherwise.
func (c *distillCmd) choose(src codec.Source) error {
	if c.All || c.Conversation != "" {
		return nil
	}
	_, r, err := conversations(src)
	if err != nil {
		return as(exitInvalid, err)
	}
	defer r.Close()
	var list strings.Builder
	n := 0
	for {
		one, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return as(exitInvalid, err)
		}
		if n++; n <= mostChoices {
			fmt.Fprintf(&list, "\n  %s  %s", clean(one.ID), clean(one.Title))
		}
	}
	if n > mostChoices {
		fmt.Fprintf(&list, "\n  and %d more", n-mostChoices)
	}
	if n > 1 {
		return usagef("there are %d conversations; say --all, or --conversation with the id of one:%s", n, list.String())
	}
	return nil
}
