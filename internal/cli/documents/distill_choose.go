package documents

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/importers/deepseek"
	takeout "github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/internal/cli"
	chat "github.com/satchel-memory/satchel/text/conversation"
)

// Conversations opens a source with conversations, and names its format.
func Conversations(src codec.Source) (string, chat.Reader, error) {
	for _, shape := range []chat.Shape{takeout.Shape(), claudeai.Shape(), chatgpt.Shape(), deepseek.Shape()} {
		if shape.Detect(src) != codec.No {
			r, err := shape.Open(src, codec.Options{})
			return shape.Format, r, err
		}
	}
	r, err := distill.OpenTranscript(src, codec.Options{})
	return "aicf", r, err
}

// mostChoices is how many conversations a list offers.
const mostChoices = 20

// choose checks that the choice of a conversation is clear. Otherwise it lists the
// conversations.
func (c *DistillCmd) choose(src codec.Source) error {
	if c.All || c.Conversation != "" {
		return nil
	}
	_, r, err := Conversations(src)
	if err != nil {
		return cli.WithStatus(cli.ExitInvalid, err)
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
			return cli.WithStatus(cli.ExitInvalid, err)
		}
		if n++; n <= mostChoices {
			fmt.Fprintf(&list, "\n  %s  %s", cli.Clean(one.ID), cli.Clean(one.Title))
		}
	}
	if n > mostChoices {
		fmt.Fprintf(&list, "\n  and %d more", n-mostChoices)
	}
	if n > 1 {
		return cli.Usagef("there are %d conversations; say --all, or --conversation with the id of one:%s", n, list.String())
	}
	return nil
}
