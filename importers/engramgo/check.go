package engramgo

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON        = "ENGRAMGO-1"
	ruleList        = "ENGRAMGO-2"
	ruleObservation = "ENGRAMGO-3"
	ruleLimit       = "ENGRAMGO-4"
	ruleOwner       = "ENGRAMGO-5"
)

func violation(rule, file, pointer, what string) *codec.ParseError {
	return &codec.ParseError{Format: formatName, File: file, Path: pointer, Rule: rule, Err: errors.New(what)}
}

// observation is one entry, read.
type observation struct {
	canon.Value
	id, kind, title, content string
	created                  time.Time
}

// observationIn reads an entry; fault says what is wrong with it and where.
func observationIn(v canon.Value) (o observation, member, fault string) {
	o = observation{Value: v, kind: v.Get("type").Text(), title: v.Get("title").Text(), content: v.Get("content").Text()}
	id := v.Get("id")
	if o.id = id.Text(); id.Type() == canon.TypeNumber {
		o.id = id.Spelling()
	}
	switch {
	case v.Type() != canon.TypeObject:
		return o, "", "is not an object"
	case o.id == "":
		return o, "/id", "is missing"
	case v.Get("type").Type() != canon.TypeString:
		return o, "/type", "is not a string"
	case v.Get("content").Type() != canon.TypeString:
		return o, "/content", "is not a string"
	}
	var ok bool
	if o.created, ok = dateIn(v.Get("created_at").Text()); !ok {
		return o, "/created_at", "is not a date such as 2026-11-20 17:43:09"
	}
	return o, "", ""
}

// tooLong returns the member that is beyond a limit, if one is.
func (o observation) tooLong(l codec.Limits) (string, bool) {
	if len(o.content)+len(o.title)+2 > l.Text {
		return "/content", true
	}
	for _, name := range []string{"type", "title", "project", "session_id", "topic_key", "scope"} {
		if len(o.Get(name).Text()) > l.Name {
			return "/" + name, true
		}
	}
	return "", int64(len(o.Append(nil))) > l.Record
}

// dateIn reads a date as the server's database writes it, in UTC, or RFC 3339.
func dateIn(s string) (time.Time, bool) {
	if t, err := time.Parse(time.DateTime, s); err == nil {
		return t, true
	}
	return memory.ParseInstant(s)
}

// take makes records of the observations of one part.
func (r *reader) take(p part, opt codec.Options, seen map[string]bool) []*codec.ParseError {
	list := p.Get("observations")
	switch list.Type() {
	case canon.TypeArray, canon.TypeNull:
	case canon.TypeUndefined:
		if p.Type() == canon.TypeObject && p.file != "" {
			break // a chunk of sessions alone
		}
		return []*codec.ParseError{violation(ruleList, p.file, "/observations", "is missing")}
	default:
		return []*codec.ParseError{violation(ruleList, p.file, "/observations", "is not a list")}
	}
	var found []*codec.ParseError
	for i, v := range list.Items() {
		at := "/observations/" + strconv.Itoa(i)
		o, member, fault := observationIn(v)
		if fault != "" {
			found = append(found, violation(ruleObservation, p.file, at+member, fault))
			continue
		}
		if member, long := o.tooLong(opt.Limits); long {
			found = append(found, violation(ruleLimit, p.file, at+member, "is longer than may be read"))
			continue
		}
		r.observe(o, p.file, at, opt, seen)
	}
	r.passOver(p)
	return found
}

// observe keeps an observation, unless there is nothing to keep. Of one that several
// chunks have, the first counts.
func (r *reader) observe(o observation, file, at string, opt codec.Options, seen map[string]bool) {
	if file != "" {
		at = file + "#" + at
	}
	switch {
	case o.Get("deleted_at").Text() != "":
		r.Lost = append(r.Lost, codec.Loss{Pointer: at, Reason: lossDeleted})
	case strings.TrimSpace(o.content) == "":
		r.Lost = append(r.Lost, codec.Loss{Pointer: at, Reason: lossBlank})
	default:
		record := o.record(opt)
		key := record.Provenance.Source.Ref + "\x00" + record.Body.Text
		if !seen[key] {
			seen[key] = true
			r.Records = append(r.Records, record)
		}
	}
}

// passOver reports what is not taken over.
func (r *reader) passOver(p part) {
	for _, name := range []string{"sessions", "prompts"} {
		if n := p.Get(name).Len(); n > 0 {
			at := "/" + name
			if p.file != "" {
				at = p.file + "#" + at
			}
			r.Lost = append(r.Lost, codec.Loss{Pointer: at, Reason: lossAside(name, strconv.Itoa(n))})
		}
	}
}
