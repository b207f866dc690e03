package agentdoc

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentTryCmd struct {
	File    string `arg:"" help:"A definition, or - for standard input."`
	Payload string `required:"" help:"The payload to decide on: a file with a JSON object, or - for standard input. Its members depend on the place of a condition (docs/agents.md)." placeholder:"FILE"`
}

// Run decides every condition of a definition on a payload. It ends with status 3 if an
// expression cannot be read.
func (c *agentTryCmd) Run(a *cli.App) error {
	if c.File == "-" && c.Payload == "-" {
		return cli.Usagef("standard input holds one of the two; name a file for the other")
	}
	d, err := Definition(a, c.File)
	if err != nil {
		return err
	}
	payload, err := readTree(a, c.Payload)
	if err != nil {
		return err
	}
	if payload.Type() != canon.TypeObject {
		return cli.Invalidf("%s: a payload is an object, such as {\"tool\": {\"name\": …}, \"args\": {…}} for a trigger", cli.Clean(c.Payload))
	}
	j, err := CheckFlags{}.Checker(a)
	if err != nil {
		return err
	}
	trials, err := condition.NewCompiler(condition.Options{ExtraLanguages: j.Languages()}).Try(aaif.ReadDefinition(d.Value), payload)
	if err != nil {
		return cli.Invalidf("%s: %v", cli.Clean(c.File), err)
	}
	return tellTrials(a, d, trials)
}

// tellTrials prints decisions, and how many conditions were not decided.
func tellTrials(a *cli.App, d aaif.Document, trials []condition.Trial) error {
	undecided, broken := 0, false
	list := make([]trialOut, len(trials))
	for i, t := range trials {
		list[i] = trialOutOf(d.Value, t)
		if !t.IsDecided() {
			undecided++
		}
		broken = broken || len(parseErrors(t.Err)) > 0
	}
	switch {
	case a.JSON:
		if err := a.Emit(map[string]any{"conditions": list, "undecided": undecided}); err != nil {
			return err
		}
	case len(list) == 0:
		a.Print("no condition")
	default:
		for _, t := range list {
			t.show(a)
		}
		if undecided > 0 {
			a.Warn("%d of %s not decided", undecided, cli.Plural(len(list), "condition was", "conditions were"))
		}
	}
	if broken {
		return cli.Silent(cli.ExitInvalid)
	}
	return nil
}

// trialOut is a decision, for JSON.
type trialOut struct {
	Pointer   string          `json:"pointer"`
	Lang      string          `json:"lang,omitempty"` // absent: in words
	Words     string          `json:"words,omitempty"`
	Expr      json.RawMessage `json:"expr,omitempty"`
	NL        string          `json:"nl,omitempty"`
	Satisfied bool            `json:"satisfied"`
	Reason    string          `json:"reason"` // expression, hint, error, unsupported
	Effect    string          `json:"effect"`
	Code      string          `json:"code,omitempty"` // of what was undecided
	Message   string          `json:"message,omitempty"`
	Note      string          `json:"note,omitempty"`
	LookedAt  []lookOut       `json:"looked_at"`
	More      int             `json:"looked_at_more,omitempty"`
}

// lookOut is a value that an expression looks at, for JSON.
type lookOut struct {
	Pointer string          `json:"pointer"`
	Value   json.RawMessage `json:"value,omitempty"`
	Missing bool            `json:"missing,omitempty"`
}

func trialOutOf(d canon.Value, t condition.Trial) trialOut {
	around, _ := d.At(t.Pointer[:strings.LastIndexByte(t.Pointer, '/')])
	of := cmp.Or(around.Get("alias").Text(), around.Get("ref").Text(), around.Get("target_agent").Text())
	out := trialOut{
		Pointer: t.Pointer, Lang: string(t.Source.Lang), Words: t.Source.Hint, Expr: RawValue(t.Source.Expr), NL: t.NL, Satisfied: t.Satisfied,
		Reason: string(t.Reason), Effect: t.Effect(of), LookedAt: []lookOut{}, More: t.More,
	}
	for _, l := range t.Looks {
		out.LookedAt = append(out.LookedAt, lookOut{l.Pointer, RawValue(l.Value), l.Value.Type() == canon.TypeUndefined})
	}
	switch {
	case t.Reason == condition.ByHint:
		out.Message = "a condition in words, which each platform understands in its own way"
	case t.Err != nil:
		out.Code, out.Message = string(condition.CodeOf(t.Err)), reasonOf(t.Err)
	}
	if t.Site == condition.Approval && !around.Get("enabled").True() {
		out.Note = "human_in_the_loop is not enabled: nobody is asked, whatever this decides"
	}
	return out
}

// reasonOf returns the text of a condition's error, without its place.
func reasonOf(err error) string {
	for _, p := range parseErrors(err) {
		return p.Err.Error()
	}
	return err.Error()
}

// Limits of what is shown of expressions and values, in characters.
const (
	mostExpr  = 300
	mostValue = 120
)

// show prints a decision, line by line.
func (t trialOut) show(a *cli.App) {
	written := "in words: " + t.Words
	if t.Lang != "" {
		expr := string(t.Expr)
		if text, ok := textOf(t.Expr); ok {
			expr = text
		}
		written = strings.TrimSpace(t.Lang + " " + expr)
	}
	a.Print("%s  %s", cli.Clean(t.Pointer), cli.OneLine(written, mostExpr))
	if t.NL != "" {
		a.Print("  meant: %s", cli.OneLine(t.NL, mostExpr))
	}
	for _, l := range t.LookedAt {
		if l.Missing {
			a.Print("  %s is not in the payload", cli.OneLine(l.Pointer, mostValue))
			continue
		}
		a.Print("  %s is %s", cli.OneLine(l.Pointer, mostValue), cli.OneLine(string(l.Value), mostValue))
	}
	if t.More > 0 {
		a.Print("  and %d more values", t.More)
	}
	outcome := "not satisfied"
	switch {
	case t.Message != "":
		code := ""
		if t.Code != "" {
			code = " [" + t.Code + "]"
		}
		a.Print("  undecided: %s%s", cli.OneLine(t.Message, mostExpr), code)
		outcome = "so"
	case t.Satisfied:
		outcome = "satisfied"
	}
	a.Print("  %s: %s", outcome, cli.OneLine(t.Effect, mostExpr))
	if t.Note != "" {
		a.Print("  %s", t.Note)
	}
}

// textOf returns the text of a JSON string.
func textOf(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(raw, &text) == nil
}
