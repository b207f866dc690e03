package ump

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Schemas returns the JSON Schemas of everything that the HTTP binding exchanges (section
// 4.2), by name. They refer to each other as #/components/schemas/NAME, as a description
// of OpenAPI has them.
func Schemas() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(referring("http"), &all); err != nil {
		panic(fmt.Sprintf("ump: embedded schema: %v", err)) // impossible: the file is in the program
	}
	for _, name := range []string{"record", "warnings"} {
		all["Ump"+capitalised(name)] = referring(name)
	}
	for _, op := range append(Operations(), OpFeedback) {
		all["Ump"+capitalised(string(op))+"Request"] = referring(string(op) + ".request")
		all["Ump"+capitalised(string(op))+"Response"] = referring(string(op) + ".response")
	}
	addRemember(all)
	return all
}

// addRemember adds the two forms of a request to remember: the record as the member record,
// or as the whole body.
func addRemember(all map[string]json.RawMessage) {
	wrapped, err := canon.Parse(all["UmpRememberRequest"], canon.Options{})
	if err != nil {
		panic(fmt.Sprintf("ump: embedded schema: %v", err))
	}
	refer := func(name string) canon.Value {
		return canon.Object(canon.Member{Name: "$ref", Value: canon.String("#/components/schemas/" + name)})
	}
	properties := wrapped.Get("properties")
	draft := properties.Get("record")
	members := draft.Get("properties")
	times := members.Get("time").Get("properties")
	open := times.Get("valid_to").With("type", canon.Array(canon.String("string"), canon.String("null"))) // null: it is still true
	times = times.With("valid_to", open)
	all["UmpDraft"] = draft.With("properties", members.With("time", members.Get("time").With("properties", times))).Append(nil)
	all["UmpRememberRecord"] = wrapped.With("properties", properties.With("record", refer("UmpDraft"))).Append(nil)
	all["UmpRememberRequest"] = canon.Object(canon.Member{Name: "anyOf", Value: canon.Array(refer("UmpRememberRecord"), refer("UmpDraft"))}).Append(nil)
}

// referring returns a schema that refers to those of records and warnings.
func referring(name string) json.RawMessage {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("ump: embedded schema: %v", err))
	}
	said := string(text)
	for _, shared := range []string{"record", "warnings"} {
		said = strings.ReplaceAll(said, `"`+strings.ToUpper(shared)+`"`, `{"$ref": "#/components/schemas/Ump`+capitalised(shared)+`"}`)
	}
	return json.RawMessage(said)
}

func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
