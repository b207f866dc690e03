package contextfiles

import (
	"errors"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type aicfStatsCmd struct {
	File    string `arg:"" help:"The context file."`
	Against string `help:"The conversation to compare with: an export of ChatGPT or Claude.ai, a context file with a transcript, or any text." placeholder:"TRANSCRIPT"`
	aicfFlags
}

// statsOut is the result for a file, for machines.
type statsOut struct {
	File     string         `json:"file"`
	Version  string         `json:"version"`
	Dialect  string         `json:"dialect"`
	Entries  map[string]int `json:"entries"`
	Estimate string         `json:"estimate"` // the name of the measure of tokens
	After    int            `json:"tokens_after"`
	Before   *int           `json:"tokens_before,omitempty"`
	Ratio    *float64       `json:"ratio,omitempty"` // 1 - after/before
}

// Run counts. Its number of tokens is an estimate, not a verdict.
func (c *aicfStatsCmd) Run(a *cli.App) error {
	o := c.options(a)
	data, err := aicffile.Load(c.File, o)
	if err != nil {
		return err
	}
	file, err := aicf.Parse(data, o.Options)
	if err != nil {
		return err
	}
	contents, found := aicf.Read(file, o.Options)
	if err := another(c.File, found); err != nil {
		return err
	}
	out := statsOut{
		File: c.File, Version: contents.Version.String(), Dialect: contents.Dialect.String(), Entries: map[string]int{},
		Estimate: distill.Estimate, After: distill.Tokens(string(data)),
	}
	for _, e := range contents.Entries {
		if section, _ := aicf.Heading(e); section != "" {
			out.Entries[section]++
		}
	}
	if c.Against != "" {
		text, err := transcript(a, c.Against)
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return cli.Invalidf("%s says nothing; there is nothing to compare with", c.Against)
		}
		before := distill.Tokens(text)
		ratio := 1 - float64(out.After)/float64(before)
		out.Before, out.Ratio = &before, &ratio
	}
	if a.JSON {
		return a.Emit(out)
	}
	out.show(a)
	return nil
}

func (s statsOut) show(a *cli.App) {
	a.Print("%s: %s, %s", cli.Clean(s.File), s.Version, s.Dialect)
	a.Print("entries        %s", documents.CountedWords(s.Entries))
	if s.Before != nil {
		a.Print("tokens_before  %d", *s.Before)
	}
	a.Print("tokens_after   %d", s.After)
	if s.Ratio != nil {
		a.Print("ratio          %.3f", *s.Ratio)
	}
	a.Print("estimate       %s", s.Estimate)
}

// mostTranscript limits a text that is no export.
const mostTranscript = 256 << 20

// transcript returns a conversation as it would go on without a context file: the messages
// of an export, else the text itself.
func transcript(a *cli.App, path string) (string, error) {
	in, err := a.Source(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	var text strings.Builder
	if _, r, err := documents.Conversations(in.Source); err == nil {
		defer r.Close()
		for {
			one, err := r.Next()
			if errors.Is(err, io.EOF) {
				return text.String(), nil
			}
			if err != nil {
				return "", cli.WithStatus(cli.ExitInvalid, err)
			}
			text.WriteString(distill.Transcript(one))
		}
	}
	if in.File == nil {
		return "", cli.Invalidf("%s is a folder without conversations", path)
	}
	if in.Size > mostTranscript {
		return "", cli.Invalidf("%s is larger than %d bytes", path, mostTranscript)
	}
	_, err = io.Copy(&text, io.NewSectionReader(in.File, 0, in.Size))
	return text.String(), err
}
