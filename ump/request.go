package ump

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// parseBody reads the JSON object of a request (UMP-3-1).
func parseBody(raw []byte) (canon.Value, error) {
	if len(raw) == 0 {
		return canon.Object(), nil
	}
	v, err := parse(raw, codec.Limits{})
	if err != nil {
		return canon.Value{}, err
	}
	if v.Type() != canon.TypeObject {
		var f findings
		f.add("UMP-3-1", "", "is not an object; send a JSON object")
		return canon.Value{}, f.err()
	}
	return v, nil
}

// capabilities answers section 3.1, for every caller alike (UMP-3.1-1).
func capabilities(ctx context.Context, b Backend, c Call, _ canon.Value) (canon.Value, error) {
	offered, err := b.Capabilities(ctx, c.Caller)
	if err != nil {
		return canon.Value{}, err
	}
	return capabilitiesAnswer(&offered), nil
}

// recall answers section 3.2, with the extensions "also" and "format".
func recall(ctx context.Context, b Backend, c Call, body canon.Value) (Response, error) {
	q, err := readQuery(body, c.clock())
	if err != nil {
		return Response{}, err
	}
	framed, err := wantsFrame(body)
	if err != nil {
		return Response{}, err
	}
	if framed {
		v, err := rehydrate(ctx, b, c, q)
		return Response{Rest: v}, err
	}
	hits, lacks, err := recallNoting(ctx, b, c.Caller, q)
	return Response{recalled: true, Hits: hits, Rest: withWarnings(canon.Object(), lacks)}, err
}

func recallNoting(ctx context.Context, b Backend, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	if noter, ok := b.(RecallNoter); ok {
		return noter.RecallNoting(ctx, c, q)
	}
	hits, err := b.Recall(ctx, c, q)
	return hits, nil, err
}

// wantsFrame reads the format of the answer.
func wantsFrame(body canon.Value) (bool, error) {
	if !isGiven(body, "format") {
		return false, nil
	}
	switch body.Get("format").Text() {
	case "json":
		return false, nil
	case "framed":
		return true, nil
	}
	var f findings
	f.add("UMP-3.2-1", "/format", "use json or framed, or leave it out")
	return false, f.err()
}

// rehydrate answers a recall with a frame for a model (section 5.3), if the backend
// offers frames.
func rehydrate(ctx context.Context, b Backend, c Call, q memory.Query) (canon.Value, error) {
	framer, ok := b.(Rehydrator)
	if !ok {
		return canon.Value{}, &memory.Error{
			Kind: memory.Unsupported, Op: "recall", Path: "/format", Rule: "UMP-3.7-4",
			Message: "framed memory is not offered here; leave format out",
		}
	}
	framed, err := framer.Rehydrate(ctx, c.Caller, q)
	if err != nil {
		return canon.Value{}, err
	}
	return withWarnings(framedAnswer(&framed), framed.Warnings), nil
}

func readQuery(body canon.Value, now time.Time) (memory.Query, error) {
	d := newDecoder(modeComplete, codec.Options{})
	q := memory.Query{
		Text:   d.long(body, "", "query", "UMP-3.2-2", d.lim.Text),
		Also:   d.wordings(body),
		Limit:  d.positive(body, "limit", "UMP-3.2-10"),
		Budget: d.positive(body, "budget", "UMP-3.2-1"),
		Prefer: preferences(body.Get("ranking_hints").Get("prefer")),
	}
	if strings.TrimSpace(q.Text) == "" {
		d.add("UMP-3.2-2", "/query", "is missing or empty; say in plain words what to look for")
	}
	if body = changeObject(body, "scope", dropNulls(scopeShape)); isGiven(body, "scope") {
		q.Scope = d.scope(body)
		d.checkVisibility(q.Scope.Visibility)
	}
	if isGiven(body, "filter") {
		q.Filter = d.filter(body, now)
	}
	return q, d.err()
}

// isGiven reports whether an optional member of a request is present and not null.
func isGiven(v canon.Value, name string) bool {
	t := v.Get(name).Type()
	return t != canon.TypeUndefined && t != canon.TypeNull
}

