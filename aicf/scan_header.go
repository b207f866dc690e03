package aicf

import "strings"

// shape is the form of a line that begins with an at sign.
type shape uint8

const (
	noHead      shape = iota // data, not the beginning of a section
	plainHead                // @NAME or @NAME:identifier
	inlineHead               // @INSIGHTS text|…: an entry in one line
	trailedHead              // @NAME and something unexpected
	misnamed                 // @name or @name:identifier with an invalid name
)

// head is a header line: its data up to end is an at sign and the name.
type head struct {
	shape shape
	end   int
}

// headOf reads a line of data that may be a header.
func headOf(data []byte) head {
	if len(data) < 2 || data[0] != '@' {
		return head{}
	}
	end, seen := 1, classes[data[1]]
	if seen&inNames == 0 {
		return head{}
	}
	improper := seen&(later|never) != 0
	for end++; end < len(data) && classes[data[end]]&inNames != 0; end++ {
		seen |= classes[data[end]]
	}
	return head{shapeOf(data, end, !improper && seen&never == 0), end}
}

// shapeOf returns the form of a line whose name ends at end.
func shapeOf(data []byte, end int, proper bool) shape {
	switch {
	case end == len(data) || data[end] == ':':
		if !proper {
			return misnamed
		}
		return plainHead
	case !proper:
		return noHead
	case data[end] == ' ' && entryStart(data[1:end]) != "":
		return inlineHead
	case data[end] == ' ' || data[end] == '|' || data[end] == '\t':
		return trailedHead
	}
	return noHead
}

// name returns the name in the line of h.
func (h head) name(data []byte) []byte {
	if h.shape == noHead {
		return nil
	}
	return data[1:h.end]
}

// id returns the raw identifier in the line, and whether it has a colon.
func (h head) id(data []byte) ([]byte, bool) {
	if h.shape != plainHead && h.shape != misnamed || h.end == len(data) {
		return nil, false
	}
	return data[h.end+1:], true
}

// Classes of the bytes of names.
const (
	inNames = 1 << iota
	later   // allowed in a name, but not as its first byte (AICF-HDR-2)
	never   // not allowed
)

// classes holds the class of every byte.
var classes = func() (of [256]uint8) {
	for b := range of {
		switch {
		case 'A' <= b && b <= 'Z':
			of[b] = inNames
		case '0' <= b && b <= '9' || b == '_':
			of[b] = inNames | later
		case 'a' <= b && b <= 'z' || b == '-':
			of[b] = inNames | never
		}
	}
	return of
}()

// entryStart returns the beginning of an entry in a section of one-line entries; empty: it
// is no such section.
func entryStart(name []byte) string {
	switch string(name) {
	case "INSIGHTS":
		return "@INSIGHTS "
	case "DECISIONS":
		return "@DECISIONS "
	case "LINKS":
		return "@LINKS "
	}
	return ""
}

// internName returns the name as a string. It allocates nothing for names of the format.
func internName(name []byte) string {
	switch string(name) {
	case "CONVERSATION":
		return "CONVERSATION"
	case "STATE":
		return "STATE"
	case "INSIGHTS":
		return "INSIGHTS"
	case "DECISIONS":
		return "DECISIONS"
	case "LINKS":
		return "LINKS"
	case "SESSION":
		return "SESSION"
	case "EMBEDDING":
		return "EMBEDDING"
	case "CONSOLIDATION":
		return "CONSOLIDATION"
	case "AICF_VERSION":
		return "AICF_VERSION"
	case "UMP_RECORD":
		return "UMP_RECORD"
	}
	return string(name)
}

// label names a section in a finding by its header line.
func label(data []byte) string {
	h := headOf(data)
	id, _ := h.id(data)
	name := h.name(data)
	name = name[:min(len(name), 80)]
	if len(id) == 0 {
		return string(name)
	}
	decoded, _ := Unescape(string(id[:min(len(id), 80)]))
	return string(name) + " " + strings.ToValidUTF8(decoded, "?")
}
