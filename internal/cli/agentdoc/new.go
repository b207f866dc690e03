package agentdoc

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentNewCmd struct {
	Name         string `arg:"" help:"The name of the agent."`
	Goal         string `required:"" help:"The goal of the agent." placeholder:"TEXT"`
	Level        string `default:"Core" help:"The level of the definition: ${levels}. Examples in it are marked as examples." placeholder:"LEVEL"`
	Output       string `short:"o" help:"The file for the definition, CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`
	Force        bool   `help:"Overwrite an existing file."`
	Description  string `help:"A description for people who search for an agent." placeholder:"TEXT"`
	Instructions string `help:"The instructions for the model." placeholder:"TEXT"`
	Author       string `help:"The author (authored_by), by which others find the key." placeholder:"NAME"`
	Provider     string `help:"The provider of the model, such as anthropic. A provider that the registry does not know becomes custom." placeholder:"PROVIDER"`
	Model        string `help:"The provider's name for the model." placeholder:"MODEL"`
	Key          string `help:"Sign an Enterprise or Stateful definition with this key file. Default: the owner's key." placeholder:"FILE"`

	CheckFlags
}

// Run writes a valid definition of the requested level.
func (c *agentNewCmd) Run(a *cli.App) error {
	level, err := LevelNamed(c.Level)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(c.Name) == "" || strings.TrimSpace(c.Goal) == "":
		return cli.Usagef("an agent has a name and a goal; both say something")
	case c.Model != "" && c.Provider == "":
		return cli.Usagef("--model goes with --provider")
	case !cli.IsStdout(c.Output) && cli.Exists(c.Output) && !c.Force:
		return cli.Refusedf("%s is there already; --force overwrites it", cli.Clean(c.Output))
	}
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	model, err := c.model(a)
	if err != nil {
		return err
	}
	d, err := c.definition(a, level, model)
	if err != nil {
		return err
	}
	if err := j.requireSound(a, d, "the definition"); err != nil {
		return err
	}
	if err := j.reach(d, level); err != nil {
		return fmt.Errorf("the definition fell short: %w", err)
	}
	if err := PlaceDocument(a, c.Output, "", d.Value); err != nil {
		return err
	}
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(map[string]any{"file": c.Output, "agent_id": d.Value.Get("agent_id").Text(), "level": level})
	}
	c.next(a, level, d.Value.Get("provenance").Has("signature"))
	return nil
}

// next says what to do with the definition.
func (c *agentNewCmd) next(a *cli.App, level aaif.Level, signed bool) {
	file := cli.Clean(c.Output)
	if cli.IsStdout(c.Output) {
		file = "FILE"
	}
	a.Say("a definition at level %s, as a draft", level)
	if !cli.IsStdout(c.Output) {
		a.Say("next: change what is an example in it, then satchel agent lint %s", file)
	}
	if signed {
		a.Say("it is signed as it is, and whatever is changed in it breaks the signature: satchel agent sign --again %s -o %[1]s signs it anew", file)
	}
}

// definition builds the definition, signed if its level requires that.
func (c *agentNewCmd) definition(a *cli.App, level aaif.Level, model canon.Value) (aaif.Document, error) {
	id, err := aaif.NewID(rand.Reader)
	if err != nil {
		return aaif.Document{}, err
	}
	v := ObjectOf(
		"sc_standard", canon.String(aaif.StandardID), "sc_version", canon.String(aaif.Version), "agent_id", canon.String(id),
		"status", canon.String(string(aaif.Draft)), "agent", c.agent(model), "provenance", c.provenance(a.Now()))
	for l := level; l != ""; l = l.Below() {
		if v, err = c.furnish(v, l); err != nil {
			return aaif.Document{}, err
		}
	}
	d := aaif.Document{Kind: aaif.AgentKind, Value: v}
	if level != aaif.Enterprise && level != aaif.Stateful {
		return d, nil
	}
	key, err := SigningKey(a, c.Key)
	if err != nil {
		return d, fmt.Errorf("a definition at level %s is signed: %w", level, err)
	}
	d.Value = aaif.Sign(v, key)
	RememberSigned(a, d)
	return d, nil
}

func (c *agentNewCmd) agent(model canon.Value) canon.Value {
	agent := ObjectOf("name", canon.String(c.Name), "goal", canon.String(c.Goal), "version", canon.String("0.1.0"))
	if c.Description != "" {
		agent = agent.With("description", canon.String(c.Description))
	}
	if c.Instructions != "" {
		agent = agent.With("instructions", canon.String(c.Instructions))
	}
	if model.Type() == canon.TypeUndefined {
		return agent
	}
	return agent.With("model", model)
}

