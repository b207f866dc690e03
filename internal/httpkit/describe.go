package httpkit

import (
	"encoding/json"
	"fmt"
)

// Operation is what a description says of a route.
type Operation struct {
	Name   string // unique in a server, such as "recall"
	Method string // GET answers HEAD, too
	// Path may have one parameter, such as {id}. One like {id...} may contain slashes.
	Path    string
	Who     Who
	Summary string      // one line
	Text    string      // more sentences; empty: the summary says all
	In      []Parameter // of the path, the query and the header
	Body    []Content   // the forms that a body may have; nil: there is none
	// BodyOptional says that the body can be left out.
	BodyOptional bool
	Out          []Answer
	Refused      []Content // the form of refusals; nil: that of the binding
	Fails        []int     // the statuses of refusals, besides those of every route
}

// Who says who may use a route.
type Who int

// Who may use a route.
const (
	Holders  Who = iota // who has a token that allows it
	Owner               // the owner in person
	Guests              // everyone, if the owner shows public memories to strangers
	Everyone            // no token is needed
	Senders             // who sends a state with its migration token, or has the owner's token
	Signers             // programs that sign their requests
)

// Place says where a parameter stands.
type Place string

// The places.
const (
	InPath   Place = "path" // is always required
	InQuery  Place = "query"
	InHeader Place = "header"
)

// Parameter is a parameter of a request. In the query it stands once.
type Parameter struct {
	Name     string
	In       Place
	Text     string
	Schema   string // JSON Schema; empty: any text
	Required bool
	Many     bool // it may stand several times, once for each value
}

// Content is a body in one form.
type Content struct {
	Media  string
	Schema string // the name of the schema of the whole body; empty: bytes or text
	// Items is the name of the schema of each line, or of the data of each event.
	Items string
}

// Answer is an answer to a request that was carried out.
type Answer struct {
	Status int
	Text   string
	Body   []Content // the forms of the body; nil: there is none
	Header []Parameter
}

// Description is what a binding says of its routes.
type Description struct {
	Name    string // such as "ump"
	Title   string
	Text    string
	Routes  []Operation
	Schemas map[string]json.RawMessage // by name; they refer to each other as #/components/schemas/NAME
	Errors  Errors
}

// Errors are the refusals of a binding.
type Errors struct {
	Media  string
	Schema string   // the name of the schema of a refusal
	Code   []string // the path of the member with the code, such as ["error", "code"]
	// Codes are the codes by status.
	Codes map[int][]string
	// Texts say what a status means in this binding; the usual meaning needs none.
	Texts map[int]string
	// Always are the statuses that every route may refuse with.
	Always []int
}

// Schemas returns the schemas of a file of the program: an object with a schema in each
// member.
func Schemas(file []byte) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(file, &all); err != nil {
		panic(fmt.Sprintf("httpkit: embedded schemas: %v", err)) // impossible: the file is in the program
	}
	return all
}

// Path returns a parameter of the path.
func Path(name, text string) Parameter {
	return Parameter{Name: name, In: InPath, Text: text, Required: true}
}

// Query returns a parameter of the query with a JSON Schema; empty: any text.
func Query(name, text, schema string) Parameter {
	return Parameter{Name: name, In: InQuery, Text: text, Schema: schema}
}

// Header returns a parameter of the header, or a header of an answer.
func Header(name, text, schema string) Parameter {
	return Parameter{Name: name, In: InHeader, Text: text, Schema: schema}
}

// Needed returns the parameter as one that a request must have.
func (p Parameter) Needed() Parameter {
	p.Required = true
	return p
}

// JSON returns a body in JSON, of the schema of a name.
func JSON(schema string) []Content { return []Content{{Media: "application/json", Schema: schema}} }

// Done returns an answer in JSON, of the schema of a name.
func Done(status int, text, schema string) Answer {
	return Answer{Status: status, Text: text, Body: JSON(schema)}
}

// The JSON Schemas of parameters.
const (
	Truth = `{"type":"boolean"}`
	Whole = `{"type":"integer","minimum":0}`
)
