package delegation

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Renewal is what an assistant shows besides a refresh token.
type Renewal struct {
	Client, Resource string        // no resource: it names none
	Context          string        // the scope of a context; empty: the grant's
	Verbs            []memory.Verb // that the next token is for; none: all of the grant's
}

// Refresh spends a refresh token and returns the next one. It fails with kind Unauthorized if
// the token is not good, and with kind ForbiddenScope if it does not grant the verbs. The token
// that was spent last gets the same next one again for a minute. Any other spent token ends the
// grant.
func (s *Service) Refresh(ctx context.Context, token string, n Renewal) (Tokens, error) {
	const op = "refresh"
	secret, owner := s.cut(token)
	if len(secret) != 2*partLength {
		return Tokens{}, invalid(op)
	}
	family, rotation := secret[:partLength], secret[partLength:]
	return s.change(ctx, owner, op, digestOf("family", family), func(w store.Writer, c memory.Caller, row store.Session, now time.Time) (Tokens, error) {
		var kept familyRow
		if err := json.Unmarshal([]byte(row.Code), &kept); err != nil {
			return Tokens{}, err
		}
		shown := digestOf("rotation", rotation)
		again := same(kept.Before, shown) && now.Before(row.Seen.Add(retryLasts))
		switch {
		case row.Use != store.Refresh || !now.Before(row.Ends) || !same(kept.Client, digestOf("client", n.Client)):
			return Tokens{}, invalid(op)
		case !again && !same(kept.Rotation, shown):
			return Tokens{}, s.end(w, c, kept.Grant, "refresh_reused")
		}
		claims, err := s.granted(w, kept.Grant, now)
		switch {
		case err != nil:
			return Tokens{}, err
		case n.Resource != "" && n.Resource != claims.Audience:
			return Tokens{}, wrongResource(op)
		case n.Context != "" && (claims.Runtime == nil || claims.Runtime.Scope != n.Context), slices.ContainsFunc(n.Verbs, func(v memory.Verb) bool { return !slices.Contains(claims.Verbs, v) }):
			return Tokens{}, &memory.Error{Kind: memory.ForbiddenScope, Op: op, Message: "the grant does not hold all of this scope: ask the owner again"}
		}
		if !again {
			kept.Before, kept.Salt = shown, newPart()
			kept.Rotation = digestOf("rotation", nextPart(rotation, kept.Salt))
			if err := putFamily(w, row, kept, claims, now); err != nil {
				return Tokens{}, err
			}
		}
		if len(n.Verbs) > 0 {
			claims.Verbs = n.Verbs
		}
		return s.tokens(claims, family+nextPart(rotation, kept.Salt), now)
	})
}