// filter reads the filter of a query and ignores unknown members. A day, month or year
// means its last instant, or now if it is not over yet.
func (d *decoder) filter(body canon.Value, now time.Time) memory.Filter {
	f, ok := d.object(body, "", "filter", "UMP-3.2-1")
	if !ok {
		return memory.Filter{}
	}
	var out memory.Filter
	for i, kind := range d.words(f, "kind", "UMP-3.2-6") {
		if !memory.Kind(kind).Valid() {
			d.add("UMP-3.2-6", wordAt(f, "kind", i), kindsAllowed)
		}
		out.Kinds = append(out.Kinds, memory.Kind(kind))
	}
	for i, status := range d.words(f, "status", "UMP-2-20") {
		if !memory.Status(status).Valid() {
			d.add("UMP-2-20", wordAt(f, "status", i), "use one of active, candidate, tombstoned")
		}
		out.Statuses = append(out.Statuses, memory.Status(status))
	}
	if text := textOf(f.Get("valid_at")); isGiven(f, "valid_at") && !isBlank(f.Get("valid_at")) {
		p, ok := readPeriod(text, now)
		if !ok {
			d.add("UMP-3.2-7", "/filter/valid_at", periodFault(text))
		}
		out.ValidAt = p.last(now)
	}
	return out
}

// wordAt returns the pointer to a word of the filter: to the item of an array, or to
// the one string.
func wordAt(f canon.Value, name string, i int) string {
	place := "/filter/" + name
	if f.Get(name).Type() == canon.TypeString {
		return place
	}
	return itemPointer(place, i)
}

// words reads an array of strings of the filter. It also takes one string with commas
// between the words. It ignores case.
func (d *decoder) words(f canon.Value, name, rule string) []string {
	switch {
	case !isGiven(f, name), isBlank(f.Get(name)):
		return nil
	case f.Get(name).Type() == canon.TypeString:
		return splitWords(f.Get(name).Text())
	}
	words := d.texts(f, "/filter", name, rule)
	for i := range words {
		words[i] = normalizeWord(words[i])
	}
	return words
}

// remember answers section 3.3. The request is {"record":{…}} or the record itself.
func remember(ctx context.Context, b Backend, c Call, body canon.Value) (canon.Value, error) {
	record, base := body, ""
	if body.Has("record") {
		record, base = body.Get("record"), "/record"
	}
	keep, err := keepsSecrets(body)
	if err != nil {
		return canon.Value{}, err
	}
	if base == "" && !hasIntegrity(body) {
		record = body.Without("keep_secrets")
	}
	record, err = asDraft(record, base)
	if err != nil {
		return canon.Value{}, err
	}
	if record, err = normalizeDraft(record, base, c.clock()); err != nil {
		return canon.Value{}, err
	}
	d, err := decodeDraft(record, codec.Options{Owner: c.Caller.Owner}, base)
	if err != nil {
		return canon.Value{}, err
	}
	d.Key, d.KeepSecrets = c.Key, keep
	done, err := b.Remember(ctx, c.Caller, d)
	if err != nil {
		return canon.Value{}, err
	}
	for i, w := range done.Warnings {
		if path, of := strings.CutPrefix(w.Path, "/record"); of {
			done.Warnings[i].Path = base + path
		}
	}
	return rememberedAnswer(done), nil
}

// keepsSecrets reads the member keep_secrets of a request, which is not a member of
// the record. A signed record without a request around it has no such member.
func keepsSecrets(body canon.Value) (bool, error) {
	if hasIntegrity(body) {
		return false, nil
	}
	d := newDecoder(modeComplete, codec.Options{})
	return d.optionalFlag(body, "keep_secrets"), d.err()
}

// get answers section 3.4, with the extension "view".
func get(ctx context.Context, b Backend, c Call, body canon.Value) (canon.Value, error) {
	id, err := readID(body, "UMP-3.4-5")
	if err != nil {
		return canon.Value{}, err
	}
	view, err := readView(body)
	if err != nil {
		return canon.Value{}, err
	}
	r, err := b.Get(ctx, c.Caller, id, view)
	if err != nil {
		return canon.Value{}, err
	}
	v, err := formOf(&r)
	if err != nil {
		return canon.Value{}, err
	}
	return canon.Object(canon.Member{Name: "record", Value: v}), nil
}

// readID reads the id of a request, with or without its prefix. An id that no record
// can have is not found rather than invalid (UMP-3.4-5).
func readID(body canon.Value, rule string) (memory.ID, error) {
	d := newDecoder(modeComplete, codec.Options{})
	id := wholeID(memory.ID(d.text(body, "", "id", rule)))
	if id == "" {
		d.add(rule, "/id", "is missing; name the record")
	}
	if err := d.err(); err != nil {
		return "", err
	}
	if !ValidID(id) {
		return "", &memory.Error{Kind: memory.NotFound, Op: "find", Path: "/id", Rule: "UMP-3.4-2", Message: "there is no record with this id"}
	}
	return id, nil
}

func readView(body canon.Value) (memory.View, error) {
	if !isGiven(body, "view") {
		return memory.CurrentView, nil
	}
	switch view := memory.View(body.Get("view").Text()); view {
	case memory.CurrentView, memory.OriginView:
		return view, nil
	}
	var f findings
	f.add("UMP-3.4-1", "/view", "use current or origin, or leave it out")
	return "", f.err()
}

