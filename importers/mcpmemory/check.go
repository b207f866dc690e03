package mcpmemory

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// The rules of this format, as the package comment lists them.
const (
	ruleJSON     = "MCPMEM-1"
	ruleType     = "MCPMEM-2"
	ruleEntity   = "MCPMEM-3"
	ruleRelation = "MCPMEM-4"
	ruleLimit    = "MCPMEM-5"
	ruleGraph    = "MCPMEM-6"
	ruleDraft    = "MCPMEM-7"
)

// place is the place of a value: in a line, or in an object of two lists.
type place struct {
	line    int    // from 1; 0 in the older object
	pointer string // from the start of the document: "/2", "/entities/0"
}

// checker collects the violations of one value.
type checker struct {
	place  place
	limits codec.Limits
	strict bool
	mend   bool // an entity loses the observations that it cannot have, and nothing else
	found  []*codec.ParseError
	left   []*codec.ParseError // of such observations
}

func newChecker(at place, opt codec.Options) *checker {
	return &checker{place: at, limits: opt.Limits, strict: opt.Strict, mend: opt.Mend}
}

// add adds a violation at pointer, which starts at the value.
func (c *checker) add(rule, pointer string, err error) {
	c.found = append(c.found, violation(rule, c.place, pointer, err))
}

func violation(rule string, at place, pointer string, err error) *codec.ParseError {
	path := at.pointer + pointer
	if at.line > 0 {
		path = strings.TrimSpace(fmt.Sprintf("line %d %s", at.line, pointer))
	}
	return &codec.ParseError{Format: formatName, Path: path, Rule: rule, Err: err}
}

// line turns a line's object into an entity or a relation (MCPMEM-2).
func (c *checker) line(v canon.Value) (it item) {
	it = item{place: c.place, name: aLine}
	switch kind := v.Get("type"); {
	case v.Type() != canon.TypeObject:
		c.add(ruleJSON, "", fmt.Errorf("%s found where an object is wanted; write one entity or relation per line", v.Type()))
	case kind.Text() == "entity":
		it.name, it.entity = codec.PartName("an entity", v), c.entity(v)
	case kind.Text() == "relation":
		it.name, it.relation = "a relation", c.relation(v)
	default:
		c.add(ruleType, "/type", errors.New(`neither "entity" nor "relation"; mend or remove the line`))
	}
	it.left = c.left
	return it
}

// entity checks MCPMEM-3.
func (c *checker) entity(v canon.Value) *entity {
	e := &entity{Name: c.name(ruleEntity, v, "name"), Type: c.word(ruleEntity, v, "entityType")}
	list := v.Get("observations")
	if list.Type() != canon.TypeArray {
		c.add(ruleEntity, "/observations", wanted("a list of strings", list))
	} else if list.Len() > c.limits.Items {
		c.add(ruleLimit, "/observations", fmt.Errorf("more than %d observations; split the entity, or raise the limit", c.limits.Items))
	} else {
		e.Observations = c.observations(list.Items(), len(e.Name))
	}
	c.fits(e.title())
	e.Rest = c.rest(v, "type", "name", "entityType", "observations")
	return e
}

func (c *checker) observations(items []canon.Value, name int) []string {
	out := make([]string, 0, len(items))
	for i, v := range items {
		pointer := "/observations/" + strconv.Itoa(i)
		switch {
		case v.Type() != canon.TypeString:
			c.observe(ruleEntity, pointer, wanted("a string", v))
		case name+len(": ")+len(v.Text()) > c.limits.Text:
			c.observe(ruleLimit, pointer, fmt.Errorf("makes a text of more than %d bytes; split it, or raise the limit", c.limits.Text))
		default:
			out = append(out, v.Text())
		}
	}
	return out
}

// observe adds the violation of an observation.
func (c *checker) observe(rule, pointer string, err error) {
	if c.mend {
		c.left = append(c.left, violation(rule, c.place, pointer, err))
		return
	}
	c.add(rule, pointer, err)
}

// relation checks MCPMEM-4.
func (c *checker) relation(v canon.Value) *relation {
	r := &relation{
		From: c.name(ruleRelation, v, "from"),
		To:   c.name(ruleRelation, v, "to"),
		Type: c.name(ruleRelation, v, "relationType"),
	}
	c.fits(r.sentence())
	r.Rest = c.rest(v, "type", "from", "to", "relationType")
	return r
}

// fits checks the length of a text made of names.
func (c *checker) fits(text string) {
	if len(text) > c.limits.Text {
		c.add(ruleLimit, "", fmt.Errorf("makes a text of more than %d bytes; shorten the names, or raise the limit", c.limits.Text))
	}
}

// name reads a string that must not be blank.
func (c *checker) name(rule string, v canon.Value, member string) string {
	s := c.word(rule, v, member)
	if v.Get(member).Type() == canon.TypeString && strings.TrimSpace(s) == "" {
		c.add(rule, "/"+member, errors.New("blank; name it, or remove the line"))
	}
	return s
}

// word reads a string of bounded length.
func (c *checker) word(rule string, v canon.Value, member string) string {
	s := v.Get(member)
	switch {
	case s.Type() != canon.TypeString:
		c.add(rule, "/"+member, wanted("a string", s))
	case len(s.Text()) > c.limits.Name:
		c.add(ruleLimit, "/"+member, fmt.Errorf("longer than %d bytes; shorten it, or raise the limit", c.limits.Name))
	}
	return s.Text()
}

// rest returns the members that are not among known. The reader keeps them, and only strict
// validation reports them.
func (c *checker) rest(v canon.Value, known ...string) []canon.Member {
	for _, name := range known {
		v = v.Without(name)
	}
	if c.strict {
		for _, m := range v.Members() {
			c.add(ruleJSON, canon.Pointer(m.Name), errors.New("unknown member; it is kept as residue"))
		}
	}
	return v.Members()
}

func wanted(what string, v canon.Value) error {
	if v.Type() == canon.TypeUndefined {
		return fmt.Errorf("missing; %s is wanted", what)
	}
	return fmt.Errorf("%s found where %s is wanted", v.Type(), what)
}
