package umpmcp

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const (
	defaultBudget = 1500   // tokens of an answer, if a model names no budget
	leastBudget   = 150    // the frame and a few words of one memory
	mostBudget    = 25_000 // the limit for larger budgets
	tokenBytes    = 4      // bytes of a token, everywhere in this package
)

// tokensOf returns how many tokens a text of so many bytes has, in words.
func tokensOf(bytes int) string { return strconv.Itoa((bytes + tokenBytes - 1) / tokenBytes) }

// question is a call of a model: the protocol's request, and the part of the answer to
// show.
type question struct {
	body   []byte
	full   bool // whole records as JSON
	offset int  // the character at which the shown text of a record begins
	budget int  // tokens of the answer
}

// request turns a model's arguments into the protocol's request. It passes on arguments
// that are not an object: ump.Dispatch refuses them.
func (m *modelView) request(ctx context.Context, op ump.Operation, c memory.Caller, arguments []byte) (question, error) {
	q := question{body: arguments, budget: defaultBudget}
	v, err := canon.Parse(arguments, canon.Options{Bytes: int64(len(arguments))})
	if err != nil || v.Type() != canon.TypeObject {
		return q, nil
	}
	if err = ump.CheckRequest(op, v, m.listed[op]); err != nil {
		return q, err
	}
	if v, err = q.read(op, v); err != nil {
		return q, err
	}
	if v, err = nestArguments(op, v); err != nil {
		return q, err
	}
	if v, err = m.wholeIDs(ctx, c, v); err != nil {
		return q, err
	}
	q.body = v.Append(nil)
	return q, nil
}

// keepSecrets is an argument that no schema lists, because only the owner may use it. The
// operation refuses it to agents.
const keepSecrets = "keep_secrets"

// read moves the arguments about the answer from the request into the question. A recall
// that asks for the protocol's own frame keeps its budget.
func (q *question) read(op ump.Operation, v canon.Value) (canon.Value, error) {
	if op != ump.OpRecall && op != ump.OpGet {
		return v, nil
	}
	var err error
	if q.budget, err = wholeNumber(v, "budget", defaultBudget); err != nil {
		return v, err
	}
	q.budget = min(max(q.budget, leastBudget), mostBudget)
	if op == ump.OpRecall && v.Get("format").Text() == "framed" {
		return v.With("budget", canon.Int(int64(q.budget))), nil
	}
	v = v.Without("budget")
	if isLeftOut(v.Get("limit")) {
		v = v.Without("limit")
	}
	if op == ump.OpGet {
		if q.offset, err = wholeNumber(v, "offset", 0); err != nil {
			return v, err
		}
		v = v.Without("offset")
	}
	switch view := v.Get("view"); {
	case view.Text() == "full":
		q.full = true
	case op == ump.OpGet && view.Text() == string(memory.OriginView):
		q.full = true
		return v, nil
	case !isLeftOut(view) && view.Text() != string(memory.CurrentView):
		return v, argumentError("view", `use "full" for whole signed records, or leave it out`)
	}
	return v.Without("view"), nil
}

// wholeNumber reads a whole number, which models also send as a text. It reduces a number
// that is too large to the largest one.
func wholeNumber(v canon.Value, name string, without int) (int, error) {
	said := v.Get(name)
	if isLeftOut(said) {
		return without, nil
	}
	text := strings.TrimSpace(said.Text())
	if said.Type() == canon.TypeNumber {
		text = said.Spelling()
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n != math.Trunc(n) {
		return 0, argumentError(name, "send a whole number, such as 1500")
	}
	return int(min(n, math.MaxInt32)), nil
}

// isLeftOut reports whether an optional argument is missing, null or blank. Models send
// "" for arguments that they do not need.
func isLeftOut(v canon.Value) bool {
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull:
		return true
	case canon.TypeString:
		return strings.TrimSpace(v.Text()) == ""
	}
	return false
}

func argumentError(name, message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Path: "/" + name, Rule: "UMP-3-1", Message: name + ": " + message}
}

// flatName is an argument for models and its pointer in the protocol's request.
type flatName struct{ name, place string }

// flatNames returns the arguments that have another pointer in the protocol's request.
func flatNames(op ump.Operation) []flatName {
	record := func(base string) []flatName {
		return []flatName{
			{"text", base + "/body/text"}, {"kind", base + "/kind"}, {"project", base + "/scope/project"},
			{"valid_from", base + "/time/valid_from"}, {"valid_to", base + "/time/valid_to"},
		}
	}
	switch op {
	case ump.OpRecall:
		return []flatName{{"project", "/scope/project"}, {"kind", "/filter/kind"}, {"valid_at", "/filter/valid_at"}}
	case ump.OpRemember:
		return record("/record")
	case ump.OpRevise:
		return record("/patch")
	}
	return nil
}

