package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/notebook"
)

// tool says where a coding assistant keeps its files, and what is in them.
type tool struct {
	name, title string // of the format
	provider    string
	files       []place
	others      []string // patterns of its files, in the project's folder, that hold no rules
	folder      string   // where Satchel writes its own files
	ruled       string   // where it writes rules, if elsewhere
	ending      string   // of their names
	names       []string // of the tool's own files and folders in a project
	marks       []string // properties that show whose file it is
	globs       string   // the property of the files that a rule is for; empty: there is none
	// added returns the properties without which the tool does not use a memory, most
	// important first.
	added func(kind memory.Kind, title string) []canon.Member
	bare  bool // patterns of files stand without quotes, which YAML refuses
}

// place is where files of a tool may be.
type place struct {
	pattern string // of paths in the source, as [path.Match] has them; ** is folders at any depth
	above   string // the folder of the project that the source is then; empty: the project's own
	marked  bool   // the name says nothing: the file needs a mark
	bank    bool   // the name says nothing: the folder needs several files of a memory bank
	named   bool   // the source's own name is that of the folder, such as .clinerules
	nested  bool   // folders in the project have such files, too
}

// Cursor returns the format of Cursor's rules.
func Cursor() codec.Format {
	return format(&tool{
		name: "cursor", title: "Cursor rules (.cursorrules, .cursor/rules)", provider: "cursor",
		others: []string{".cursor/**"},
		names:  []string{".cursorrules", ".cursor", "*.mdc"},
		folder: ".cursor/rules", ending: ".mdc", marks: []string{"alwaysApply", "globs"}, globs: "globs", bare: true,
		files: []place{
			{pattern: ".cursorrules"}, {pattern: ".cursor/rules/**/*.mdc", nested: true}, {pattern: ".cursor/rules/**/RULE.md", nested: true},
			{pattern: "rules/**/*.mdc", above: ".cursor"}, {pattern: "rules/**/RULE.md", above: ".cursor"}, {pattern: "*.mdc", above: ".cursor/rules", marked: true},
			{pattern: "**/*.mdc", above: ".cursor/rules", named: true}, {pattern: "**/RULE.md", above: ".cursor/rules", named: true}, {pattern: "RULE.md", above: ".cursor/rules", marked: true},
		},
		added: func(kind memory.Kind, title string) []canon.Member {
			return []canon.Member{{Name: "description", Value: canon.String(title)}, {Name: "alwaysApply", Value: canon.Bool(isRule(kind))}}
		},
	})
}

// Windsurf returns the format of Windsurf's rules.
func Windsurf() codec.Format {
	return format(&tool{
		name: "windsurf", title: "Windsurf rules and memories (.windsurfrules, .windsurf/rules)", provider: "windsurf",
		others: []string{".windsurf/**", ".codeium/windsurf/memories/*.pb", "windsurf/memories/*.pb"},
		names:  []string{".windsurfrules", ".windsurf", "global_rules.md"},
		folder: ".windsurf/rules", ending: ".md", marks: []string{"trigger"}, globs: "globs", bare: true,
		files: []place{
			{pattern: ".windsurfrules"}, {pattern: ".windsurf/rules/**/*.md", nested: true}, {pattern: ".windsurf/memories/*.md"}, {pattern: ".codeium/windsurf/memories/*.md"},
			{pattern: "memories/global_rules.md", above: ".codeium/windsurf"}, {pattern: "global_rules.md", above: ".codeium/windsurf/memories"},
			{pattern: "rules/*.md", above: ".windsurf", marked: true}, {pattern: "*.md", above: ".windsurf/rules", marked: true},
		},
		added: func(kind memory.Kind, title string) []canon.Member {
			trigger := "model_decision"
			if isRule(kind) {
				trigger = "always_on"
			}
			return []canon.Member{{Name: "trigger", Value: canon.String(trigger)}, {Name: "description", Value: canon.String(title)}}
		},
	})
}

// Copilot returns the format of GitHub Copilot's instructions.
func Copilot() codec.Format {
	return format(&tool{
		name: "copilot", title: "GitHub Copilot instructions (.github)", provider: "github-copilot",
		others: []string{".github/prompts/**", ".github/chatmodes/**", ".github/agents/**", ".github/instructions/**"},
		names:  []string{"copilot-instructions.md", "*.instructions.md", ".github"},
		folder: ".github/instructions", ending: ".instructions.md", marks: []string{"applyTo"}, globs: "applyTo",
		files: []place{
			{pattern: ".github/copilot-instructions.md"}, {pattern: ".github/instructions/**/*.instructions.md"},
			{pattern: "copilot-instructions.md", above: ".github"}, {pattern: "instructions/**/*.instructions.md", above: ".github"},
			{pattern: "*.instructions.md", above: ".github/instructions", marked: true},
		},
		added: func(_ memory.Kind, title string) []canon.Member {
			return []canon.Member{{Name: "applyTo", Value: canon.String("**")}, {Name: "description", Value: canon.String(title)}}
		},
	})
}

// Cline returns the format of Cline's memory bank and rules.
func Cline() codec.Format {
	return format(&tool{
		name: "cline", title: "Cline memory bank and rules (memory-bank, .clinerules)", provider: "cline",
		others: []string{".clinerules/**", "memory-bank/**"},
		names:  []string{".clinerules", "memory-bank"},
		folder: "memory-bank", ruled: ".clinerules", ending: ".md",
		files: []place{
			{pattern: "memory-bank/**/*.md"}, {pattern: ".clinerules"}, {pattern: ".clinerules/*.md"}, {pattern: ".clinerules/*.txt"},
			{pattern: "*.md", above: ".clinerules", named: true}, {pattern: "*.txt", above: ".clinerules", named: true},
			{pattern: "**/*.md", above: "memory-bank", named: true}, {pattern: "*.md", above: "memory-bank", bank: true},
		},
		added: func(memory.Kind, string) []canon.Member { return nil },
	})
}

func format(t *tool) codec.Format {
	rule := strings.ToUpper(t.name)
	shape := &notebook.Shape{
		Name: t.name, Title: t.title, Provider: t.provider, Ending: t.ending, Names: t.names,
		Rules:   notebook.Rules{UTF8: rule + "-1", Front: rule + "-2", Limit: rule + "-7", Source: rule + "-8", Draft: rule + "-9"},
		Created: []string{"created"},
		Detect:  t.detect,
		Find:    t.find,
		Read:    t.read,
		Group:   t.group,
		Restore: notebook.Rejoin(t.name, words),
		Compose: t.compose,
	}
	if t.ruled != "" {
		shape.Spare = t.folder
	}
	if t.bare {
		shape.Spell = quoteGlobs
	}
	return shape.Format()
}

// isRule reports whether memories of a kind are for every session.
func isRule(kind memory.Kind) bool { return kind == memory.Procedural || kind == memory.Identity }

// banked are the files that every memory bank has.
var banked = [...]string{"projectbrief.md", "productContext.md", "activeContext.md", "systemPatterns.md", "techContext.md", "progress.md"}

// kind returns the kind of the memories in a file.
func (t *tool) kind(name string) memory.Kind {
	switch folder, _, _ := strings.Cut(name, "/"); {
	case folder != "memory-bank":
		return memory.Procedural
	case slices.Contains([]string{"activeContext.md", "progress.md"}, path.Base(name)):
		return memory.Working
	}
	return memory.Semantic
}
