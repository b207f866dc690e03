package aicf

// header is what the first line of a section says.
type header struct {
	shape shape
	name  string
	rest  string // what stands behind the name and the byte after it: with plainHead the raw identifier
	colon bool
}

// headerOf takes a line of data apart that may be a header or an entry.
func headerOf(text string) header {
	if text == "" || text[0] != '@' {
		return header{}
	}
	data := []byte(text)
	h := headOf(data)
	if h.shape == noHead {
		return header{}
	}
	_, colon := h.id(data)
	return header{shape: h.shape, name: interned(h.name(data)), rest: text[min(h.end+1, len(text)):], colon: colon}
}

// identifier returns the identifier in the header, decoded; empty: it has none.
func (h header) identifier() string {
	if !h.colon || h.shape != plainHead {
		return ""
	}
	id, _ := Unescape(h.rest)
	return id
}
