package umpsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

var (
	// ErrToken is wrapped by the error of a run without a token that permits the operations
	// of a run.
	ErrToken = errors.New("the run needs a token of the owner's side")
	// ErrOwner is wrapped by the error of a run that cannot tell whose memory it tests.
	ErrOwner = errors.New("the server does not say whose memory this is")
)

// identify finds out whose memory the run tests, and with what token.
func identify(r *run) error {
	if r.Owner == "" && r.Key != nil {
		r.Owner = r.Key.DID()
	}
	if r.Token == "" && r.Key != nil && r.level >= 3 {
		token, err := r.token(`{"sub":%q,"verbs":["read","write","derive","export"],"scope":null}`, r.Owner)
		if err != nil {
			return err
		}
		r.Token = token
	}
	if r.Token == "" && r.level >= 3 {
		return fmt.Errorf("%w: there is none, and level %d asks for one", ErrToken, r.level)
	}
	said := r.offered
	if r.Token != "" {
		a := r.call(r.Token, http.MethodGet, "/ump/capabilities", nil)
		if refusesWho(a) {
			return fmt.Errorf("%w: the server answers %s to the one it is given", ErrToken, a.Said())
		}
		var err error
		if said, err = a.ok(); err != nil {
			return err
		}
	}
	if r.Owner == "" {
		r.Owner = memory.DID(said.Get("owner").Text())
	}
	switch {
	case r.Owner == "":
		return ErrOwner
	case !plainText.MatchString(string(r.Owner)) || !plainText.MatchString(r.Project):
		return errors.New("owner and project must be of printable ASCII without quotes and backslashes")
	}
	return nil
}

// plainText matches text that needs no escapes in JSON.
var plainText = pattern.New(`^[!#-\[\]-~ ]{1,255}$`)

// refusesWho reports whether an answer refuses a request because of its sender.
func refusesWho(a answer) bool {
	return a.Err == nil && (slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, a.Status) ||
		slices.Contains([]memory.ErrorKind{memory.Unauthorized, memory.ForbiddenScope}, a.code()))
}

// admitted checks that a whole run may write. Otherwise most of its rows would only repeat
// that it may not.
func admitted(r *run) error {
	if len(r.Only) > 0 {
		return nil
	}
	draft, _ := r.draft(`{}`)
	a := r.post("remember", wrapped(draft))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if refusesWho(a) {
		return fmt.Errorf("%w: with the one it is given, remember answers %s", ErrToken, a.Said())
	}
	return nil
}
