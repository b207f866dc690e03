package tool

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// The limits of descriptions of OpenAPI, in bytes.
const (
	mostDescription = 4 << 20 // of one
	mostSchemas     = 4 << 20 // of what its operations take, together
)

// bindOpenAPI binds a tool of protocol openapi: one tool for each operation, or for each
// that the operator lists (AAIF-4.4-11). An operation whose security the tool's auth does
// not meet is missing (AAIF-4.4-12).
func (s *Set) bindOpenAPI(ctx context.Context, t aaif.Tool) []*offer {
	d, from, err := s.description(ctx, t)
	if err != nil {
		return s.missing(t, asError(err, aaif.ToolUnbound, NotSent))
	}
	offers, found := d.Offer(t, "", s.o.Operator.binding(s.o.Agent, t.Name).Operations)
	var list []*offer
	left := mostSchemas
	for _, offered := range offers {
		list = append(list, s.operation(t, d, offered, from, &left))
	}
	for _, wrong := range found { // the operation is not known any more, so the entry stands for it
		list = append(list, s.missing(t, fail(aaif.CodeOf(wrong), "%s", wrong.Err.Error()))...)
	}
	if len(list) == 0 {
		list = s.missing(t, fail(aaif.ToolUnbound, "the description has no operations"))
	}
	return list
}

// operation binds one operation. left is how many bytes the schemas of operations may
// still have.
func (s *Set) operation(t aaif.Tool, d openapi.Description, offered openapi.OfferedTool, from *url.URL, left *int) *offer {
	var takes openapi.Arguments
	if *left > 0 {
		takes = d.Arguments(offered.Operation)
	}
	if *left -= len(takes.Schema.Append(nil)); *left < 0 || takes.Large {
		takes = openapi.Arguments{Schema: objectSchema(), Large: true}
	}
	text := clean(offered.Text(), mostDescribed)
	if text == "" {
		text = t.Description
	}
	o := s.offer(t, fitName(offered.Name), text, takes.Schema)
	server := d.Server(offered.Operation, from)
	switch {
	case takes.Large:
		o.miss(fail(schemaUnusable, "the description is too large; the operator may list the operations that are offered"))
		return o
	case server == nil:
		o.miss(fail(aaif.ToolUnbound, "the description does not say where its server is"))
		return o
	case server.RawQuery != "" || strings.ContainsAny(server.String(), "{}"):
		o.miss(fail(aaif.ToolUnbound, "the address of the server has placeholders or a query"))
		return o
	}
	o.miss(s.reachable(server.String(), t.Auth))
	s.warnSecret(o)
	o.Nature.ReadOnly = o.Missing == nil && (o.Nature.ReadOnly || isReading(offered.Method))
	o.call = func(ctx context.Context, c Call) (Result, error) {
		q := request{method: offered.Method, key: c.Key, readOnly: o.Nature.ReadOnly, place: offered.Auth, header: http.Header{}}
		if err := q.fill(*server, offered.Path, takes, c.Arguments); err != nil {
			return Result{}, err
		}
		return s.send(ctx, t.Auth, q)
	}
	return o
}

// fill puts the arguments of an operation into a request.
func (q *request) fill(server url.URL, path string, takes openapi.Arguments, args canon.Value) error {
	var inPath []canon.Member
	query := url.Values{}
	for _, a := range takes.List {
		v := args.Get(a.Name)
		if v.Type() == canon.TypeUndefined {
			continue
		}
		switch a.In {
		case "path":
			inPath = append(inPath, canon.Member{Name: a.Key, Value: canon.String(joined(v))})
		case "query":
			texts := []string{joined(v)}
			if a.Explode {
				texts = queryTexts(v)
			}
			query[a.Key] = append(query[a.Key], texts...)
		case "header":
			q.addHeader(a.Key, joined(v))
		case "cookie":
			q.header.Add("Cookie", (&http.Cookie{Name: a.Key, Value: joined(v)}).String())
		case "body":
			q.body, q.media = v.Append(nil), takes.Media
		}
	}
	u, _, err := expand(strings.TrimRight(server.String(), "/")+path, canon.Object(inPath...))
	if err != nil {
		return err
	}
	u.RawQuery = query.Encode()
	q.url = u
	return nil
}

// addHeader adds a header of an operation. Descriptions cannot set the headers that this
// package sets, nor those of connections.
func (q *request) addHeader(name, value string) {
	if !trace.Reserved(name) {
		q.header.Add(name, value)
	}
}

// joined returns a value as text: the items of a list with commas between them.
func joined(v canon.Value) string {
	if v.Type() != canon.TypeArray {
		return queryText(v)
	}
	return strings.Join(queryTexts(v), ",")
}

// description reads the description that an endpoint names: a file in the folder of the
// options, or an address. from is the address, nil for a file.
func (s *Set) description(ctx context.Context, t aaif.Tool) (d openapi.Description, from *url.URL, err error) {
	var raw []byte
	if strings.Contains(t.Endpoint, "://") {
		raw, from, err = s.fetch(ctx, t.Endpoint)
	} else {
		raw, err = readBeside(s.o.Dir, t.Endpoint)
	}
	if err != nil {
		return d, from, err
	}
	v, err := agentspec.Read(raw, aaif.ReadOptions{Bytes: mostDescription})
	if err != nil {
		return d, from, fail(aaif.ToolUnbound, "the description is neither JSON nor YAML that is read, without anchors, aliases and tags")
	}
	d, err = openapi.Read(v)
	if err != nil {
		return d, from, fail(aaif.CodeOf(err), "%s", plainText(err))
	}
	return d, from, nil
}

// fetch reads a description at an address. It shows no credentials.
func (s *Set) fetch(ctx context.Context, address string) ([]byte, *url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, fail(egressDenied, "the endpoint is no address")
	}
	if denied := s.guard.check(u); denied != nil {
		return nil, nil, denied
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	got, err := s.guard.client(nil).Do(r)
	if err != nil {
		return nil, nil, broken(ctx, err, false)
	}
	defer func() { _ = got.Body.Close() }() // everything readable has been read
	raw, err := io.ReadAll(io.LimitReader(got.Body, mostDescription+1))
	switch {
	case err != nil:
		return nil, nil, broken(ctx, err, false)
	case got.StatusCode != http.StatusOK:
		return nil, nil, fail(Unreachable, "the description cannot be read: its server answers %d", got.StatusCode)
	case len(raw) > mostDescription:
		return nil, nil, fail(aaif.ToolUnbound, "the description has more than %d bytes", mostDescription)
	}
	return raw, got.Request.URL, nil
}

// readBeside reads a file in or below a folder.
func readBeside(dir, path string) ([]byte, error) {
	missing := fail(aaif.ToolUnbound, "there is no description of that name beside the definition")
	if dir == "" {
		return nil, missing
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing
	}
	defer func() { _ = root.Close() }() // it was only read from
	info, err := root.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, missing
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, missing
	}
	defer func() { _ = f.Close() }() // it was only read from
	raw, err := io.ReadAll(io.LimitReader(f, mostDescription+1))
	if err == nil && len(raw) > mostDescription {
		err = errors.New("the description is too long")
	}
	return raw, err
}
