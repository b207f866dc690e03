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

// refusal is an error of JSON-RPC for a message that is not passed on.
type refusal struct {
	id    json.RawMessage // of the call, as it is spelled; nil: null
	fault *jsonrpc.Error
}

// line is the answer, without its end.
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

// refusalOfMessage returns why a message is not passed on; nil: it is. The SDK answers a
// number that is no int64, and a text that is not Unicode, under another id, so such an
// id is refused, under itself. It drops an answer that says nothing.
func refusalOfMessage(text json.RawMessage) *refusal {
	if refused := refusalOfShape(text); refused != nil {
		return refused
	}
	decoded, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return &refusal{idOf(text), invalid(`the line is no message of JSON-RPC 2.0; send "jsonrpc": "2.0", and as the id of a call a string or a whole number`)}
	}
	request, called := decoded.(*jsonrpc.Request)
	if called {
		if id, spelled := request.ID.Raw().(string); spelled && !strings.ContainsRune(id, utf8.RuneError) {
			return nil
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return &refusal{fault: invalid("the line is no message of JSON-RPC 2.0")}
	}
	if !called {
		return refusalOfAnswer(text, members)
	}
	return refusalOfID(members)
}

// maxNesting is how deep a message may nest; the SDK reads no deeper.
const maxNesting = 1000

// refusalOfShape refuses a message that nests too deeply, or that two programs may read
// differently: what looks like a question to the one may write to the other. What is
// wrong with the arguments of a tool is for the tool to say.
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
			return &refusal{idOf(text), invalid("the message can be read in two ways: " + codec.Shown(wrong.Error()))}
		}
	}
	return nil
}

// idOf returns the id of a message that is refused, where it can be answered; nil: null.
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

// refusalOfID returns why a request with these members is not passed on.
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
		return &refusal{id, invalid(fmt.Sprintf("the id %s is not a whole number up to %d; send a string or such a number", codec.Shown(string(id)), maxExact))}
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

// refusalOfIDs returns why messages that came over HTTP are not passed on: the first
// call among them whose id the SDK would not answer as it came. What is no call is judged
// by the SDK.
func refusalOfIDs(data []byte) *refusal {
	messages := []json.RawMessage{data}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '[' && json.Unmarshal(text, &messages) != nil {
		return nil
	}
	for _, message := range messages {
		if refused := refusalOfShape(message); refused != nil {
			return refused
		}
		var members map[string]json.RawMessage
		decoded, err := jsonrpc.DecodeMessage(message)
		if _, called := decoded.(*jsonrpc.Request); err != nil || !called || json.Unmarshal(message, &members) != nil {
			continue
		}
		if refused := refusalOfID(members); refused != nil {
			return refused
		}
	}
	return nil
}

// isUnicode reports whether a text is one that every program reads alike: no half of a
// surrogate pair, no broken UTF-8.
func isUnicode(text json.RawMessage) bool {
	_, err := canon.Parse(text, canon.Options{})
	return err == nil
}

// maxExact is the greatest number up to which all whole numbers are read exactly everywhere.
const maxExact = 1<<53 - 1

// isExact reports whether an id is a number that is answered as it came.
func isExact(id json.RawMessage) bool {
	n, err := strconv.ParseFloat(string(id), 64)
	return err == nil && n == math.Trunc(n) && math.Abs(n) <= maxExact
}
