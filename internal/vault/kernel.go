package vault

import (
	"context"
	"log/slog"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Kernel is what the packages above this one (vault/rekey and its neighbours) may do
// with a vault, besides what every caller may. A binding never holds a Kernel: the
// methods of Kernel check no caller.
type Kernel struct{ *Vault }

// KernelOf returns the kernel of v.
func KernelOf(v *Vault) Kernel { return Kernel{v} }

// Bare returns the store without the guard that refuses owners who have moved.
func (k Kernel) Bare() store.Store { return k.bare }

// Store returns the store behind its guard, see [Kernel.Bare].
func (k Kernel) Store() store.Store { return k.store }

// Now returns the time by the vault's clock.
func (k Kernel) Now() time.Time { return k.now() }

// Home returns the home owner, "" where there is none.
func (k Kernel) Home() memory.DID { return k.home }

// Via returns the way in that the audit log names.
func (k Kernel) Via() string { return k.via }

// Log returns the log of causes that callers do not see.
func (k Kernel) Log() *slog.Logger { return k.log }

// Producer returns the Producer Namespace under which bundles leave; empty: none do.
func (k Kernel) Producer() string { return k.producer }

// ReadOnly reports whether every write is refused.
func (k Kernel) ReadOnly() bool { return k.readOnly }

// Spool returns what gives room for a bundle on its way out; nil: there is none.
func (k Kernel) Spool() func() (codec.Spool, error) { return k.spool }

// Account reads what the store says of an owner as one of many.
func (k Kernel) Account(ctx context.Context, owner memory.DID) (a store.Account, err error) {
	return k.account(ctx, owner)
}

// AtHand reports whether whoever asks sits at the command line.
func (k Kernel) AtHand() bool { return k.atHand() }

// Holder returns the owner's key for signing, or nil when it is not held.
func (k Kernel) Holder(owner memory.DID) *keys.Private { return k.holder(owner) }

// Ledger returns the audit log of an owner. Without the owner's key its head stays
// behind, and nothing in it is marked unless the home owner's key marks for an owner
// who has an account.
func (k Kernel) Ledger(owner memory.DID) audit.Log { return k.ledger(owner) }

// MayManage refuses whoever may not manage the owner's memory as a whole.
func (k Kernel) MayManage(op string, c memory.Caller) error { return k.mayManage(op, c) }

// NamesOf lists what documents call a record: its id, its URN here, and the one it
// came with.
func (k Kernel) NamesOf(owner memory.DID, rec memory.Record) []string {
	return k.namesOf(owner, rec)
}

// Note appends to the audit log of the caller's owner, within the transaction of
// what it tells of. A log that was damaged keeps the owner from nothing: doctor
// and audit verify report it.
func (k Kernel) Note(w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	return k.note(w, c, e, ids...)
}

// OriginNames lists the names in originSpace that may lead to a record.
func (k Kernel) OriginNames(owner memory.DID, rec memory.Record) []string {
	return k.originNames(owner, rec)
}

// Quiet makes an end of an erasure of everything that was committed: it waits until
// nothing of the owner's is on its way out, and then clears the files, see
// [eraser.cleared]. Whoever was handing something out lets go of what it read when it
// is stopped, so that they can be.
func (k Kernel) Quiet(ctx context.Context, owner memory.DID) (cleared bool, err error) {
	return k.quiet(ctx, owner)
}

// Refusal turns a failure below the vault into what the caller is told, and
// puts it into the audit log where it is a refusal that belongs there.
func (k Kernel) Refusal(c memory.Caller, op string, id memory.ID, err error) error {
	return k.refusal(c, op, id, err)
}

// SignsAlone reports whether the owner alone holds the key, as far as is known here.
func (k Kernel) SignsAlone(owner memory.DID) bool { return k.resident(owner).signsAlone() }

// Settle takes note of what the store says of an owner.
func (k Kernel) Settle(owner memory.DID, a store.Account) error { return k.settle(owner, a) }

// Silence waits until nothing of an owner who was erased is on its way out any
// more, in a store that keeps count of that (decision AD-28).
func (k Kernel) Silence(ctx context.Context, owner memory.DID) error { return k.silence(ctx, owner) }

// Sound reports a record that its owner did not sign as it stands. A record
// without a signature is sound unless the vault was told that all have one; of an
// owner who alone holds the key, where the engine made it of one that has. A record
// of another owner among owner's has that owner's signature, whatever the vault was told.
func (k Kernel) Sound(rec memory.Record, owner memory.DID) error { return k.sound(rec, owner) }

// SoundUnsigned reports a present form without integrity that the engine cannot
// have made of what its owner signed (decision UD-6, case 3). It is for owners who
// alone hold their keys: of others the engine signs what it changes. Where retention
// took the signed form away, nothing but an empty shell is sound.
func (k Kernel) SoundUnsigned(rec memory.Record) error { return k.soundUnsigned(rec) }

// UpdateBare is update past the guard.
func (k Kernel) UpdateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return k.updateBare(ctx, owner, fn)
}

