package model

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/modelhttp"
)

// mostMessage is how much of a provider's message is kept, in characters.
const mostMessage = 300

// failure returns the failure that an error of an exchange is. The key is taken out of what
// the provider says.
func failure(ctx context.Context, err error, key string) *Error {
	if refusal, ok := errors.AsType[*modelhttp.Refusal](err); ok {
		v, _ := canon.Parse(refusal.Body, canon.Options{Inexact: true}) // no object: no words
		return refused(refusal.Status, refusal.Header, v, key)
	}
	if in, ok := errors.AsType[*errorInAnswer](err); ok {
		return refused(in.status, nil, in.body, key)
	}
	_, syntax := errors.AsType[*canon.Error](err)
	switch {
	case ctx.Err() != nil:
		return &Error{Kind: Broken, Err: context.Cause(ctx)}
	case errors.Is(err, errLarge):
		return &Error{Kind: TooLarge}
	case errors.Is(err, modelhttp.ErrClosed):
		return &Error{Kind: Denied}
	case syntax, errors.Is(err, errShape):
		return &Error{Kind: NotUnderstood, Err: err}
	}
	return &Error{Kind: Broken, Err: err}
}

// refused returns the failure of a refusal.
func refused(status int, header http.Header, v canon.Value, key string) *Error {
	if v.Type() == canon.TypeArray && v.Len() > 0 {
		v = v.Items()[0]
	}
	message, codes := wordsOf(v)
	return &Error{Kind: Refused, Status: status, Message: clean(message, key),
		unknown: unknownModel(status, message, codes), header: header, said: v}
}

// wordsOf returns the message of a refusal, and its codes.
func wordsOf(v canon.Value) (message string, codes []string) {
	e := v.Get("error")
	for _, m := range []canon.Value{e.Get("message"), e, v.Get("message"), v.Get("detail")} {
		if message == "" {
			message = m.Text()
		}
	}
	for _, c := range []canon.Value{e.Get("code"), e.Get("type"), e.Get("status"), v.Get("code"), v.Get("type")} {
		if c.Text() != "" {
			codes = append(codes, c.Text())
		}
	}
	return message, codes
}

// clean returns a foreign text on one line, without the key, control characters and
// invisible ones.
func clean(text, key string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case codec.IsInvisible(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > mostMessage {
		text = string(runes[:mostMessage-1]) + "…"
	}
	return text
}

// unknownModel reports whether a refusal says that there is no such model. Most providers
// answer 404 with an object; a 404 without one is no answer about a model.
func unknownModel(status int, message string, codes []string) bool {
	if status == http.StatusNotFound && (message != "" || len(codes) > 0) {
		return true
	}
	if status < 400 || status >= 500 {
		return false
	}
	known := []string{"model_not_found", "invalid_model", "model_not_available", "DeploymentNotFound", "unknown_model"}
	if slices.ContainsFunc(codes, func(c string) bool { return slices.Contains(known, c) }) {
		return true
	}
	text := strings.ToLower(message)
	return strings.Contains(text, "model") && slices.ContainsFunc([]string{
		"model not exist", "model does not exist", "not a valid model", "unknown model", "no such model"},
		func(words string) bool { return strings.Contains(text, words) })
}

// outcome returns what a failure says about the route. Answers that never came whole count
// as none.
func (e *Error) outcome(now time.Time) route.Outcome {
	switch e.Kind {
	case Refused:
		if e.Status == http.StatusRequestTimeout {
			return route.Outcome{}
		}
		return route.Outcome{Status: e.Status, UnknownModel: e.unknown, RetryAfter: retryAfter(e.header, e.said, now)}
	case Invalid:
		return route.Outcome{Status: http.StatusBadRequest}
	}
	return route.Outcome{}
}

// retryAfter returns how long a provider asks to wait; 0: it does not say. It reads the
// header in seconds and as a date, the one in milliseconds, and the detail of Google.
func retryAfter(h http.Header, v canon.Value, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms / 1000)
	}
	given := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(given, 64); err == nil {
		return wait(seconds)
	}
	if date, err := http.ParseTime(given); err == nil {
		return max(0, date.Sub(now))
	}
	for _, detail := range v.Get("error").Get("details").Items() {
		if seconds, ok := strings.CutSuffix(detail.Get("retryDelay").Text(), "s"); ok {
			if n, err := strconv.ParseFloat(seconds, 64); err == nil {
				return wait(n)
			}
		}
	}
	return 0
}

// wait returns seconds as a duration of at most a day.
func wait(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}
