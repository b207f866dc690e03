package peer

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
)

// refusalBody is the body of a refusal: an error in the form of UMP 3.7.
type refusalBody struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			Fault replica.Fault `json:"fault,omitempty"`
		} `json:"details"`
	} `json:"error"`
}

// Refuse answers with a fault or with [replica.ErrBusy]. Of any other error the answer says
// only that it happened.
func Refuse(w http.ResponseWriter, err error) {
	var s refusalBody
	status := http.StatusForbidden
	s.Error.Code = "forbidden_scope"
	fault, isFault := errors.AsType[replica.Fault](err)
	switch {
	case isFault:
		s.Error.Details.Fault, s.Error.Message = fault, fault.Error()
		switch fault {
		case replica.ErrTooLarge:
			status, s.Error.Code = http.StatusRequestEntityTooLarge, "invalid_record"
		case replica.ErrMalformed, replica.ErrCut, replica.ErrAltered, replica.ErrNewer, replica.ErrSwapped:
			status, s.Error.Code = http.StatusBadRequest, "invalid_record"
		}
	case errors.Is(err, replica.ErrBusy):
		status, s.Error.Code, s.Error.Message = http.StatusTooManyRequests, "rate_limited", err.Error()
	default:
		status, s.Error.Code, s.Error.Message = http.StatusInternalServerError, "internal", "the machine could not join this; its log says why"
	}
	body, _ := json.Marshal(s) // of plain members
	httpkit.Refuse(w, status, "application/json", body, nil)
}