// Wrapped wraps an owner's key under the home owner's.
func (k Kernel) Wrapped(key keys.Private) ([]byte, error) { return k.wrapped(key) }

// Allow takes names from the deny list.
func (k Kernel) Allow(w store.Writer, owner memory.DID, names ...string) error {
	return k.allow(w, owner, names...)
}

// AlteredOf returns which rows were changed behind our back, by their numbers: those
// whose seals do not fit, those that were erased and put back with the seals that they
// had, and those put back that another version has replaced. Nothing that is read leaves
// without having been asked for here.
func (k Kernel) AlteredOf(r store.Reader, rows []store.Row) (map[int64]bool, error) {
	return k.alteredOf(r, rows)
}

// Amend writes the current form of a record the engine has changed, signed in
// the same transaction when the key is held (decision 1). A change that would
// make the record longer than records may be is refused.
func (k Kernel) Amend(w store.Writer, old store.Row, rec memory.Record) error {
	return k.amend(w, old, rec)
}

// Apply adds a to its record and reports whether that changed it. Nothing is opened, the shorter validity wins, and a
// tombstone from outside forgets nothing here. Without the owner's key evidence
// is left out: the record would lose its signature (decision UD-19).
func (k Kernel) Apply(w store.Writer, a addition, now time.Time) (changed bool, err error) {
	return k.apply(w, a, now)
}

// Authored gives birth to a record, signed by its owner. Where all records are
// signed, one whose owner alone can do that is refused (decision UD-10).
func (k Kernel) Authored(rec memory.Record) (memory.Record, error) { return k.authored(rec) }

// Checked is record for a row of owner's whose seal is checked elsewhere.
func (k Kernel) Checked(row store.Row, owner memory.DID) (memory.Record, error) {
	return k.checked(row, owner)
}

// Gate returns the gate for a caller, who may know projects by several names.
func (k Kernel) Gate(r store.Reader, c memory.Caller) (Gate, error) { return k.gate(r, c) }

// Insert writes a new row and returns its document number. A staged one is out of sight, and what it does to
// others waits until it is published.
func (k Kernel) Insert(w store.Writer, p Prepared, staged bool) (int64, error) {
	return k.insert(w, p, staged)
}

// IsDenied reports whether one of the names is on the deny list.
func (k Kernel) IsDenied(r store.Reader, owner memory.DID, names ...string) (bool, error) {
	return k.isDenied(r, owner, names...)
}

// Judge decides what becomes of p. It only reads, so that a dry run and the real
// one come to the same end.
func (k Kernel) Judge(r store.Reader, p Prepared, now time.Time) (Verdict, error) {
	return k.judge(r, p, now)
}

// May refuses a caller who names no owner, or has not been granted the verb. The
// owner's side may all; a stranger may read.
func (k Kernel) May(op string, c memory.Caller, verb memory.Verb) error {
	return k.may(op, c, verb)
}

// MayWrite refuses callers who may not write, and every caller of a vault that
// only reads.
func (k Kernel) MayWrite(op string, c memory.Caller) error { return k.mayWrite(op, c) }

// NoteRefused counts a refusal that belongs into the log.
func (k Kernel) NoteRefused(c memory.Caller, op string, kind memory.ErrorKind) {
	k.refused(c, op, kind)
}

// OwnersGate returns the gate for the owner in person, who knows each project by one name.
func (k Kernel) OwnersGate(owner memory.DID, now time.Time) Gate {
	return k.ownersGate(owner, now)
}

// Record decodes a row and verifies it: hash, signature and signer, and that
// nobody changed the row behind our back, by putting an earlier form back for
// one (UMP-7-7). What it returns is said by the row's JSON alone; the columns
// only served to find it. A record that is not what was stored is of kind
// SignatureInvalid; one that cannot be read at all, Internal.
func (k Kernel) Record(r store.Reader, row store.Row) (memory.Record, error) {
	return k.record(r, row)
}