func (c *agentNewCmd) provenance(now time.Time) canon.Value {
	at := canon.String(now.UTC().Format(time.RFC3339))
	from := ObjectOf("source_platform", canon.String("satchel"), "created_at", at, "updated_at", at)
	if c.Author != "" {
		from = from.With("authored_by", canon.String(c.Author))
	}
	return from
}

// furnish adds what a level requires beyond the one below it.
func (c *agentNewCmd) furnish(v canon.Value, level aaif.Level) (canon.Value, error) {
	agent := v.Get("agent")
	for _, m := range levelMembers(level).Members() {
		agent = agent.With(m.Name, m.Value)
	}
	if level == aaif.MultiAgent {
		id, err := aaif.NewID(rand.Reader)
		if err != nil {
			return v, err
		}
		worker := ObjectOf("ref", canon.String(id), "alias", canon.String("worker"), "role", canon.String(string(aaif.Worker)), "when", ObjectOf("lang", canon.String(string(aaif.Always))))
		agent = agent.With("orchestration", ObjectOf("role", canon.String(string(aaif.Orchestrator)), "subagents", canon.Array(worker), "max_iterations", canon.Int(10)))
	}
	return v.With("agent", agent), nil
}

// levelMembers returns the members of an agent that a level requires, with examples.
func levelMembers(level aaif.Level) canon.Value {
	text := canon.String
	switch level {
	case aaif.Tooled:
		schema := ObjectOf("type", text("object"), "properties", ObjectOf("query", ObjectOf("type", text("string"))), "required", canon.Array(text("query")))
		return ObjectOf("tools", canon.Array(ObjectOf(
			"name", text("look_up"), "description", text("An example: looks something up. Put a tool of yours in its place."),
			"protocol", text(string(aaif.FunctionTool)), "parameters_schema", schema)))
	case aaif.Portable:
		return ObjectOf("constraints", canon.Array(text("Ask before anything is done that cannot be undone.")))
	case aaif.Observable:
		metric := ObjectOf("name", text("task_completion"), "threshold", canon.Number(0.8))
		return ObjectOf("telemetry", ObjectOf("tracing", canon.Bool(true), "metrics", canon.Bool(true)), "evaluation", ObjectOf("metrics", canon.Array(metric)))
	case aaif.Enterprise:
		return ObjectOf("compliance", ObjectOf("safety_level", text(string(aaif.Strict)), "pii_handling", text(string(aaif.PIIDetect)), "audit_log", canon.Bool(true),
			"human_in_the_loop", ObjectOf("enabled", canon.Bool(true), "timeout_seconds", canon.Int(3600))))
	case aaif.Stateful:
		return ObjectOf("required_capabilities", canon.Array(text("state.checkpoint")))
	}
	return canon.Object()
}

// ObjectOf returns an object from alternating names and values.
func ObjectOf(pairs ...any) canon.Value {
	var members []canon.Member
	for pair := range slices.Chunk(pairs, 2) {
		members = append(members, canon.Member{Name: pair[0].(string), Value: pair[1].(canon.Value)})
	}
	return canon.Object(members...)
}

// model returns the agent's model. A provider that the registry does not allow becomes
// custom, with its name as provider_id and a warning (AAIF-10-5).
func (c *agentNewCmd) model(a *cli.App) (canon.Value, error) {
	if c.Provider == "" {
		return canon.Value{}, nil
	}
	registries, err := c.registries(a)
	if err != nil {
		return canon.Value{}, err
	}
	model := ObjectOf("provider", canon.String(c.Provider))
	known := registries[aaif.Providers]
	switch e, ok := known.Entry(c.Provider); {
	case ok && (e.Status == aaif.StandardEntry || e.Status == aaif.DeprecatedEntry):
	case ok:
		a.Say("%s is %s in the registry, and as long as it is it is written as custom, with its name as provider_id", cli.OneLine(c.Provider, 80), cli.Clean(string(e.Status)))
		model = customProvider(c.Provider)
	default:
		var ids []string
		for _, e := range known.Entries {
			ids = append(ids, e.ID)
		}
		meant := codec.ClosestWord(c.Provider, ids)
		if meant != "" {
			meant = "; did you mean " + cli.Clean(meant) + "?"
		}
		a.Warn("%s is no provider of the registry, and becomes custom, with its name as provider_id%s", cli.OneLine(c.Provider, 80), meant)
		model = customProvider(c.Provider)
	}
	if c.Model != "" {
		model = model.With("preferred", canon.String(c.Model))
	}
	return model, nil
}

func customProvider(name string) canon.Value {
	return ObjectOf("provider", canon.String(aaif.CustomProvider), "provider_id", canon.String(name))
}
