package aicf

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// beyond says what of a record is larger than may be read; empty: nothing.
func beyond(r memory.Record, l codec.Limits) string {
	names := []string{string(r.ID), string(r.Scope.Owner), r.Scope.User, r.Scope.Project, r.Scope.Agent, r.Scope.Session}
	for _, rel := range r.Relations {
		names = append(names, rel.Type, rel.Target)
	}
	for _, name := range names {
		if len(name) > l.Name {
			return "makes a longer name than may be read"
		}
	}
	switch {
	case int64(len(r.Form())) > l.Record:
		return "makes a larger record than may be read"
	case len(r.Body.Text) > l.Text:
		return "makes a longer text than may be read"
	case max(len(r.Relations), len(r.Supersedes), len(r.SupersededBy)) > l.Items:
		return "makes a record with more items than may be read"
	}
	return ""
}
