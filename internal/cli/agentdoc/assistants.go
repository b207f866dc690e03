package agentdoc

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// isAssistants reports whether a document is an OpenAI assistant, or an answer with a
// list of them.
func isAssistants(v canon.Value) bool {
	list, ok := assistantList(v)
	return assistants.IsAssistant(v) || ok && list.Len() > 0
}

// assistantList returns the assistants of an answer with a list, and whether it is one.
func assistantList(v canon.Value) (canon.Value, bool) {
	list := v.Get("data")
	return list, v.Get("object").Text() == "list" && list.Type() == canon.TypeArray &&
		!slices.ContainsFunc(list.Items(), func(item canon.Value) bool { return !assistants.IsAssistant(item) })
}

// assistantNames returns the names of the assistants in a document, or their ids.
func assistantNames(v canon.Value) []string {
	list, _ := assistantList(v)
	var names []string
	for _, item := range list.Items() {
		name := item.Get("name").Text()
		if name == "" {
			name = item.Get("id").Text()
		}
		names = append(names, name)
	}
	return names
}

// fromAssistants returns the definition of an assistant: the document itself, the named
// one of a list, or its first.
func fromAssistants(v canon.Value, agent string, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
	list, ok := assistantList(v)
	switch {
	case !ok && agent != "":
		return aaif.Definition{}, nil, cli.Usagef("--agent chooses one of several agents; this is one assistant")
	case !ok:
		return assistants.From(v, o)
	}
	at, err := assistantNamed(list, agent)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	d, inside, err := assistants.From(list.Items()[at], o)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	var lost []codec.Loss
	for i := range list.Items() {
		place := "/data/" + strconv.Itoa(i)
		if i != at {
			lost = append(lost, codec.Loss{Pointer: place, Reason: "another assistant, which --agent takes"})
			continue
		}
		for _, l := range inside {
			l.Pointer = place + l.Pointer
			lost = append(lost, l)
		}
	}
	if v.Get("has_more").True() {
		lost = append(lost, codec.Loss{Pointer: "/has_more", Reason: "there are more assistants than this answer lists"})
	}
	return d, lost, nil
}

// assistantNamed returns the place of an assistant in a list, by id or name; "" means the
// first.
func assistantNamed(list canon.Value, agent string) (int, error) {
	if list.Len() == 0 {
		return 0, cli.Invalidf("the list holds no assistant")
	}
	if agent == "" {
		return 0, nil
	}
	found := -1
	for i, item := range list.Items() {
		switch {
		case item.Get("id").Text() == agent:
			return i, nil
		case item.Get("name").Text() == agent && found >= 0:
			return 0, cli.Invalidf("several assistants of the list are called %s: take one by its id", cli.OneLine(agent, 80))
		case item.Get("name").Text() == agent:
			found = i
		}
	}
	if found < 0 {
		return 0, cli.Invalidf("no assistant of the list has the name or id %s", cli.OneLine(agent, 80))
	}
	return found, nil
}