// nestArguments moves flat arguments to their pointers in the protocol's request. It also
// accepts the protocol's own form, and both together if they agree. A flat argument that
// is null or blank counts as left out, except for a blank text.
func nestArguments(op ump.Operation, v canon.Value) (canon.Value, error) {
	if op == ump.OpRemember && !v.Has("record") {
		v = bareRecord(v)
	}
	for _, f := range flatNames(op) {
		said := v.Get(f.name)
		v = v.Without(f.name)
		if isLeftOut(said) {
			if f.name != "text" || said.Type() != canon.TypeString {
				continue
			}
			said = canon.String("") // the operation refuses it
		}
		placed, ok := setMember(v, strings.Split(f.place[1:], "/"), said)
		if !ok {
			return v, argumentError(f.name, f.place+" says something else; send one of them")
		}
		v = placed
	}
	if op == ump.OpRevise && v.Get("patch").Len() == 0 {
		return v, argumentError("text", "say what changes: text, kind, project, valid_from or valid_to")
	}
	return v, nil
}

// bareRecord puts the members of a request without "record" into one. Members of the
// request stay outside. It moves a signed record as a whole.
func bareRecord(v canon.Value) canon.Value {
	if isSigned(v) {
		return canon.Object(canon.Member{Name: "record", Value: v})
	}
	outside := []string{keepSecrets}
	for _, f := range flatNames(ump.OpRemember) {
		outside = append(outside, f.name)
	}
	record, request := v, []canon.Member{}
	for _, m := range v.Members() {
		if slices.Contains(outside, m.Name) {
			request = append(request, m)
			record = record.Without(m.Name)
		}
	}
	return canon.Object(append([]canon.Member{{Name: "record", Value: record}}, request...)...)
}

// isSigned reports whether a record carries integrity.
func isSigned(record canon.Value) bool {
	t := record.Get("integrity").Type()
	return t != canon.TypeUndefined && t != canon.TypeNull
}

// setMember sets the member at path. It fails if there is another value already, or if
// the value around it is not an object.
func setMember(v canon.Value, path []string, said canon.Value) (canon.Value, bool) {
	switch v.Type() {
	case canon.TypeObject, canon.TypeUndefined, canon.TypeNull:
	default:
		return v, false
	}
	inner := v.Get(path[0])
	if len(path) == 1 {
		free := inner.Type() == canon.TypeUndefined || inner.Type() == canon.TypeNull
		return v.With(path[0], said), free || canon.Equal(inner, said)
	}
	inner, ok := setMember(inner, path[1:], said)
	return v.With(path[0], inner), ok
}

// flatPath replaces the pointers in an operation's message by the names of flat
// arguments. It replaces whole pointers outside quotation marks: anything else may be the
// user's text.
func flatPath(op ump.Operation, message string) string {
	for _, f := range flatNames(op) {
		for from := 0; ; {
			i := strings.Index(message[from:], f.place)
			if i < 0 {
				break
			}
			start := from + i
			end := start + len(f.place)
			from = end
			if isPlace(message, start, end) {
				message = message[:start] + f.name + message[end:]
				from = start + len(f.name)
			}
		}
	}
	return strings.TrimPrefix(message, "/")
}

// isPlace reports whether a part of a message is a whole pointer outside quotation marks.
func isPlace(message string, start, end int) bool {
	const after = " .,:;?!)"
	return (start == 0 || message[start-1] == ' ' || message[start-1] == '(') &&
		(end == len(message) || strings.IndexByte(after, message[end]) >= 0) &&
		strings.Count(message[:start], `"`)%2 == 0
}

// wholeIDs replaces short IDs in a request.
func (m *modelView) wholeIDs(ctx context.Context, c memory.Caller, v canon.Value) (canon.Value, error) {
	if id := v.Get("id"); id.Type() == canon.TypeString {
		whole, err := m.find(ctx, c, id.Text())
		if err != nil {
			return v, err
		}
		v = v.With("id", canon.String(string(whole)))
	}
	prior := v.Get("record").Get("supersedes")
	if isSigned(v.Get("record")) || prior.Type() != canon.TypeArray {
		return v, nil
	}
	items := slices.Clone(prior.Items())
	for i, item := range items {
		if item.Type() != canon.TypeString {
			return v, nil
		}
		whole, err := m.find(ctx, c, item.Text())
		if err != nil {
			return v, err
		}
		items[i] = canon.String(string(whole))
	}
	return v.With("record", v.Get("record").With("supersedes", canon.Array(items...))), nil
}

// find returns the ID that a model means. It passes on a whole ID of a record that is not
// readable: the operation refuses it.
func (m *modelView) find(ctx context.Context, c memory.Caller, name string) (memory.ID, error) {
	id, err := m.backend.Find(ctx, c, name)
	switch memory.KindOf(err) {
	case memory.NotFound, memory.ForbiddenScope:
		if whole := memory.ID(strings.TrimSpace(name)); strings.HasPrefix(string(whole), memory.IDPrefix) {
			return whole, nil
		}
	}
	return id, err
}
