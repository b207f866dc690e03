package a2a

import (
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

// Operation is what a client asks for (A2A 1.0, section 3.1).
type Operation string

// The operations. Push stands for all those about push notifications.
const (
	Send      Operation = "send"
	Stream    Operation = "stream"
	Get       Operation = "get"
	List      Operation = "list"
	Cancel    Operation = "cancel"
	Subscribe Operation = "subscribe"
	Push      Operation = "push"
	Extended  Operation = "extended" // the card for known callers
)

// methods are the names of operations in JSON-RPC.
func methods(v Version) map[string]Operation {
	if v == V03 {
		return map[string]Operation{
			"message/send": Send, "message/stream": Stream, "tasks/get": Get, "tasks/cancel": Cancel, "tasks/resubscribe": Subscribe,
			"tasks/pushNotificationConfig/set": Push, "tasks/pushNotificationConfig/get": Push, "tasks/pushNotificationConfig/list": Push, "tasks/pushNotificationConfig/delete": Push,
			"agent/getAuthenticatedExtendedCard": Extended,
		}
	}
	return map[string]Operation{
		"SendMessage": Send, "SendStreamingMessage": Stream, "GetTask": Get, "ListTasks": List, "CancelTask": Cancel, "SubscribeToTask": Subscribe,
		"CreateTaskPushNotificationConfig": Push, "GetTaskPushNotificationConfig": Push, "ListTaskPushNotificationConfigs": Push, "DeleteTaskPushNotificationConfig": Push,
		"GetExtendedAgentCard": Extended,
	}
}

// Method returns the name of an operation that has one name.
func (o Operation) Method(v Version) string {
	for name, is := range methods(v) {
		if is == o {
			return name
		}
	}
	return ""
}

// Code is the number of an error.
type Code int

// The codes (A2A 1.0, section 5.4, and JSON-RPC 2.0).
const (
	ParseError           Code = -32700
	InvalidRequest       Code = -32600
	MethodNotFound       Code = -32601
	InvalidParams        Code = -32602
	InternalError        Code = -32603
	NotAllowed           Code = -32000 // not let in, or not now: the HTTP status says which
	TaskNotFound         Code = -32001
	TaskNotCancelable    Code = -32002
	PushNotSupported     Code = -32003
	UnsupportedOperation Code = -32004
	ContentNotSupported  Code = -32005
	invalidAnswer        Code = -32006
	ExtendedNotThere     Code = -32007
	VersionNotSupported  Code = -32009
)

// reasons are the names of the codes that A2A adds, as google.rpc.ErrorInfo has them.
func reasons() map[Code]string {
	return map[Code]string{
		TaskNotFound: "TASK_NOT_FOUND", TaskNotCancelable: "TASK_NOT_CANCELABLE", PushNotSupported: "PUSH_NOTIFICATION_NOT_SUPPORTED",
		UnsupportedOperation: "UNSUPPORTED_OPERATION", ContentNotSupported: "CONTENT_TYPE_NOT_SUPPORTED", invalidAnswer: "INVALID_AGENT_RESPONSE",
		ExtendedNotThere: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", VersionNotSupported: "VERSION_NOT_SUPPORTED",
	}
}

// Fault is an error of the protocol.
type Fault struct {
	Code Code
	Text string
}

// Error says what is wrong.
func (f *Fault) Error() string { return fmt.Sprintf("A2A error %d: %s", f.Code, f.Text) }

func wrong(at, text string) *Fault { return &Fault{InvalidParams, at + " " + text} }

func bad(text string) *Fault { return &Fault{invalidAnswer, text} }

// document returns the fault in JSON. In A2A 1.0 it has details.
func (f *Fault) document(v Version) canon.Value {
	doc := canon.Object(member("code", canon.Int(int64(f.Code))), member("message", canon.String(f.Text)))
	reason, ok := reasons()[f.Code]
	if v == V03 || !ok {
		return doc
	}
	return doc.With("data", canon.Array(canon.Object(member("@type", canon.String("type.googleapis.com/google.rpc.ErrorInfo")),
		member("reason", canon.String(reason)), member("domain", canon.String("a2a-protocol.org")))))
}

// Request is a request of JSON-RPC.
type Request struct {
	ID     canon.Value // a string, a number or null
	Method string
	Params canon.Value // an object
}

// mostDepth bounds the nesting of what peers send.
const mostDepth = 64

// Parse reads JSON of a peer.
func Parse(raw []byte) (canon.Value, error) {
	return canon.Parse(raw, canon.Options{Bytes: int64(len(raw)), Depth: mostDepth, Inexact: true})
}

// ReadRequest reads a request. A fault leaves the id, as far as it is known.
func ReadRequest(raw []byte) (Request, error) {
	r := Request{ID: canon.Null()}
	doc, err := Parse(raw)
	if err != nil {
		return r, &Fault{ParseError, "the request is no JSON: " + err.Error()}
	}
	switch id := doc.Get("id"); id.Type() {
	case canon.TypeString, canon.TypeNumber, canon.TypeNull:
		r.ID = id
	case canon.TypeUndefined:
	default:
		return r, &Fault{InvalidRequest, "id is neither a text nor a number nor null"}
	}
	r.Method, r.Params = doc.Get("method").Text(), doc.Get("params")
	switch {
	case doc.Type() != canon.TypeObject:
		return r, &Fault{InvalidRequest, "the request is no object; several at once are not taken"}
	case doc.Get("jsonrpc").Text() != "2.0":
		return r, &Fault{InvalidRequest, `jsonrpc is not "2.0"`}
	case r.Method == "":
		return r, &Fault{InvalidRequest, "method is missing"}
	case r.Params.Type() == canon.TypeUndefined:
		r.Params = canon.Object()
	case r.Params.Type() != canon.TypeObject:
		return r, &Fault{InvalidParams, "params is no object"}
	}
	return r, nil
}

// Operation returns what a request asks for.
func (r Request) Operation(v Version) (Operation, error) {
	o, ok := methods(v)[r.Method]
	if !ok {
		other := V03
		if v == V03 {
			other = V1
		}
		if _, ok := methods(other)[r.Method]; ok {
			return "", &Fault{MethodNotFound, "the method is of A2A " + string(other) + ", and the request speaks " + string(v) + ": send the header A2A-Version: " + string(other)}
		}
		return "", &Fault{MethodNotFound, "there is no such method in A2A " + string(v)}
	}
	return o, nil
}

// Document returns the request in JSON.
func (r Request) Document() canon.Value {
	return canon.Object(member("jsonrpc", canon.String("2.0")), member("id", r.ID), member("method", canon.String(r.Method)), member("params", r.Params))
}

// Answer returns the answer to the request of an id in JSON: the result, or the fault if
// there is one.
func Answer(v Version, id, result canon.Value, f *Fault) canon.Value {
	doc := canon.Object(member("jsonrpc", canon.String("2.0")), member("id", id))
	if f != nil {
		return doc.With("error", f.document(v))
	}
	return doc.With("result", result)
}

// ReadAnswer returns the result of an answer. The error of the peer, and an answer that is
// none, are [*Fault].
func ReadAnswer(raw []byte) (canon.Value, error) {
	doc, err := Parse(raw)
	if err != nil {
		return doc, bad("the answer is no JSON")
	}
	if e := doc.Get("error"); e.Type() == canon.TypeObject {
		return doc, &Fault{Code(e.Get("code").Float()), e.Get("message").Text()}
	}
	result := doc.Get("result")
	if doc.Get("jsonrpc").Text() != "2.0" || result.Type() != canon.TypeObject {
		return doc, bad("the answer is none of JSON-RPC 2.0")
	}
	return result, nil
}
