package aaifsuite

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/conformance"
)

func plainChecks() []check {
	return []check{
		{"AAIF-12-11", func(r *run) error { return r.inTheClear(r.States, jsonType, `{"sc_standard":"SC-006"}`) }},
		{"AAIF-8.3-5", func(r *run) error { return r.inTheClear(r.Handoff, handoff.MediaType, "{\"type\":\"handoff_init\"}\n") }},
		{"AAIF-13.1-2", func(r *run) error {
			return r.inTheClear(r.Handoff, handoff.MediaType+"; charset=utf-8", "{\"type\":\"handoff_init\"}\n")
		}},
	}
}

// inTheClear sends an invalid state without a token over plain HTTP. The platform must
// refuse it for plain HTTP, not for its content. If the platform was named by https, the
// request goes to the same port.
func (r *run) inTheClear(path, media, body string) error {
	u, err := url.Parse(r.client.Base)
	if err != nil {
		return err
	}
	u.Scheme = "http"
	ctx, done := context.WithTimeout(r.ctx, answerTime)
	defer done()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String()+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", media)
	got, err := r.Client.Do(request)
	if err != nil {
		if r.client.Base == u.String() {
			return err
		}
		return ctx.Err() // nothing listens in the clear
	}
	_, _ = conformance.Body(got, maxAnswer) // the content does not matter
	switch {
	case got.StatusCode == http.StatusNotFound && r.secure():
		return nil
	case got.StatusCode == http.StatusNotFound || got.StatusCode == http.StatusMethodNotAllowed:
		return conformance.NotOffered("to take states in at " + path)
	case slices.Contains([]int{http.StatusUpgradeRequired, http.StatusBadRequest, http.StatusForbidden}, got.StatusCode), got.StatusCode >= 300 && got.StatusCode < 400:
		return nil
	case r.here() && !r.secure():
		return conformance.Lacks("the platform takes states of programs of this machine in the clear; whether it does of others has to be tried from another machine")
	}
	return errors.New("what comes in the clear is looked at: the answer is " + http.StatusText(got.StatusCode))
}

// secure reports whether the run reaches the platform over TLS.
func (r *run) secure() bool { return strings.HasPrefix(r.client.Base, "https:") }

// here reports whether the platform is on this machine.
func (r *run) here() bool {
	u, err := url.Parse(r.client.Base)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
