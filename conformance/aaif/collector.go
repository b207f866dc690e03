package aaifsuite

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/satchel-memory/satchel/canon"
)

// collectorPath is the address of the collector that a run plays, below that of its world;
// tracesPath is where it takes traces (OTLP/HTTP).
const (
	collectorPath = "/otlp"
	tracesPath    = collectorPath + "/v1/traces"
)

// span is what a collector keeps of a span.
type span struct {
	name, trace string   // trace: its id, in hexadecimal digits
	texts       []string // the values of its attributes
}

// collect takes traces, in protobuf or in JSON.
func (w *world) collect(out http.ResponseWriter, q *http.Request, raw []byte) {
	spans, err := spansOf(q.Header, raw)
	if err != nil {
		reply(out, http.StatusBadRequest, text("message", err.Error()))
		return
	}
	w.mu.Lock()
	w.spans = append(w.spans, spans[:min(len(spans), mostKept-len(w.spans))]...)
	w.mu.Unlock()
	out.Header().Set("Content-Type", q.Header.Get("Content-Type"))
	if strings.HasPrefix(q.Header.Get("Content-Type"), jsonType) {
		_, _ = io.WriteString(out, "{}") // the caller has gone
	}
}

// spansOf reads an export of traces.
func spansOf(header http.Header, raw []byte) ([]span, error) {
	if header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		if raw, err = io.ReadAll(io.LimitReader(unpacked, maxAnswer)); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(header.Get("Content-Type"), jsonType) {
		v, err := canon.Parse(raw, canon.Options{Bytes: maxAnswer, Inexact: true})
		return jsonSpans(v), err
	}
	var data tracepb.TracesData
	if proto.Unmarshal(raw, &data) != nil {
		return nil, errors.New("these are no traces")
	}
	var all []span
	for _, of := range data.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				one := span{name: s.GetName(), trace: hex.EncodeToString(s.GetTraceId())}
				for _, a := range s.GetAttributes() {
					one.texts = append(one.texts, a.GetValue().GetStringValue())
				}
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// jsonSpans reads an export in JSON, where ids are hexadecimal.
func jsonSpans(v canon.Value) (all []span) {
	for _, of := range v.Get("resourceSpans").Items() {
		for _, scope := range of.Get("scopeSpans").Items() {
			for _, s := range scope.Get("spans").Items() {
				one := span{name: s.Get("name").Text(), trace: strings.ToLower(s.Get("traceId").Text())}
				for _, a := range s.Get("attributes").Items() {
					one.texts = append(one.texts, a.Get("value").Get("stringValue").Text())
				}
				all = append(all, one)
			}
		}
	}
	return all
}

func (w *world) spanCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.spans)
}

// tracesOf counts spans by trace and name, in the traces of which a span names the model of a
// scene, or a further one of it.
func (w *world) tracesOf(scene string) map[string]map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	traces := map[string]map[string]int{}
	for _, s := range w.spans {
		if slices.ContainsFunc(s.texts, func(text string) bool { return text == scene || strings.HasPrefix(text, scene+".") }) {
			traces[s.trace] = map[string]int{}
		}
	}
	for _, s := range w.spans {
		if counts := traces[s.trace]; counts != nil {
			counts[s.name]++
		}
	}
	return traces
}