// revise answers section 3.5.
func revise(ctx context.Context, b Backend, c Call, body canon.Value) (canon.Value, error) {
	id, err := readID(body, "UMP-3.5-1")
	if err != nil {
		return canon.Value{}, err
	}
	keep, err := keepsSecrets(body)
	if err != nil {
		return canon.Value{}, err
	}
	patch, err := asPatch(body.Get("patch"), "/patch")
	if err != nil {
		return canon.Value{}, err
	}
	if patch, err = normalizeDraft(patch, "/patch", c.clock()); err != nil {
		return canon.Value{}, err
	}
	actor, err := readActor(body)
	if err != nil {
		return canon.Value{}, err
	}
	done, err := b.Revise(ctx, c.Caller, memory.Revision{ID: id, Patch: json.RawMessage(patch.Append(nil)), Key: c.Key, KeepSecrets: keep, Actor: actor})
	if err != nil {
		return canon.Value{}, err
	}
	return revisedAnswer(done), nil
}

// readActor reads the actor of a revise or a forget (1.0, section 9); "": the request
// names none.
func readActor(body canon.Value) (string, error) {
	if !isGiven(body, "actor") {
		return "", nil
	}
	d := newDecoder(modeComplete, codec.Options{})
	actor := d.text(body, "", "actor", "UMP1-9-1")
	if strings.TrimSpace(actor) == "" {
		d.add("UMP1-9-1", "/actor", "is not a name; say who acts, or leave it out")
	}
	return actor, d.err()
}

// forget answers section 3.6. The specification leaves the reason open: forget keeps a
// reason without a code as the note of the reason "other".
func forget(ctx context.Context, b Backend, c Call, body canon.Value) (canon.Value, error) {
	id, err := readID(body, "UMP-3.6-1")
	if err != nil {
		return canon.Value{}, err
	}
	d := newDecoder(modeComplete, codec.Options{})
	f := memory.ForgetRequest{
		ID:     id,
		Reason: memory.Reason(d.text(body, "", "reason", "UMP-3.6-3")),
		Hard:   d.optionalFlag(body, "hard"),
		Chain:  d.optionalFlag(body, "chain"),
	}
	if isGiven(body, "note") {
		f.Note = d.text(body, "", "note", "UMP-3.6-3")
	}
	if strings.TrimSpace(string(f.Reason)) == "" {
		d.add("UMP-3.6-3", "/reason", "is missing; use one of user_revoked, incorrect, outdated, duplicate, retention_expired, other")
	}
	if err := d.err(); err != nil {
		return canon.Value{}, err
	}
	if f.Actor, err = readActor(body); err != nil {
		return canon.Value{}, err
	}
	if !f.Reason.Valid() {
		f.Note = strings.TrimSpace(string(f.Reason) + "\n" + f.Note)
		f.Reason = memory.OtherReason
	}
	done, err := b.Forget(ctx, c.Caller, f)
	if err != nil {
		return canon.Value{}, err
	}
	return forgottenAnswer(done), nil
}

func (d *decoder) optionalFlag(body canon.Value, name string) bool {
	if !isGiven(body, name) {
		return false
	}
	switch normalizeWord(body.Get(name).Text()) { // models send true and false as texts
	case "true":
		return true
	case "false":
		return false
	}
	flag := d.flag(body, "", name, "UMP-3.6-1")
	return flag != nil && *flag
}

// feedback answers section 3.8, if the backend is a [Learner].
func feedback(ctx context.Context, b Backend, c Call, body canon.Value) (canon.Value, error) {
	learner, ok := b.(Learner)
	if !ok {
		return canon.Value{}, &memory.Error{
			Kind: memory.Unsupported, Op: "feedback", Rule: "UMP-3.7-4",
			Message: "feedback is not offered here; call capabilities to see what is",
		}
	}
	id, err := readID(body, "UMP-3.8-1")
	if err != nil {
		return canon.Value{}, err
	}
	d := newDecoder(modeComplete, codec.Options{})
	outcome, session := d.text(body, "", "outcome", "UMP-3.8-1"), ""
	switch outcome {
	case "followed", "overridden", "ignored", "contradicted":
	default:
		d.add("UMP-3.8-1", "/outcome", "use one of followed, overridden, ignored, contradicted")
	}
	if isGiven(body, "session") {
		session = d.text(body, "", "session", "UMP-3.8-1")
	}
	if err := d.err(); err != nil {
		return canon.Value{}, err
	}
	if err := learner.Feedback(ctx, c.Caller, id, outcome, session); err != nil {
		return canon.Value{}, err
	}
	return canon.Object(canon.Member{Name: "ok", Value: canon.Bool(true)}), nil
}
