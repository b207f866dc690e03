package main

import (
	"fmt"
	"strings"
)

// header says in every generated file where it comes from.
const header = "Made by go generate ./clients from the description of the server. Do not edit."

// python returns the types and methods of the client for Python.
func (a *api) python() string {
	var b strings.Builder
	b.WriteString(`"""Types and methods of the client. ` + header + `"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .core import Core, path

`)
	for _, s := range a.shapes {
		s.python(&b)
	}
	b.WriteString("\nclass Client(Core):\n    \"\"\"A client of one server. Its methods raise SatchelError.\"\"\"\n")
	for _, o := range a.operations {
		o.python(&b)
	}
	return b.String()
}

func (s shape) python(b *strings.Builder) {
	if s.alias.form != none {
		fmt.Fprintf(b, "\n%s = %s\n", s.name, s.alias.python(true))
		return
	}
	base := "TypedDict"
	var must, may []member
	for _, m := range s.members {
		if m.must {
			must = append(must, m)
		} else {
			may = append(may, m)
		}
	}
	if len(must) > 0 && len(may) > 0 {
		base = "_" + s.name
		fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", base)
		pythonMembers(b, must)
		must = nil
	}
	total := ""
	if len(must) == 0 {
		total = ", total=False"
	}
	fmt.Fprintf(b, "\n\nclass %s(%s%s):\n", s.name, base, total)
	if s.text != "" {
		fmt.Fprintf(b, "    %s\n\n", docString(s.text))
	}
	pythonMembers(b, append(must, may...))
}

func pythonMembers(b *strings.Builder, all []member) {
	if len(all) == 0 {
		b.WriteString("    pass\n")
	}
	for _, m := range all {
		if m.text != "" {
			fmt.Fprintf(b, "    # %s\n", oneLine(m.text))
		}
		fmt.Fprintf(b, "    %s: %s\n", m.name, m.kind.python(false))
	}
}

// python returns a type. Where it is a value, and no annotation, names are quoted.
func (k kind) python(value bool) string {
	switch k.form {
	case text:
		return "str"
	case whole:
		return "int"
	case number:
		return "float"
	case truth:
		return "bool"
	case null:
		return "None"
	case table:
		return "Dict[str, Any]"
	case list:
		return "List[" + k.of[0].python(value) + "]"
	case named:
		if value {
			return `"` + k.name + `"`
		}
		return k.name
	case words:
		return "Literal[" + quotedAll(k.words, ", ") + "]"
	case union:
		all := make([]string, len(k.of))
		for i, one := range k.of {
			all[i] = one.python(value)
		}
		return "Union[" + strings.Join(all, ", ") + "]"
	}
	return "Any"
}

func (o operation) python(b *strings.Builder) {
	arguments, where, query := []string{"self"}, `"`+o.path+`"`, []string{}
	if o.inPath != "" {
		arguments = append(arguments, o.inPath+": str")
		where = `path("` + o.path + `", ` + o.inPath + `)`
	}
	if o.body.form != none {
		arguments = append(arguments, "request: "+o.body.python(false))
	}
	if len(o.query) > 0 || o.keyed {
		arguments = append(arguments, "*")
	}
	for _, q := range o.query {
		if q.must {
			arguments = append(arguments, q.name+": "+q.kind.python(false))
		} else {
			arguments = append(arguments, q.name+": Optional["+q.kind.python(false)+"] = None")
		}
		query = append(query, `"`+q.name+`": `+q.name)
	}
	more := ""
	if len(query) > 0 {
		more += ", query={" + strings.Join(query, ", ") + "}"
	}
	if o.body.form != none {
		more += ", body=request"
	}
	if o.keyed {
		arguments = append(arguments, "idempotency_key: Optional[str] = None")
		more += ", key=idempotency_key"
	}
	fmt.Fprintf(b, "\n    def %s(%s) -> %s:\n        %s\n        return self.ask(%q, %s%s)\n",
		snake(o.name), strings.Join(arguments, ", "), o.result.python(false), docString(o.text), o.method, where, more)
}

// snake returns a name such as contextDiff as context_diff.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func docString(said string) string { return `"""` + oneLine(said) + `"""` }

func oneLine(said string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", `"""`, "'''", `\`, `\\`).Replace(said))
}

func quotedAll(all []string, by string) string {
	quoted := make([]string, len(all))
	for i, w := range all {
		quoted[i] = `"` + w + `"`
	}
	return strings.Join(quoted, by)
}
