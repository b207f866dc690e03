package main

import (
	"bytes"
	"fmt"
	"strings"
)

const preface = `# Conformance

What Satchel keeps of the specifications that it implements, requirement by requirement, and the test that shows it.
This page is written by ` + "`make docs`" + `; do not edit it. The keyword is the specification's; IMPLIED marks what it says without one. The words are ours, the
specification's decide.
`

const prefaceProofs = `
Of %d rows that are tested, %d have a proof: [proof.tsv](requirements/proof.tsv) says how to break the rule in the program, and which test then fails;
` + "`make proof`" + ` tries it. %d have a reason why nothing breaks them instead, in [proof-notes.tsv](requirements/proof-notes.tsv).
`

const prefaceUMP = `
# Universal Memory Protocol 0.1

A row belongs to the lowest level that cannot be claimed without it: L0 portable record, L1 core, L2 standard, L3 full. Every record is
signed when it is written, from level 2 on; the rows about hashes and signatures are therefore counted with level 2, those about
verification on read with level 3.
`

const prefaceAIMEM = `
# AIMEM Bundle Format, version 1

A row belongs to a level: L1 is asked of a Producer, L2 of a Consumer, L3 of a Bidirectional implementation.
`

const prefaceEngram = `
# Engram Standard, version 0.1

A row belongs to a tier: L1 is asked where a Reader starts, L2 where a Writer does, L3 for Full. ROADMAP marks what the text announces for later
versions.
`

const prefaceAICF = `
# AI Context Format, version 3.1

The text has no levels. Here L1 is asked of a program that reads such files, L2 of one that writes them, and L3 of what works on them: migration,
distilling, redaction, access.
`

const prefaceAAIF = `
# Autonomous Agent Interchange Format (AAIF, SC-006), version 3.4

A row belongs to the lowest of seven levels that cannot be claimed without it; Observable stands beside Multi-agent, not above it. Satchel keeps,
checks, converts, negotiates and moves agents and their states, and runs them. Memory of runs, agents that work together, jobs, traces and evaluation are
*pending*, and so are rows of which a part asks for them. A pending row is not met. Sections of edition 3.4.0 are those of the repository of schemas.
`

// Markdown renders the report.
func (r *Report) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	fmt.Fprintf(&b, prefaceProofs, r.Tested(), r.Proven(), len(r.Spared))
	for _, s := range specifications() {
		b.WriteString(s.preface)
		r.part(&b, s)
	}
	return b.Bytes()
}

// part renders the rows of one specification.
func (r *Report) part(b *bytes.Buffer, s specification) {
	r.summary(b, s)
	section := ""
	for _, row := range r.Rows {
		if !strings.HasPrefix(row.ID, s.prefix) {
			continue
		}
		if row.Section != section {
			section = row.Section
			fmt.Fprintf(b, "\n## %s\n\n| id | keyword | level | what | tested in |\n|---|---|---|---|---|\n", section)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", row.ID, row.Keyword, row.Level, cell(row.What), r.where(row))
	}
}

func (r *Report) summary(b *bytes.Buffer, s specification) {
	b.WriteString("\n| level | rows | tested | explained | pending | open |\n|---|---|---|---|---|---|\n")
	for _, level := range s.levels {
		rows, tested, explained, later := 0, 0, 0, 0
		for _, row := range r.Rows {
			switch {
			case row.Level != level || !strings.HasPrefix(row.ID, s.prefix):
				continue
			case r.tested(row):
				tested++
			case r.pending(row):
				later++
			case r.explained(row):
				explained++
			}
			rows++
		}
		if rows == 0 { // the specification has no such level
			continue
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d |\n", level, rows, tested, explained, later, rows-tested-explained-later)
	}
}

// where says, package by package, where tests cover a row, or why none do.
func (r *Report) where(row Row) string {
	claims := r.Claims[row.ID]
	switch {
	case len(claims) == 0 && r.pending(row):
		return "*" + cell(r.Notes[row.ID]) + "*"
	case len(claims) == 0:
		return "*not yet: " + cell(r.Notes[row.ID]) + "*"
	}
	var parts []string
	last := ""
	for _, claim := range claims {
		folder, test, _ := strings.Cut(claim, " ")
		switch {
		case strings.HasSuffix(folder, ".txt"):
			parts = append(parts, "script `"+folder+"`")
		case test == "":
			parts = append(parts, "vectors in `"+folder+"`")
		case folder == last:
			parts[len(parts)-1] += ", " + test
		default:
			parts = append(parts, "`"+folder+"` "+test)
		}
		last = folder
	}
	if r.inPart(row.ID) {
		parts = append(parts, "*"+cell(r.Notes[row.ID])+"*")
	}
	return strings.Join(parts, "; ")
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
