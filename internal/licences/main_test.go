package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestEveryModule requires terms of use for each module of the program, and terms that a
// release fulfils.
func TestEveryModule(t *testing.T) {
	all, err := modules()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Fatalf("the program is built from %v alone", all)
	}
	for _, m := range all {
		var out bytes.Buffer
		if err := m.write(&out); err != nil {
			t.Error(err)
		}
		if !known(out.String()) {
			t.Errorf("the terms of %s are not known here: read them before the program is built with it", m.path)
		}
	}
}

// known reports whether a text is that of MIT, BSD, ISC, Apache 2.0, Unlicense, CC0, WordNet,
// or MPL 2.0, which asks for the place of the source text.
func known(text string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, grant := range []string{
		"Permission is hereby granted, free of charge", "Redistribution and use in source and binary forms",
		"Permission to use, copy, modify, and", "Permission to use, copy, modify and distribute this software and database", "Apache License Version 2.0", "free and unencumbered software released into the public domain",
		"CC0 1.0 Universal", "Mozilla Public License Version 2.0",
	} {
		if strings.Contains(text, grant) {
			return !strings.Contains(text, "GNU GENERAL PUBLIC LICENSE") && !strings.Contains(text, "GNU AFFERO")
		}
	}
	return false
}

func TestWithoutTerms(t *testing.T) {
	var out bytes.Buffer
	if err := (module{"example.org/none", "v1.0.0", t.TempDir()}).write(&out); err == nil || !strings.Contains(err.Error(), "example.org/none v1.0.0 says no licence") {
		t.Errorf("%v", err)
	}
}
