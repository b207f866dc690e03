package replica

// Fault is what is wrong with something that came from a remote. It is an error that
// errors.Is tells apart; in JSON it is its word.
type Fault string

// The faults.
const (
	ErrUnsigned   Fault = "unsigned"    // no machine of the owner signed it, or the owner did not sign what is in it
	ErrMalformed  Fault = "malformed"   // the signature is good, the contents break a rule
	ErrForeign    Fault = "foreign"     // it belongs to another owner
	ErrSwapped    Fault = "swapped"     // it lies where another machine's things belong, or is of another kind
	ErrNotForUs   Fault = "not_for_us"  // it is encrypted to other machines, or tells another one something
	ErrCut        Fault = "cut"         // its end is missing
	ErrAltered    Fault = "altered"     // it is not what its author wrote
	ErrWithheld   Fault = "withheld"    // its author lists it, and it is not there
	ErrRolledBack Fault = "rolled_back" // the remote shows an older state than it did before
	ErrReplayed   Fault = "replayed"    // an older thing lies beside the present one
	ErrRemoved    Fault = "removed"     // a machine wrote it that the owner has removed
	ErrNewer      Fault = "newer"       // a newer Satchel wrote it
	ErrTooLarge   Fault = "too_large"   // it is past what is read
	ErrUnknown    Fault = "unknown"     // a machine wrote it that is not known here
	ErrLogCut     Fault = "log_cut"     // its author's audit log does not hold what it held before
	ErrTwin       Fault = "twin"        // another machine writes with this machine's key, or this one was restored from a backup
)

// Error says what the fault means, and what to do if there is something to do.
func (f Fault) Error() string {
	switch f {
	case ErrUnsigned:
		return "no machine of the owner signed it"
	case ErrMalformed:
		return "a machine of the owner signed it, but it is malformed"
	case ErrForeign:
		return "it belongs to another owner"
	case ErrSwapped:
		return "it lies in the place of something else"
	case ErrNotForUs:
		return "it is encrypted to other machines; its author writes it anew once it knows this machine, unless this machine was removed"
	case ErrCut:
		return "its end is missing; it may still be on its way"
	case ErrAltered:
		return "it is not what its author wrote"
	case ErrWithheld:
		return "its author lists it, and it is not there; it may still be on its way"
	case ErrRolledBack:
		return "the remote shows an older state than before"
	case ErrReplayed:
		return "an older state lies beside the present one"
	case ErrRemoved:
		return "a machine wrote it that the owner has removed"
	case ErrNewer:
		return "a newer Satchel wrote it; update this one"
	case ErrTooLarge:
		return "it is larger than what is read"
	case ErrUnknown:
		return "a machine wrote it that is not known here"
	case ErrLogCut:
		return "the audit log of this machine lacks entries that it had: its store was put back to an earlier copy, as satchel restore does, or the log was cut. If nobody of yours did that, see satchel audit show there"
	case ErrTwin:
		return "another machine writes with the key of this one; pair each machine by itself and copy no store"
	}
	return string(f)
}
