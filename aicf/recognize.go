package aicf

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Recognize reports how likely a file is a context file, from the beginning of its unpacked
// text.
func Recognize(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	in, err := Expand(io.NewSectionReader(src.File, 0, src.Size), Options{})
	if err != nil {
		return codec.No
	}
	head, err := io.ReadAll(io.LimitReader(in, codec.HeadSize))
	if err != nil {
		return codec.No
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	if bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("[")) {
		return detectJSON(head)
	}
	return detectLine(head)
}

// sectionNames are the first sections of files of any dialect.
var sectionNames = []string{
	declarationName, sessionName, conversationName, stateName, insightsName, decisionsName, linksName, embeddingName,
	consolidationName, carriedName, "INSIGHT", "DECISION", "WORK", "MEMORY", "METADATA", "FLOW", "DETAILS", "NEXT_STEPS",
	"TRANSCRIPT", "COMMANDS", "SCHEMA", "PROJECT", "COUNTS", "CONVERSATIONS", "TECHNICAL_DECISIONS", "TASKS", "ISSUES",
	"AICF_INDEX", "HIERARCHY",
}

// detectLine decides by the first line with data (see the dialects).
func detectLine(head []byte) codec.Confidence {
	numbering := numberingOf(head)
	first, _, _ := bytes.Cut(head, []byte("\n"))
	line := strings.TrimRight(string(first), "\r")
	data := line[Numbered.numberWidth([]byte(line)):]
	if h := headerOf(data); h.shape != noHead {
		known := slices.Contains(sectionNames, h.name)
		switch {
		case h.name == declarationName:
			return codec.Certain
		case known && (numbering != NotNumbered || tables(head, h)):
			return codec.Likely
		case h.shape == plainHead && (numbering != NotNumbered || h.colon && (!strings.HasPrefix(h.rest, " ") || hasData(head))):
			return codec.Possible // an unknown section, not a mention
		}
		return codec.No
	}
	switch part := strings.Split(line, "|"); {
	case part[0] == "version" && len(part) == 2 && strings.HasPrefix(part[1], "3.0.0-alpha"):
		return codec.Certain
	case len(part) == 5 && part[1] == "CONV" && data != line:
		return codec.Likely
	case isRow(line), strings.HasPrefix(line, "# ") && Detect(head) == Rows:
		return codec.Likely
	}
	return codec.No
}

// tables reports whether unnumbered lines look like more than one word after an @.
func tables(head []byte, h header) bool {
	return h.colon || h.shape == inlineHead || hasData(head)
}

// hasData reports whether lines have fields, cells or a further header.
func hasData(head []byte) bool {
	return bytes.ContainsAny(head, "=|") || bytes.Contains(head, []byte("\n@"))
}

// detectJSON looks for a document of version 1.0: lists of conversations with decisions or
// insights, or a conversation.
func detectJSON(head []byte) codec.Confidence {
	v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize + 1, Depth: 128, Inexact: true})
	if err != nil {
		if bytes.Contains(head, []byte(`"conversations"`)) && bytes.Contains(head, []byte(`"decisions"`)) {
			return codec.Possible
		}
		return codec.No
	}
	if v.Type() == canon.TypeArray && v.Len() > 0 {
		v = v.Items()[0]
	}
	lists := 0
	for _, name := range []string{"conversations", "decisions", "insights"} {
		if v.Get(name).Type() == canon.TypeArray {
			lists++
		}
	}
	id := v.Has("id") || v.Has("sessionId") || v.Has("session_id")
	switch {
	case v.Get("aicf_version").Type() == canon.TypeString:
		return codec.Certain
	case lists >= 2:
		return codec.Likely
	case id && v.Has("messages") && (v.Has("tokens") || v.Has("tokenCount")):
		return codec.Likely
	}
	return codec.No
}

// Sectioned reports whether a file consists of numbered sections without tables, so that a [Scanner] can
// read it section by section. data is the file, or its beginning.
func Sectioned(data []byte) bool {
	data = bytes.TrimPrefix(data, byteOrderMark)
	number := Numbered.numberWidth(data)
	return numberingOf(data) == Numbered && Detect(data) != Tables && bytes.HasPrefix(data[number:], []byte("@"))
}
