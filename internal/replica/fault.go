package replica

// Fault says what is wrong with a file or a message from a remote. It is an error; errors.Is
// and errors.AsType find it. JSON holds its value, such as "unsigned".
type Fault string

// The faults.
const (
	ErrUnsigned   Fault = "unsigned"    // the signature of a machine is wrong, or the owner did not sign a record
	ErrMalformed  Fault = "malformed"   // the signature is good, but the content breaks a rule
	ErrForeign    Fault = "foreign"     // it belongs to another owner
	ErrSwapped    Fault = "swapped"     // it is in the part of another machine, or of another kind than expected
	ErrNotForUs   Fault = "not_for_us"  // it is encrypted or addressed to other machines
	ErrCut        Fault = "cut"         // its end is missing
	ErrAltered    Fault = "altered"     // it differs from what its author wrote
	ErrWithheld   Fault = "withheld"    // its author lists it, but it is missing
	ErrRolledBack Fault = "rolled_back" // the remote shows an older state than before
	ErrReplayed   Fault = "replayed"    // an older head lies beside the present one
	ErrRemoved    Fault = "removed"     // its author is a machine that the owner has removed
	ErrNewer      Fault = "newer"       // a newer Satchel wrote it
	ErrTooLarge   Fault = "too_large"   // it exceeds a limit
	ErrUnknown    Fault = "unknown"     // its author is a machine that this one does not know
	ErrLogCut     Fault = "log_cut"     // its author's audit log lacks entries that it had
	ErrTwin       Fault = "twin"        // two machines write with one machine's key, or a machine was restored from a copy
)

// Error describes the fault for people, and says what to do about it.
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
