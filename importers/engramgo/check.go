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

// tooLong returns the member that exceeds a limit, if there is one.
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

// dateIn reads a date in the format of the server's database, in UTC, or RFC 3339.
func dateIn(s string) (time.Time, bool) {
	if t, err := time.Parse(time.DateTime, s); err == nil {
		return t, true
	}
	return memory.ParseInstant(s)
}

// take yields the observations of one part.
func (d *partsReader) take(p part, yield func(memory.Record, error) bool) error {
	text, err := rules.Text(p.src, d.opt)
	if err != nil {
		return p.within(err)
	}
	d.lost.Add(codec.MendedLossesIn(func(pointer string) string { return strings.TrimSpace(p.file + " " + pointer) }, text.Repairs())...)
	members, isObject, err := rules.Members(text, text.Root())
	if err != nil {
		return p.within(err)
	}
	parts := map[string]canon.Part{}
	for _, m := range members {
		parts[m.Name] = m
	}
	list, there := parts["observations"]
	switch {
	case there:
		err = d.list(p, text, list.At, yield)
	case !isObject || p.file == "": // otherwise a chunk with sessions alone
		err = violation(ruleList, p.file, "/observations", "is missing")
	}
	if err != nil {
		return err
	}
	return d.passOver(p, text, parts)
}

// list yields the observations of a list, and the faults of others.
func (d *partsReader) list(p part, text *canon.Text, at canon.Extent, yield func(memory.Record, error) bool) error {
	switch opening, err := text.Opening(at); {
	case err != nil:
		return p.within(err)
	case opening == 'n':
		return nil
	case opening != '[':
		return violation(ruleList, p.file, "/observations", "is not a list")
	}
	for it, err := range rules.Items(text, at, everything, d.opt) {
		record, ok := memory.Record{}, true
		if err == nil {
			record, ok, err = d.observe(p, it)
		}
		if d.leave(it, p.within(err)) {
			continue
		}
		if ok && !yield(record, p.within(err)) {
			return errEnough
		}
	}
	return nil
}

// leave leaves out an observation with a fault, and reports whether it did.
func (d *partsReader) leave(it codec.Item, err error) bool {
	fault, ok := errors.AsType[*codec.ParseError](err)
	if err == nil {
		d.kept.Take()
	}
	if !ok || !d.opt.Mend || fault.Path == everything {
		return false
	}
	d.lost.Add(d.kept.Leave(codec.PartName("an observation", it.Value), fault, d.opt.LeftOut))
	return true
}

// everything is the place of all observations.
const everything = "/observations"

// within adds the file of a part to an error.
func (p part) within(err error) error {
	if e, ok := errors.AsType[*codec.ParseError](err); ok && e.File == "" {
		e.File = p.file
	}
	return err
}

// observe makes the record of an observation; false: the observation is empty, without an
// error. If several chunks have an observation, the first counts.
func (d *partsReader) observe(p part, it codec.Item) (r memory.Record, ok bool, err error) {
	o, member, fault := observationIn(it.Value)
	if fault != "" {
		return r, true, violation(ruleObservation, p.file, it.Pointer+member, fault)
	}
	if member, long := o.tooLong(d.opt.Limits); long {
		return r, true, violation(ruleLimit, p.file, it.Pointer+member, "is longer than may be read")
	}
	at := it.Pointer
	if p.file != "" {
		at = p.file + "#" + at
	}
	switch {
	case o.Get("deleted_at").Text() != "":
		d.lost.Add(codec.Loss{Pointer: at, Reason: lossDeleted})
		return r, false, nil
	case strings.TrimSpace(o.content) == "":
		d.lost.Add(codec.Loss{Pointer: at, Reason: lossBlank})
		return r, false, nil
	}
	r = o.record(d.opt)
	if !d.seen.Add(r.Provenance.Source.Ref + "\x00" + r.Body.Text) {
		return r, false, nil
	}
	if len(d.seen) > d.opt.Limits.Records {
		return r, true, violation(ruleLimit, "", everything, "are more than may be read")
	}
	return r, true, nil
}

// passOver reports the members that are not kept.
func (d *partsReader) passOver(p part, text *canon.Text, parts map[string]canon.Part) error {
	for _, name := range []string{"sessions", "prompts"} {
		n, err := sizeOf(text, parts[name].At)
		if err != nil {
			return p.within(err)
		}
		if n > 0 {
			at := "/" + name
			if p.file != "" {
				at = p.file + "#" + at
			}
			d.lost.Add(codec.Loss{Pointer: at, Reason: lossAside(name, strconv.Itoa(n))})
		}
	}
	return nil
}

// sizeOf counts the items of a list, or the members of an object; 0 for anything else.
func sizeOf(text *canon.Text, at canon.Extent) (n int, err error) {
	if at.Len() == 0 {
		return 0, nil
	}
	opening, err := text.Opening(at)
	switch {
	case err == nil && opening == '[':
		err = text.Items(at, func(int, canon.Extent, []byte) error { n++; return nil })
	case err == nil && opening == '{':
		var members []canon.Part
		members, err = text.Members(at)
		n = len(members)
	}
	return n, err
}