// Signed verifies what came complete, and authors the rest with the owner's key.
// index makes what is indexed of the result.
func (k Kernel) Signed(rec memory.Record, d memory.Draft, index func(memory.Record) store.Document) (Prepared, error) {
	return k.signed(rec, d, index)
}

// Takes is the mapper of what an owner takes in.
func (k Kernel) Takes(owner memory.DID) aimem.Mapper { return k.takes(owner) }

// Beliefs returns the beliefs that the vault was opened with.
func (k Kernel) Beliefs() Beliefs { return k.beliefs }

// IsVerified reports whether a form was verified before. The fingerprint is
// [ump.Fingerprint]'s.
func (k Kernel) IsVerified(fingerprint [32]byte) bool { return k.isVerified(fingerprint) }

// AuthoredIn is authored within a transaction, which says which edition is spoken.
func (k Kernel) AuthoredIn(w store.Writer, rec memory.Record) (memory.Record, error) {
	return k.authoredIn(w, rec)
}

// Damaged reports a record that is not what was stored.
func (k Kernel) Damaged(owner memory.DID, id memory.ID, err error) {
	k.damaged(owner, id, err)
}

// ForgetAll forgets the record named, or every version of its belief.
func (k Kernel) ForgetAll(w store.Writer, c memory.Caller, f memory.ForgetRequest, now time.Time) error {
	return k.forgetAll(w, c, f, now)
}

// Lessen is Update for what forgets: that is never too much, although it may write
// more at first than it takes away.
func (k Kernel) Lessen(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return k.lessen(ctx, owner, fn)
}

// MayContext is may for the context that assistants start from (Engram 3.9): the
// only thing that a token for a runtime opens.
func (k Kernel) MayContext(op string, c memory.Caller, verb memory.Verb) error {
	return k.mayContext(op, c, verb)
}

// MayOwn refuses everybody but the owner in person (UMP-5.2-7).
func (k Kernel) MayOwn(op string, c memory.Caller) error {
	return k.mayOwn(op, c)
}

// MayPropose is mayWrite for the corrections that assistants propose (Engram 3.9).
func (k Kernel) MayPropose(op string, c memory.Caller) error {
	return k.mayPropose(op, c)
}

// NoteRead counts what was handed to somebody who is not of the owner's side. What
// a token's bearer reads within a few seconds stands in one entry; of strangers,
// who get what is public, only the number.
func (k Kernel) NoteRead(c memory.Caller, op string, ids ...memory.ID) {
	k.noteRead(c, op, ids...)
}

// Read is record for those who go on without a record that is damaged: err says
// that the store could not be asked, and tells nothing of the record.
func (k Kernel) Read(r store.Reader, row store.Row) (rec memory.Record, damage, err error) {
	return k.read(r, row)
}

// SettleChain gives a new record its place among versions: what it supersedes is
// closed, and where its own successor was here before it, it is closed itself.
func (k Kernel) SettleChain(w store.Writer, rec memory.Record) error {
	return k.settleChain(w, rec)
}

// Vouch takes note of a record that was signed or verified just now.
func (k Kernel) Vouch(rec memory.Record) {
	k.vouch(rec)
}

// ClearSealed clears the files of what lay in the clear before it was sealed, or before it
// was replaced. Where that has to wait, it is made up for as after an erasure.
func (k Kernel) ClearSealed(ctx context.Context) {
	k.clearSealed(ctx)
}

// Cleared makes sure that what was erased is gone from the files, and reports
// whether that could be done yet. In a store that others share it is the
// operator's to do.
func (k Kernel) Cleared(ctx context.Context) (bool, error) {
	return k.cleared(ctx)
}

// NoteLater counts an entry that the audit log gets with the next ones.
func (k Kernel) NoteLater(c memory.Caller, e audit.Entry) {
	k.noteLater(c, e)
}

// OpenAll makes ready for every owner who has an account, and tells note of each whose
// key does not open.
func (k Kernel) OpenAll(ctx context.Context, note func(memory.DID, error)) error {
	return k.openAll(ctx, note)
}

// VerifyLedger checks the audit log of an owner. The log of another than the home owner
// needs no head while the owner's key is not here: nobody could sign one.
func (k Kernel) VerifyLedger(r store.Reader, owner memory.DID, anchor *audit.Head) (audit.Report, error) {
	return k.verifyAudit(r, owner, anchor)
}

// ForgetEdition drops what is kept in memory of the edition of an owner's memory.
func (k Kernel) ForgetEdition(owner memory.DID) { k.editions.Delete(owner) }
