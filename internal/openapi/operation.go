package openapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// operation describes a route.
func (d *document) operation(part httpkit.Description, o httpkit.Operation) object {
	said := object{
		"operationId": o.Name, "tags": list{part.Name}, "summary": o.Summary, "description": strings.TrimSpace(o.Text + " " + admitted(o.Who)),
		"security": requirement(o.Who), "responses": d.responses(part, o),
	}
	if parameters := parametersOf(o.In); len(parameters) > 0 {
		said["parameters"] = parameters
	}
	if len(o.Body) > 0 {
		said["requestBody"] = object{"required": !o.BodyOptional, "content": contentOf(o.Body)}
	}
	return said
}

func parametersOf(all []httpkit.Parameter) list {
	var said list
	for _, p := range all {
		one := object{"name": p.Name, "in": string(p.In), "description": p.Text, "schema": schemaOf(p)}
		if p.Required {
			one["required"] = true
		}
		said = append(said, one)
	}
	return said
}

// schemaOf returns the schema of a parameter.
func schemaOf(p httpkit.Parameter) any {
	schema := any(object{"type": "string"})
	if p.Schema != "" {
		schema = json.RawMessage(p.Schema)
	}
	if p.Many {
		return object{"type": "array", "items": schema}
	}
	return schema
}

func contentOf(forms []httpkit.Content) object {
	said := object{}
	for _, f := range forms {
		one := object{}
		switch {
		case f.Schema != "":
			one["schema"] = reference(f.Schema)
		case f.Items != "":
			one["schema"] = object{"type": "string", "description": "Lines or events, each of " + f.Items + "."}
			one["x-item-schema"] = reference(f.Items)
		case strings.HasPrefix(f.Media, "text/"):
			one["schema"] = object{"type": "string"}
		}
		said[f.Media] = one
	}
	return said
}

// responses describes the answers and refusals of a route.
func (d *document) responses(part httpkit.Description, o httpkit.Operation) object {
	said := object{}
	for _, a := range o.Out {
		one := object{"description": a.Text}
		if len(a.Body) > 0 {
			one["content"] = contentOf(a.Body)
		}
		if len(a.Header) > 0 {
			headers := object{}
			for _, h := range a.Header {
				headers[h.Name] = object{"description": h.Text, "schema": schemaOf(h)}
			}
			one["headers"] = headers
		}
		said[strconv.Itoa(a.Status)] = one
	}
	for _, status := range refusals(part.Errors, o) {
		said[strconv.Itoa(status)] = d.refusal(part, o, status)
	}
	return said
}

// refusals returns the statuses with which a route may refuse, in order.
func refusals(e httpkit.Errors, o httpkit.Operation) []int {
	all := map[int]bool{}
	for _, status := range slices.Concat(e.Always, o.Fails) {
		all[status] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// refusal returns a reference to the refusals of a binding with a status, and adds what it
// refers to.
func (d *document) refusal(part httpkit.Description, o httpkit.Operation, status int) object {
	name := strings.ToUpper(part.Name[:1]) + part.Name[1:] + strconv.Itoa(status)
	forms := []httpkit.Content{{Media: part.Errors.Media, Schema: name}}
	if o.Refused != nil {
		name, forms = name+"Frame", o.Refused
	}
	if _, ok := d.Components.Responses[name]; !ok {
		said := object{"description": cmp.Or(part.Errors.Texts[status], refusalText(status)), "content": contentOf(forms)}
		if header := refusalHeaders(status); len(header) > 0 && part.Errors.Texts[status] == "" {
			said["headers"] = header
		}
		d.Components.Responses[name] = said
	}
	if o.Refused == nil {
		d.Components.Schemas[name] = refusalSchema(part.Errors, status)
	}
	return object{"$ref": "#/components/responses/" + name}
}

// refusalSchema is the schema of refusals with a status: that of all refusals, with the
// codes that the status can have.
func refusalSchema(e httpkit.Errors, status int) object {
	codes := slices.Compact(slices.Sorted(slices.Values(e.Codes[status])))
	if len(codes) == 0 || len(e.Code) == 0 {
		return reference(e.Schema)
	}
	inner := object{"enum": codes}
	for i := len(e.Code) - 1; i >= 0; i-- {
		inner = object{"properties": object{e.Code[i]: inner}}
	}
	inner["type"] = "object"
	return object{"allOf": list{reference(e.Schema), inner}}
}

// refusalText says what a status means, and what to do.
func refusalText(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "The token is missing, wrong or expired: ask the owner for one."
	case http.StatusForbidden:
		return "The token does not allow it, or the request comes from elsewhere than the server takes it from."
	case http.StatusTooManyRequests:
		return "Too much at once: come back when Retry-After says."
	case http.StatusServiceUnavailable:
		return "Temporarily unavailable: send it again when Retry-After says."
	case http.StatusInternalServerError:
		return "Something went wrong here; the log of the server says what."
	case http.StatusUpgradeRequired:
		return "States travel over TLS only: ask again over https."
	}
	return http.StatusText(status) + ": the answer says what is wrong, and what to do."
}

func refusalHeaders(status int) object {
	text := object{"type": "string"}
	switch status {
	case http.StatusUnauthorized:
		return object{"WWW-Authenticate": object{"description": "How to sign in.", "schema": text}}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return object{"Retry-After": object{"description": "Seconds to wait.", "schema": object{"type": "integer"}}}
	}
	return nil
}
