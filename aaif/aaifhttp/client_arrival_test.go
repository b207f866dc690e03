package aaifhttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
)

// TestArrival lets platforms answer a state with 200, and takes for arrival only what
// names the state that was sent.
func TestArrival(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	state := s.ready(t, aaiftest.Checkpoint(), "1")
	sum := state.Get("provenance").Get("checksum").Text()
	for name, c := range map[string]struct {
		answer string
		want   aaif.Code
	}{
		"AAIF-8.3-9_the_frame_with_its_checksum":       {`{"type":"handoff_complete","checksum":"` + sum + `"}` + "\n", ""},
		"AAIF-8.2-3_the_object_with_its_id":            {`{"state_id":"` + aaiftest.StateID + "\",\n \"agent_id\":\"" + aaiftest.AgentID + `"}`, ""},
		"a_page_is_no_arrival":                         {"<html><body>Welcome</body></html>", aaifhttp.NotConfirmed},
		"nothing_is_no_arrival":                        {"", aaifhttp.NotConfirmed},
		"an_object_that_names_nothing":                 {`{"ok":true}`, aaifhttp.NotConfirmed},
		"an_object_of_another_state":                   {`{"state_id":"d7e8f9a0-1234-4000-8000-000000000009"}`, aaifhttp.NotConfirmed},
		"an_object_that_names_an_error":                {`{"state_id":"` + aaiftest.StateID + `","code":"NO_ROOM"}`, aaifhttp.NotConfirmed},
		"a_frame_of_another_kind":                      {`{"type":"handoff_init"}` + "\n", aaifhttp.NotConfirmed},
		"AAIF-8.3-9_the_frame_without_a_checksum":      {`{"type":"handoff_complete"}` + "\n", aaif.ChecksumMismatch},
		"AAIF-8.3-9_the_frame_with_another's_checksum": {`{"type":"handoff_complete","checksum":"` + strings.Repeat("0", 64) + `"}`, aaif.ChecksumMismatch},
		"the_frame_that_it_failed":                     {`{"type":"handoff_error","code":"NO_ROOM","message":"full"}` + "\n", "NO_ROOM"},
		"not_an_object":                                {`["` + aaiftest.StateID + `"]`, aaifhttp.NotConfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			at, client := overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, c.answer)
			}), 1)
			err := client.Handoff(t.Context(), at+"/x", state)
			if got := aaif.CodeOf(err); got != c.want || (err == nil) != (c.want == "") {
				t.Errorf("as a stream: %v, want %s", err, c.want)
			}
			landed, err := client.PushState(t.Context(), at+"/x", state)
			if got := aaif.CodeOf(err); got != c.want || (err == nil) != (c.want == "") {
				t.Errorf("whole: %v, want %s", err, c.want)
			}
			if err == nil && landed.StateID != aaiftest.StateID {
				t.Errorf("it is said that %+v arrived", landed)
			}
		})
	}
}
