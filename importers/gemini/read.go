package gemini

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// exportReader is the state of reading an export.
type exportReader struct {
	frames frames
	seen   map[string]int // activities by time
	some   bool           // the element has an activity
	tally  conversation.Tally
}

// group returns the conversation and the time of an activity. Activities of other products
// are none of ours.
func (r *exportReader) group(v canon.Value) (id string, at time.Time, ok bool) {
	if v.Type() == canon.TypeObject && !ours(v) {
		return "", at, false
	}
	r.frames.learn(v.Get("title").Text(), answered(v))
	return session(v.Get("titleUrl").Text()), instant(v.Get("time")), true
}

// ours reports whether an activity is one of Gemini: the names of products are the same in
// every language.
func ours(v canon.Value) bool {
	names := append(v.Get("products").Items(), v.Get("header"))
	for _, name := range names {
		if text := strings.ToLower(name.Text()); strings.Contains(text, "gemini") || text == "bard" {
			return true
		}
	}
	return session(v.Get("titleUrl").Text()) != ""
}

// session returns the id of a conversation from its address; empty: there is none.
func session(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	if host != "gemini.google.com" && host != "bard.google.com" {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	for _, before := range [...]string{"app/c/", "app/", "c/", "chat/"} {
		if id, ok := strings.CutPrefix(path, before); ok && id != "" && !strings.Contains(id, "/") {
			return id
		}
	}
	return ""
}

func instant(v canon.Value) time.Time {
	at, ok := codec.Instant(v.Text())
	if !ok {
		return time.Time{}
	}
	return at.UTC()
}

// undatable reports whether an activity has a time that cannot be read. A page says so of
// itself.
func undatable(a canon.Value) bool {
	at := a.Get("time")
	switch at.Type() {
	case canon.TypeUndefined, canon.TypeNull:
		return false
	case canon.TypeString:
		return a.Get("undated").True() || at.Text() != "" && instant(at).IsZero()
	}
	return true
}

// conversation makes a conversation of the activities of one group.
func (r *exportReader) conversation(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	lost := map[string]int{}
	c := conversation.Conversation{Source: formatName}
	for _, a := range v.Items() {
		if a.Type() != canon.TypeObject {
			return item, e.Fail(conversation.RuleShape, "", errors.New("expected an activity"))
		}
		r.some = true
		item.Undatable = item.Undatable || undatable(a)
		before := lost[untitled]
		turns := r.turns(a, lost)
		if len(turns) == 0 {
			if lost[untitled] == before {
				lost[silent]++
			}
			continue
		}
		id := r.id(a)
		for n := range turns {
			turns[n].ID, turns[n].At = id, instant(a.Get("time"))
			if n > 0 {
				turns[n].ID, turns[n].Parent = id+"."+strconv.Itoa(n+1), turns[n-1].ID
			}
		}
		c.ID = session(a.Get("titleUrl").Text())
		if c.ID == "" {
			c.ID, c.Alone = id, true
		}
		c.Turns = append(c.Turns, turns...)
	}
	item.Lost = e.Lost("", lost, perConversation()...)
	if len(c.Turns) > 0 {
		item.Conversation = &c
	}
	return item, nil
}

// id names an activity by its time; empty: unknown.
func (r *exportReader) id(v canon.Value) string {
	id := v.Get("time").Text()
	if id == "" {
		return ""
	}
	r.seen[id]++
	if n := r.seen[id]; n > 1 {
		id += "+" + strconv.Itoa(n)
	}
	return id
}

// end reports once the data that no record holds.
func (r *exportReader) end() (item conversation.Item) {
	item.Lost = r.tally.Lost(metadata)
	return item
}
