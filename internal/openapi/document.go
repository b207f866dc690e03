package openapi

import (
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// edition is that of OpenAPI.
const edition = "3.1.1"

// Info says what is described.
type Info struct {
	Title, Version, Text string
	License              string // an SPDX identifier
}

// object is a JSON object. Its members are written by name.
type object = map[string]any

// list is a JSON array.
type list = []any

// document is a description, in the order in which people read it.
type document struct {
	OpenAPI    string     `json:"openapi"`
	Info       object     `json:"info"`
	Servers    list       `json:"servers"`
	Tags       list       `json:"tags"`
	Paths      object     `json:"paths"`
	Components components `json:"components"`
}

// components are the parts that operations refer to.
type components struct {
	Security  object `json:"securitySchemes"`
	Responses object `json:"responses"`
	Schemas   object `json:"schemas"`
}

// Document returns the description in JSON. It fails if a schema is no JSON.
func Document(about Info, parts []httpkit.Description) ([]byte, error) {
	d := document{
		OpenAPI: edition,
		Info:    object{"title": about.Title, "version": about.Version, "description": about.Text, "license": object{"name": about.License, "identifier": about.License}},
		Servers: list{object{"url": "/", "description": "This server."}}, Tags: list{}, Paths: object{},
		Components: components{Security: security(), Responses: object{}, Schemas: object{}},
	}
	for _, part := range parts {
		d.Tags = append(d.Tags, object{"name": part.Name, "description": part.Title + ". " + part.Text})
		if err := addSchemas(d.Components.Schemas, part.Schemas); err != nil {
			return nil, err
		}
		for _, o := range part.Routes {
			at := o.Template()
			item, ok := d.Paths[at].(object)
			if !ok {
				item = object{}
				d.Paths[at] = item
			}
			item[strings.ToLower(o.Method)] = d.operation(part, o)
		}
	}
	return json.Marshal(d)
}

// security are the ways in which callers show who they are.
func security() object {
	bearer := func(text string) object {
		return object{"type": "http", "scheme": "bearer", "description": text}
	}
	return object{
		"token": bearer("The owner's token, or a capability token of the owner's that allows it. satchel token mint makes one."),
		"owner": bearer("The owner's own token."),
	}
}

// requirement says which of them a route needs.
func requirement(who httpkit.Who) list {
	switch who {
	case httpkit.Holders:
		return list{object{"token": list{}}}
	case httpkit.Owner:
		return list{object{"owner": list{}}}
	case httpkit.Guests:
		return list{object{}, object{"token": list{}}}
	case httpkit.Senders:
		return list{object{}, object{"owner": list{}}}
	}
	return list{}
}

// admitted says in words who may use a route.
func admitted(who httpkit.Who) string {
	switch who {
	case httpkit.Holders:
		return "Needs the owner's token, or one that allows it."
	case httpkit.Owner:
		return "The owner in person."
	case httpkit.Guests:
		return "Everyone, for what is public; with a token, what the token allows."
	case httpkit.Senders:
		return "Who has a migration token of a platform that the owner trusts, or the owner."
	case httpkit.Signers:
		return "Programs that sign their requests."
	}
	return "Everyone; no token is needed."
}
