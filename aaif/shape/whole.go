package shape

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostDocuments is how many other documents a schema may refer to, directly and through each other.
const mostDocuments = 32

// Documents returns the document at an address; undefined: it is not here.
type Documents func(address string) canon.Value

// Whole returns a schema together with the documents that it refers to, as JSON Schema 2020-12
// bundles them (section 9.3.1): below $defs, each under an $id of its own. A reference to a
// document that is not here stays, and [Compile] refuses the schema. A schema without such
// references is returned as it is.
func Whole(v canon.Value, documents Documents) canon.Value {
	base, err := url.Parse(ownID)
	if documents == nil || err != nil || v.Type() != canon.TypeObject {
		return v
	}
	w := &whole{documents: documents, ids: map[string]string{}}
	w.note(v, base)
	with := w.walk(v, base)
	if len(w.parts) == 0 {
		return v
	}
	below := "$defs"
	if isOld(v) {
		below = "definitions"
	}
	return with.With(below, canon.Object(append(with.Get(below).Members(), w.parts...)...))
}

// whole is a schema while it is put together.
type whole struct {
	documents Documents
	ids       map[string]string // the $id of what is here, by that and by the address it was asked for
	asked     int
	parts     []canon.Member
}

// isOld reports whether a schema is of a draft that keeps parts below definitions.
func isOld(v canon.Value) bool { return strings.Contains(v.Get("$schema").Text(), "/draft-0") }

// idOf returns the base of the references in a part of a schema.
func idOf(v canon.Value, base *url.URL) *url.URL {
	id := v.Get("$id")
	if id.Type() != canon.TypeString {
		return base
	}
	u, err := base.Parse(id.Text())
	if err != nil {
		return base
	}
	return bare(u)
}

// bare returns an address without its fragment.
func bare(u *url.URL) *url.URL {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	return &c
}

// note records the ids that a document gives to its own parts. References to them lead to no other
// document.
func (w *whole) note(v canon.Value, base *url.URL) {
	if v.Get("$id").Type() == canon.TypeString {
		base = idOf(v, base)
		w.ids[base.String()] = base.String()
	}
	for _, m := range v.Members() {
		w.note(m.Value, base)
	}
	for _, item := range v.Items() {
		w.note(item, base)
	}
}

// walk returns a part of a schema whose references name documents by their $id.
func (w *whole) walk(v canon.Value, base *url.URL) canon.Value {
	switch v.Type() {
	case canon.TypeObject:
		base = idOf(v, base)
		var members []canon.Member
		for _, m := range v.Members() {
			if m.Name == "$ref" && m.Value.Type() == canon.TypeString {
				m.Value = w.refer(m.Value, base)
			} else {
				m.Value = w.walk(m.Value, base)
			}
			members = append(members, m)
		}
		return canon.Object(members...)
	case canon.TypeArray:
		var items []canon.Value
		for _, item := range v.Items() {
			items = append(items, w.walk(item, base))
		}
		return canon.Array(items...)
	}
	return v
}

// refer returns a reference, and adds the document that it leads to.
func (w *whole) refer(ref canon.Value, base *url.URL) canon.Value {
	to, err := base.Parse(ref.Text())
	if err != nil || bare(to).String() == base.String() {
		return ref
	}
	id, here := w.add(bare(to))
	if !here {
		return ref
	}
	if to.Fragment != "" {
		id += "#" + to.EscapedFragment()
	}
	return canon.String(id)
}

// add adds the document at an address, with those that it refers to, and returns its $id.
func (w *whole) add(at *url.URL) (id string, here bool) {
	address := at.String()
	if id, here = w.ids[address]; here {
		return id, true
	}
	if w.asked++; w.asked > mostDocuments {
		return "", false
	}
	v := w.documents(address)
	switch v.Type() {
	case canon.TypeUndefined:
		return "", false
	case canon.TypeBool: // as an object, which can have an $id
		rule := canon.Object()
		if !v.True() {
			rule = canon.Object(canon.Member{Name: "not", Value: canon.Object()})
		}
		v = rule
	}
	base := idOf(v, at)
	id = base.String()
	if _, twice := w.ids[id]; twice && id != address {
		w.ids[address] = id
		return id, true
	}
	w.note(v, at)
	w.ids[address], w.ids[id] = id, id
	name := "$id"
	if strings.Contains(v.Get("$schema").Text(), "/draft-04/") {
		name = "id"
	}
	v = w.walk(v, at).With(name, canon.String(id))
	w.parts = append(w.parts, canon.Member{Name: id, Value: v})
	return id, true
}

// Path returns the path of the copy of the document at an address, in a folder of copies: the host
// and the path of the address, with index.html behind a slash at the end. "" stands for an address
// without a copy: it is not of https or http, has a port or a query, or is no file name everywhere.
func Path(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Host == "" {
		return ""
	}
	p := strings.ToLower(u.Host) + u.Path
	if u.Path == "" || strings.HasSuffix(u.Path, "/") {
		p = strings.TrimSuffix(p, "/") + "/index.html"
	}
	if !codec.Portable(p) || strings.ContainsFunc(p, codec.IsInvisible) || strings.HasPrefix(p, ".") || len(p) > mostPath {
		return ""
	}
	return p
}

// mostPath is the longest path of a document, in bytes.
const mostPath = 512
