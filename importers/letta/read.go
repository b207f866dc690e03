package letta

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON  = "LETTA-1"
	ruleFile  = "LETTA-2"
	ruleAgent = "LETTA-3"
	ruleBlock = "LETTA-4"
	ruleDate  = "LETTA-5"
	ruleLimit = "LETTA-6"
	ruleDraft = "LETTA-7"
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// mostQuoted bounds a file that is one string, which is held whole.
const mostQuoted = 64 << 20

// document is an opened file.
type document struct {
	*codec.JSONReader
	created time.Time // of the file; zero: unknown
	agents  []agent
	blocks  list             // of the file; an agent's own blocks are with the agent
	holders map[string][]int // the agents with a block, by its id
	seen    map[string]int   // number of uses of a reference
}

// list is a list of the file.
type list struct {
	pointer string
	at      canon.Extent
}

// newDocument reads the parts that concern the whole file.
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	d := &document{holders: map[string][]int{}, seen: map[string]int{}}
	src, mended, err := unquoted(src, opt)
	if err != nil {
		return d, err
	}
	if d.JSONReader, err = rules.JSONReader(src, opt, ruleDraft); err != nil {
		return d, err
	}
	d.Lost.Add(codec.MendedLosses("", mended)...)
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return d, err
	}
	return d, d.outline(parts)
}

// unquoted returns the file itself if a source is one string that holds it (LETTA-1).
func unquoted(src codec.Source, opt codec.Options) (inner codec.Source, mended canon.Repairs, err error) {
	if src.File == nil || src.Size > opt.Limits.Filled().Document {
		return src, mended, nil
	}
	head, err := src.Head()
	if err != nil || !strings.HasPrefix(strings.TrimLeft(string(head), " \t\r\n"), `"`) {
		return src, mended, err
	}
	if src.Size > mostQuoted {
		return src, mended, rules.Violation(ruleLimit, "", fmt.Errorf("a file in one string may take %d bytes; unpack the string", mostQuoted))
	}
	raw := make([]byte, src.Size)
	if _, err := io.ReadFull(io.NewSectionReader(src.File, 0, src.Size), raw); err != nil {
		return src, mended, fmt.Errorf("read %s: %w", src.Name, err)
	}
	opt.Limits = codec.Limits{}.Filled() // the given limits apply to the string's content
	v, mended, err := opt.JSON(raw, src.Size+1)
	if refused, ok := errors.AsType[*canon.Error](err); ok {
		return src, mended, rules.Violation(ruleJSON, refused.Pointer, refused)
	}
	src.File, src.Size = strings.NewReader(v.Text()), int64(len(v.Text()))
	return src, mended, err
}

// outline finds agents and blocks, in either shape of the file (LETTA-2).
func (d *document) outline(parts []canon.Part) error {
	known := map[string]canon.Extent{}
	for _, p := range parts {
		known[p.Name] = p.At
	}
	_, old := known["core_memory"]
	agents, listed := known["agents"]
	switch {
	case old && !listed:
		return d.agent(d.Text.Root(), "")
	case !listed:
		return rules.Violation(ruleFile, "", errors.New(`neither "agents" nor "core_memory"; name an agent file`))
	}
	for _, p := range parts {
		if err := d.beside(p); err != nil {
			return err
		}
	}
	if ok, err := d.List(ruleFile, "/agents", agents); err != nil || !ok {
		return err
	}
	all, err := d.extents(agents, "/agents")
	for i := 0; i < len(all) && err == nil; i++ {
		err = d.agentOf(all[i], "/agents/"+strconv.Itoa(i))
	}
	return err
}

// extents returns where the items of a list of bounded length lie.
func (d *document) extents(at canon.Extent, pointer string) (all []canon.Extent, err error) {
	err = d.Text.Items(at, func(_ int, at canon.Extent, _ []byte) error {
		if len(all) == d.Options.Limits.Items {
			return rules.Violation(ruleLimit, pointer, fmt.Errorf("more than %d; raise the limit", len(all)))
		}
		all = append(all, at)
		return nil
	})
	return all, err
}

// beside reads a member of the file that is no agent, or reports it as a loss.
func (d *document) beside(p canon.Part) error {
	pointer := canon.Pointer(p.Name)
	switch p.Name {
	case "agents":
	case "blocks":
		ok, err := d.List(ruleFile, pointer, p.At)
		if ok {
			d.blocks = list{pointer, p.At}
		}
		return err
	case "created_at":
		v, _, err := d.Short(p.At)
		if err == nil && v.Type() == canon.TypeString {
			err = d.made(v, pointer)
		}
		return err
	case "tools", "sources", "files", "groups", "mcp_servers":
		return d.aside(p.Name, pointer, p.At)
	default:
		if v, ok, err := d.Short(p.At); err != nil || ok && v.Len() == 0 && v.Text() == "" {
			return err
		}
		d.Lose(pointer, lossMember)
	}
	return nil
}

// aside reports the number of things of a kind that are left out.
func (d *document) aside(what, pointer string, at canon.Extent) error {
	if c, err := d.Text.Opening(at); err != nil || c != '[' {
		return err
	}
	n := 0
	err := d.Text.Items(at, func(int, canon.Extent, []byte) error { n++; return nil })
	if n > 0 {
		d.Lose(pointer, lossAside(what, strconv.Itoa(n)))
	}
	return err
}

// Walk yields the records of all blocks: those of the file, then those inside agents, each
// agent's followed by its conversation.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	if d.blocks.at.Len() > 0 && !d.Each(d.Items(d.blocks.at, d.blocks.pointer), d.block, yield) {
		return
	}
	for i, a := range d.agents {
		for _, l := range a.blocks {
			read := func(c *codec.Checker) []memory.Record { return d.blockOf(c, []int{i}) }
			if !d.Each(d.Items(l.at, l.pointer), read, yield) {
				return
			}
		}
		if !d.said(a, yield) {
			return
		}
	}
}
