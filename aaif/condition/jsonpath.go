package condition

import (
	"sync"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/parser"
	"github.com/theory/jsonpath/spec"
)

// pathProgram is a JSONPath query (RFC 9535). It is true if it selects anything, whatever
// the values are (AAIF-5-5). Its selectors count in one gauge, so that it decides one
// payload at a time.
type pathProgram struct {
	mu    sync.Mutex
	gauge *gauge
	path  *jsonpath.Path
	plain *spec.PathQuery // as parsed
}

func compileJSONPath(text string, limits Limits) (program, *Error) {
	if nesting(text, `'"`) > limits.Nesting {
		return nil, failure(Limit, JSONPath, "brackets lie more than %d deep", limits.Nesting)
	}
	g := &gauge{}
	query, err := parser.Parse(g.functions(), text)
	if err != nil {
		return nil, failure(Parse, JSONPath, "%v", err)
	}
	return &pathProgram{gauge: g, path: jsonpath.New(g.query(query)), plain: query}, nil
}

func (p *pathProgram) eval(payload Payload, m *meter) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gauge.meter, p.gauge.size = m, payload.size
	defer func() { p.gauge.meter = nil }()
	var root any = payload.object()
	return len(p.path.Select(root)) > 0, nil
}

// reads returns the first name of the query, and how it uses the root.
func (p *pathProgram) reads() scope {
	segments := p.plain.Segments()
	if len(segments) == 0 || segments[0].IsDescendant() {
		return scope{open: true}
	}
	var s scope
	for _, selector := range segments[0].Selectors() {
		switch selector := selector.(type) {
		case spec.Name:
			s.names = append(s.names, string(selector))
		case spec.Index, spec.SliceSelector:
			s.listed = true
		case *spec.FilterSelector:
			s.filtered, s.open = true, true
		default:
			s.open = true
		}
	}
	s.bare = onlyNames(segments)
	return s
}

func (p *pathProgram) asks() term { return pathTerm(p.plain) }

// onlyNames reports whether a query consists of names, so that it only asks whether a
// value exists.
func onlyNames(segments []*spec.Segment) bool {
	for _, segment := range segments {
		for _, selector := range segment.Selectors() {
			if _, ok := selector.(spec.Name); !ok {
				return false
			}
		}
	}
	return true
}
