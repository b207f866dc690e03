package umpmcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// refusal is an error of JSON-RPC for a message that the server does not pass to the
// SDK.
type refusal struct {
	id    json.RawMessage // of the call, in its spelling; nil: null
	fault *jsonrpc.Error
}

// line returns the answer without the end of the line.
func (r refusal) line() ([]byte, error) {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": r.fault})
}

// Error describes the refusal.
func (r *refusal) Error() string { return r.fault.Message }

func invalid(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}

// decodeMessage returns a message, or the refusal of one that the SDK cannot handle. The
// SDK would answer under another id if the id is a number that is not an int64, or a text
// that is not Unicode. The refusal has the original id. The SDK also drops an answer
// without a result.
func decodeMessage(text json.RawMessage) (jsonrpc.Message, *refusal) {
	if refused := refusalOfShape(text); refused != nil {
		return nil, refused
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		members = nil
	}
	if request := plainRequest(members); request != nil {
		return request, nil
	}
	decoded, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &refusal{idOf(text), invalid(`the line is no message of JSON-RPC 2.0; send "jsonrpc": "2.0", and as the id of a call a string or a whole number`)}
	}
	request, called := decoded.(*jsonrpc.Request)
	if called {
		if id, spelled := request.ID.Raw().(string); spelled && !strings.ContainsRune(id, utf8.RuneError) {
			return decoded, nil
		}
	}
	if members == nil {
		return nil, &refusal{fault: invalid("the line is no message of JSON-RPC 2.0")}
	}
	if called {
		return decoded, refusalOfID(members)
	}
	return decoded, refusalOfAnswer(text, members)
}

// plainRequest returns a request in the form that most clients write, and otherwise nil.
// The SDK's decoder reads every request, but takes 64 kB of memory for each.
func plainRequest(members map[string]json.RawMessage) *jsonrpc.Request {
	request := &jsonrpc.Request{}
	plain := string(members["jsonrpc"]) == `"2.0"` && members["method"] != nil
	for name, value := range members {
		text, isText := plainText(value)
		switch {
		case name == "jsonrpc":
		case name == "method" && isText:
			request.Method = text
		case name == "params" && value[0] == '{':
			request.Params = value
		case name == "id" && isText:
			request.ID, _ = jsonrpc.MakeID(text)
		case name == "id" && isExact(value):
			n, _ := strconv.ParseFloat(string(value), 64)
			request.ID, _ = jsonrpc.MakeID(n)
		default:
			plain = false
		}
	}
	if !plain {
		return nil
	}
	return request
}

// plainText returns a string of JSON without escapes.
func plainText(value json.RawMessage) (text string, ok bool) {
	if value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 || !utf8.Valid(value) || bytes.ContainsRune(value, utf8.RuneError) {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// maxNesting is the deepest nesting of a message: the limit of the SDK.
const maxNesting = 1000

// refusalOfShape refuses a message that nests too deeply, or that two programs may read
// differently: a message that reads for one program may write for the other. The tool
// itself reports errors in its arguments.
func refusalOfShape(text json.RawMessage) *refusal {
	wrong, ok := errors.AsType[*canon.Error](canon.Check(text, canon.Options{Bytes: maxLine, Depth: maxNesting, Inexact: true}))
	if !ok {
		return nil
	}
	switch wrong.Kind {
	case canon.TooDeep:
		return &refusal{idOf(text), invalid(fmt.Sprintf("the message nests deeper than %d levels; nest less deeply", maxNesting))}
	case canon.DuplicateMember, canon.NumberOverflow:
		if !strings.HasPrefix(wrong.Pointer, "/params/arguments/") {
			return &refusal{idOf(text), invalid("the message can be read in two ways: " + codec.Excerpt(wrong.Error()))}
		}
	}
	return nil
}

// idOf returns the id of a refused message if an answer can contain it; nil: null.
func idOf(text json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members["id"]) == 0 {
		return nil
	}
	if id := members["id"]; id[0] == '"' && isUnicode(id) || id[0] != '"' && isExact(id) {
		return id
	}
	return nil
}

// refusalOfID returns the refusal of a request with these members, or nil.
func refusalOfID(members map[string]json.RawMessage) *refusal {
	id, has := members["id"]
	switch {
	case !has:
		return nil // a notification
	case string(id) == "null":
		return &refusal{fault: invalid("the id of a call is null; give the call a string or a whole number, or leave the id of a notification out")}
	case id[0] == '"' && !isUnicode(id):
		return &refusal{fault: invalid("the id of a call is not Unicode; send another text or a whole number")}
	case id[0] != '"' && !isExact(id):
		return &refusal{id, invalid(fmt.Sprintf("the id %s is not a whole number up to %d; send a string or such a number", codec.Excerpt(string(id)), maxExact))}
	}
	return nil
}

// refusalOfAnswer refuses a message with neither method, result nor error.
func refusalOfAnswer(text json.RawMessage, members map[string]json.RawMessage) *refusal {
	_, result := members["result"]
	if _, failed := members["error"]; result || failed {
		return nil
	}
	return &refusal{idOf(text), invalid("the message has no method, and is no answer either; name the method to call")}
}

// refusalOfIDs returns the refusal of the messages of an HTTP request: for the first call
// whose id the SDK would change in its answer. The SDK checks all other messages.
func refusalOfIDs(data []byte) *refusal {
	messages := []json.RawMessage{data}
	if isBatch(data) && json.Unmarshal(data, &messages) != nil {
		return nil
	}
	for _, message := range messages {
		if refused := refusalOfShape(message); refused != nil {
			return refused
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(message, &members) != nil {
			continue
		}
		if refused := refusalOfID(members); refused != nil && isRequest(message) {
			return refused
		}
	}
	return nil
}

func isRequest(message json.RawMessage) bool {
	decoded, err := jsonrpc.DecodeMessage(message)
	_, ok := decoded.(*jsonrpc.Request)
	return ok && err == nil
}

func isBatch(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) }

// isUnicode reports whether every program reads a text alike: it has no half of a
// surrogate pair and no broken UTF-8.
func isUnicode(text json.RawMessage) bool {
	_, err := canon.Parse(text, canon.Options{})
	return err == nil
}

// maxExact is the greatest whole number up to which every program reads all whole numbers
// exactly.
const maxExact = 1<<53 - 1

// isExact reports whether an id is a number that comes back unchanged in the answer.
func isExact(id json.RawMessage) bool {
	n, err := strconv.ParseFloat(string(id), 64)
	return err == nil && n == math.Trunc(n) && math.Abs(n) <= maxExact
}
