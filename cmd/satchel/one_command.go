package main

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// oneParser returns the parser of the one command that the arguments name, and the flags
// that it reads. There is none if the arguments ask for help, and for the commands that list
// all others.
func oneParser(args []string, out, messages io.Writer) (*kong.Kong, *sharedFlags) {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--help") || strings.HasPrefix(arg, "-h") }) {
		return nil, nil
	}
	all := reflect.TypeFor[commands]()
	named, after := namedCommand(all, args)
	shared, _ := all.FieldByName("Shared")
	fields := []reflect.StructField{shared}
	switch {
	case named.Tag.Get("group") == "terminal":
		return nil, nil
	case named.Type != nil:
		fields = append(fields, named)
	case !slices.Contains(args, "--version"):
		return nil, nil
	}
	one := reflect.New(reflect.StructOf(fields))
	options := []kong.Option{kong.PostBuild(withoutHelp)}
	if named.Type != nil {
		options = append(options, kong.IgnoreFields(otherCommands(named.Type, after)...))
	}
	return newParser(one.Interface(), out, messages, options...), one.Elem().Field(0).Addr().Interface().(*sharedFlags)
}

// otherCommands returns expressions for [kong.IgnoreFields], one for each level of commands
// below the first. They match the fields of all commands that the arguments do not name.
func otherCommands(level reflect.Type, args []string) (others []string) {
	for {
		named, after := namedCommand(level, args)
		if named.Type == nil {
			return others
		}
		others = append(others, fieldsBut(level, named.Name))
		level, args = named.Type, after
	}
}

// namedCommand returns the field of the command of a level that the arguments name, and the
// arguments after the name. If the argument is something else, such as the value of a flag,
// the command line does not parse with this command alone.
func namedCommand(level reflect.Type, args []string) (reflect.StructField, []string) {
	for i, arg := range args {
		for _, part := range partsOf(level) {
			for field := range part.Fields() {
				if isCommand(field) && commandName(field) == arg {
					return field, args[i+1:]
				}
			}
		}
	}
	return reflect.StructField{}, nil
}

// partsOf returns the structs that hold the commands of a level: its own, and those that are
// embedded in it.
func partsOf(level reflect.Type) []reflect.Type {
	parts := []reflect.Type{level}
	for field := range level.Fields() {
		if field.Anonymous && !isCommand(field) {
			parts = append(parts, partsOf(field.Type)...)
		}
	}
	return parts
}

// fieldsBut returns an expression for the commands of a level except those of one field. The
// parser takes embedded fields for those of the level.
func fieldsBut(level reflect.Type, name string) string {
	var others []string
	for _, part := range partsOf(level) {
		for field := range part.Fields() {
			if isCommand(field) && field.Name != name {
				others = append(others, field.Name)
			}
		}
	}
	return `^` + level.Name() + `\.(?:` + strings.Join(others, "|") + `)$`
}

func isCommand(field reflect.StructField) bool {
	_, ok := field.Tag.Lookup("cmd")
	return ok
}

func commandName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	return strings.ToLower(field.Name)
}
