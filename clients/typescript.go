package main

import (
	"fmt"
	"strings"
)

// javaScript returns the methods of the client for TypeScript and JavaScript.
func (a *api) javaScript() string {
	var b strings.Builder
	b.WriteString("// " + header + "\nimport { Core, path } from \"./core.js\";\n\n/** A client of one server. Its methods throw SatchelError. */\nexport class Client extends Core {\n")
	for i, o := range a.operations {
		if i > 0 {
			b.WriteString("\n")
		}
		where := `"` + o.path + `"`
		if o.inPath != "" {
			where = `path("` + o.path + `", ` + o.inPath + `)`
		}
		more := []string{}
		if len(o.query) > 0 {
			names := make([]string, len(o.query))
			for i, q := range o.query {
				names[i] = q.name + ": options." + q.name
			}
			more = append(more, "query: { "+strings.Join(names, ", ")+" }")
		}
		if o.body.form != none {
			more = append(more, "body: request")
		}
		if o.keyed {
			more = append(more, "key: options.idempotencyKey")
		}
		more = append(more, "signal: options.signal")
		fmt.Fprintf(&b, "  %s(%s) {\n    return this.ask(%q, %s, { %s });\n  }\n", o.name, strings.Join(o.arguments(), ", "), o.method, where, strings.Join(more, ", "))
	}
	b.WriteString("}\n")
	return b.String()
}

// arguments are the names of a method's parameters.
func (o operation) arguments() []string {
	var all []string
	if o.inPath != "" {
		all = append(all, o.inPath)
	}
	if o.body.form != none {
		all = append(all, "request")
	}
	if o.needsOptions() {
		return append(all, "options")
	}
	return append(all, "options = {}")
}

// needsOptions reports whether one of the options must be there.
func (o operation) needsOptions() bool {
	for _, q := range o.query {
		if q.must {
			return true
		}
	}
	return false
}

// typeScript returns the types of the client.
func (a *api) typeScript() string {
	var b strings.Builder
	b.WriteString("// " + header + `
import { Core } from "./core.js";

export { SatchelError } from "./core.js";
export type { Settings } from "./core.js";

/** What every call takes. */
export interface Options {
  /** Ends the call. */
  signal?: AbortSignal;
}
`)
	for _, s := range a.shapes {
		s.typeScript(&b)
	}
	b.WriteString("\n/** A client of one server. Its methods reject with SatchelError. */\nexport declare class Client extends Core {\n")
	for _, o := range a.operations {
		o.typeScript(&b)
	}
	b.WriteString("}\n")
	return b.String()
}

func (s shape) typeScript(b *strings.Builder) {
	b.WriteString("\n")
	if s.text != "" {
		fmt.Fprintf(b, "/** %s */\n", comment(s.text))
	}
	if s.alias.form != none {
		fmt.Fprintf(b, "export type %s = %s;\n", s.name, s.alias.typeScript())
		return
	}
	fmt.Fprintf(b, "export interface %s {\n", s.name)
	for _, m := range s.members {
		typeScriptMember(b, m)
	}
	b.WriteString("}\n")
}

func typeScriptMember(b *strings.Builder, m member) {
	if m.text != "" {
		fmt.Fprintf(b, "  /** %s */\n", comment(m.text))
	}
	optional := "?"
	if m.must {
		optional = ""
	}
	fmt.Fprintf(b, "  %s%s: %s;\n", m.name, optional, m.kind.typeScript())
}

func (k kind) typeScript() string {
	switch k.form {
	case text:
		return "string"
	case whole, number:
		return "number"
	case truth:
		return "boolean"
	case null:
		return "null"
	case table:
		return "Record<string, unknown>"
	case list:
		return "Array<" + k.of[0].typeScript() + ">"
	case named:
		return k.name
	case words:
		return quotedAll(k.words, " | ")
	case union:
		all := make([]string, len(k.of))
		for i, one := range k.of {
			all[i] = one.typeScript()
		}
		return strings.Join(all, " | ")
	}
	return "unknown"
}

func (o operation) typeScript(b *strings.Builder) {
	var arguments []string
	if o.inPath != "" {
		arguments = append(arguments, o.inPath+": string")
	}
	if o.body.form != none {
		arguments = append(arguments, "request: "+o.body.typeScript())
	}
	options := "Options"
	var more []string
	for _, q := range o.query {
		optional := "?"
		if q.must {
			optional = ""
		}
		more = append(more, q.name+optional+": "+q.kind.typeScript())
	}
	if o.keyed {
		more = append(more, "idempotencyKey?: string")
	}
	if len(more) > 0 {
		options += " & { " + strings.Join(more, "; ") + " }"
	}
	mark := "?"
	if o.needsOptions() {
		mark = ""
	}
	arguments = append(arguments, "options"+mark+": "+options)
	fmt.Fprintf(b, "  /** %s */\n  %s(%s): Promise<%s>;\n", comment(o.text), o.name, strings.Join(arguments, ", "), o.result.typeScript())
}

func comment(said string) string { return strings.ReplaceAll(oneLine(said), "*/", "* /") }
