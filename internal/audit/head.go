package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// What may be wrong with a head.
var (
	errBroken  = errors.New("this is no head of an audit log")
	errForeign = errors.New("the head belongs to the log of another owner")
	errForged  = errors.New("the head is not signed with the owner's key")
)

// Head says how long a log is and what it holds: the root of the tree over its entries,
// signed by the owner.
type Head struct {
	Owner     memory.DID
	Size      int64
	Root      [32]byte
	At        time.Time // of the last entry
	Signature []byte    // Ed25519 over the four lines before the blank one
	hint      uint32    // identifies the key that signed, as notes do
}

const (
	origin  = "satchel audit log of "
	maxHead = 4 << 10
)

// sign returns h signed with key. No other signature of the owner's key covers a text with
// this beginning.
func (h Head) sign(key keys.Private) (Head, error) {
	hint, err := hint(key.DID())
	if err != nil {
		return h, err
	}
	h.Owner, h.hint = key.DID(), hint
	h.Signature = key.Sign([]byte(h.text()))
	return h, nil
}

// text is the signed text.
func (h Head) text() string {
	return fmt.Sprintf("%s%s\n%d\n%s\n%s\n", origin, h.Owner, h.Size, tlog.Hash(h.Root), formatTime(h.At))
}

// String returns the head as a signed note.
func (h Head) String() string {
	signature := append(binary.BigEndian.AppendUint32(nil, h.hint), h.Signature...)
	return h.text() + "\n— " + string(h.Owner) + " " + base64.StdEncoding.EncodeToString(signature) + "\n"
}

// Check reports whether owner signed h. It returns nil, [errForeign] or [errForged].
func (h Head) Check(owner memory.DID) error {
	if h.Owner != owner {
		return errForeign
	}
	public, err := keys.Public(owner)
	if err != nil {
		return err
	}
	if want, err := hint(owner); err != nil || h.hint != want || !ed25519.Verify(public, []byte(h.text()), h.Signature) {
		return errForged
	}
	return nil
}

// ParseHead reads the output of [Head.String] and nothing else: another spelling is
// [errBroken]. It does not check the signature.
func ParseHead(text []byte) (Head, error) {
	if len(text) > maxHead {
		return Head{}, errBroken
	}
	var unknown *note.UnverifiedNoteError
	if _, err := note.Open(text, note.VerifierList()); !errors.As(err, &unknown) || len(unknown.Note.UnverifiedSigs) != 1 {
		return Head{}, errBroken
	}
	h, err := parseText(unknown.Note.Text)
	if err != nil {
		return Head{}, err
	}
	signature := unknown.Note.UnverifiedSigs[0]
	raw, err := base64.StdEncoding.DecodeString(signature.Base64)
	if err != nil || len(raw) != 4+ed25519.SignatureSize {
		return Head{}, errBroken
	}
	h.hint, h.Signature = signature.Hash, raw[4:]
	if h.String() != string(text) {
		return Head{}, errBroken
	}
	return h, nil
}

// parseText reads the four lines.
func parseText(text string) (h Head, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 4 {
		return h, errBroken
	}
	owner, ok := strings.CutPrefix(lines[0], origin)
	size, badSize := strconv.ParseInt(lines[1], 10, 64)
	root, badRoot := tlog.ParseHash(lines[2])
	at, badTime := time.Parse(time.RFC3339Nano, lines[3])
	if !ok || size < 0 || errors.Join(badSize, badRoot, badTime) != nil {
		return h, errBroken
	}
	return Head{Owner: memory.DID(owner), Size: size, Root: root, At: at.UTC()}, nil
}

// hint returns the number by which notes identify a key.
func hint(owner memory.DID) (uint32, error) {
	public, err := keys.Public(owner)
	if err != nil {
		return 0, err
	}
	text, err := note.NewEd25519VerifierKey(string(owner), public)
	if err != nil {
		return 0, err
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		return 0, err
	}
	return verifier.KeyHash(), nil
}
