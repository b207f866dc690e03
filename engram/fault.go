package engram

import "github.com/satchel-memory/satchel/canon"

// Code is one of the ten error codes (section 3.9), or a code of edition 0.1.2.
type Code string

// The codes.
const (
	Unauthorized       Code = "unauthorized"
	TokenExpired       Code = "token_expired"
	Forbidden          Code = "forbidden"
	UserNotFound       Code = "user_not_found"
	BeliefNotFound     Code = "belief_not_found"
	InvalidScope       Code = "invalid_scope"
	InvalidRequest     Code = "invalid_request"
	RateLimited        Code = "rate_limited"
	UnsupportedVersion Code = "unsupported_version"
	ServerError        Code = "server_error"
	ConstraintNotFound Code = "constraint_not_found" // edition 0.1.2
)

// Status returns the HTTP status that belongs to a code (section 3.9).
func (c Code) Status() int {
	switch c {
	case Unauthorized, TokenExpired:
		return 401
	case Forbidden:
		return 403
	case UserNotFound, BeliefNotFound, ConstraintNotFound:
		return 404
	case RateLimited:
		return 429
	case ServerError:
		return 500
	}
	return 400
}

// Fault is a refusal by the API.
type Fault struct {
	Code   Code
	Rule   string // the broken requirement, such as "ENGRAM-3.9-CORR-5"
	Detail string // for people: what is wrong and what to do; it reveals nothing of anybody's memory
}

// Error returns code and detail.
func (f *Fault) Error() string { return string(f.Code) + ": " + f.Detail }

// Wire returns the fault as the API writes it (section 3.9, errors).
func (f *Fault) Wire() canon.Value {
	return canon.Object(canon.Member{Name: "error", Value: canon.Object(
		canon.Member{Name: "code", Value: canon.String(string(f.Code))},
		canon.Member{Name: "message", Value: canon.String(f.Detail)},
		canon.Member{Name: "status", Value: canon.Int(int64(f.Code.Status()))},
	)})
}

// Codes returns all codes.
func Codes() []Code {
	return []Code{Unauthorized, TokenExpired, Forbidden, UserNotFound, BeliefNotFound, InvalidScope, InvalidRequest, RateLimited, UnsupportedVersion, ServerError, ConstraintNotFound}
}
