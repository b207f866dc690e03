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

// Kernel holds the operations that only packages above this one use (vault/rekey and
// its neighbours). A binding never holds a Kernel: the methods of Kernel check no
// caller.
type Kernel struct{ *Vault }

// KernelOf returns the kernel of v.
func KernelOf(v *Vault) Kernel { return Kernel{v} }

// Bare returns the store without the guard that refuses owners who have moved.
func (k Kernel) Bare() store.Store { return k.bare }

// Store returns the store with its guard, see [Kernel.Bare].
func (k Kernel) Store() store.Store { return k.store }

// Now returns the time by the vault's clock.
func (k Kernel) Now() time.Time { return k.now() }

// Home returns the home owner, or "" if there is none.
func (k Kernel) Home() memory.DID { return k.home }

// Via returns the way in that the audit log names.
func (k Kernel) Via() string { return k.via }

// Log returns the log of causes that callers do not see.
func (k Kernel) Log() *slog.Logger { return k.log }

// Producer returns the Producer Namespace of exported bundles; empty: no bundle is
// exported.
func (k Kernel) Producer() string { return k.producer }

// ReadOnly reports whether every write is refused.
func (k Kernel) ReadOnly() bool { return k.readOnly }

// Spool returns the function that opens temporary storage for a bundle's export; nil:
// there is none.
func (k Kernel) Spool() func() (codec.Spool, error) { return k.spool }

// Account reads the account of an owner from the store.
func (k Kernel) Account(ctx context.Context, owner memory.DID) (a store.Account, err error) {
	return k.account(ctx, owner)
}

// Holder returns the owner's key for signing, or nil if the key is not held.
func (k Kernel) Holder(owner memory.DID) *keys.Private { return k.holder(owner) }

// Ledger returns the audit log of an owner. Without the owner's key the log's head
// stays behind and its entries have no marks. An owner with an account is an exception:
// the home owner's key makes the marks.
func (k Kernel) Ledger(owner memory.DID) audit.Log { return k.ledger(owner) }

// MayManage refuses callers who may not manage the owner's memory as a whole.
func (k Kernel) MayManage(op string, c memory.Caller) error { return k.mayManage(op, c) }

// NamesOf lists the names of a record in documents: its id, its URN here, and its
// original URN.
func (k Kernel) NamesOf(owner memory.DID, rec memory.Record) []string {
	return k.namesOf(owner, rec)
}

// Note appends to the audit log of the caller's owner, within the transaction of the
// act. A damaged log does not stop the owner: doctor and audit verify report it.
func (k Kernel) Note(w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	return k.note(w, c, e, ids...)
}

// OriginNames lists the names in OriginSpace that may lead to a record.
func (k Kernel) OriginNames(owner memory.DID, rec memory.Record) []string {
	return k.originNames(owner, rec)
}

// Quiet completes a committed erasure of everything: it waits until none of the owner's
// content is being sent, and then clears the files, see [eraser.cleared]. A stopped
// sender releases what it read, so that the files can be cleared.
func (k Kernel) Quiet(ctx context.Context, owner memory.DID) (cleared bool, err error) {
	return k.quiet(ctx, owner)
}

// Refusal turns a failure below the vault into the caller's error. If it is a refusal
// that belongs in the audit log, Refusal writes it there.
func (k Kernel) Refusal(c memory.Caller, op string, id memory.ID, err error) error {
	return k.refusal(c, op, id, err)
}

// SignsAlone reports whether the owner alone holds the key, as far as this vault knows.
func (k Kernel) SignsAlone(owner memory.DID) bool { return k.accountOf(owner).signsAlone() }

// Settle remembers the account that the store has for an owner, and opens the owner's
// key.
func (k Kernel) Settle(owner memory.DID, a store.Account) error { return k.settle(owner, a) }

// Silence waits until none of an erased owner's content is being sent, in a store that
// counts senders (decision AD-28).
func (k Kernel) Silence(ctx context.Context, owner memory.DID) error { return k.silence(ctx, owner) }

// Sound reports a record that its owner did not sign as it stands. A record without a
// signature is sound unless the vault was told that all records have one. If the owner
// alone holds the key, an unsigned record is sound if the engine made it from a signed
// one. Among owner's records, a record of another owner always needs that owner's
// signature.
func (k Kernel) Sound(rec memory.Record, owner memory.DID) error { return k.sound(rec, owner) }

// SoundUnsigned reports a present form without integrity if the engine cannot have made
// it from the form that the owner signed (decision UD-6, case 3). It serves owners who
// alone hold their keys; for other owners the engine signs its changes. Where retention
// removed the signed form, only an empty shell is sound.
func (k Kernel) SoundUnsigned(rec memory.Record) error { return k.soundUnsigned(rec) }

// UpdateBare is Update without the guard.
func (k Kernel) UpdateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return k.updateBare(ctx, owner, fn)
}

// Wrapped wraps an owner's key under the home owner's key.
func (k Kernel) Wrapped(key keys.Private) ([]byte, error) { return k.wrapped(key) }

// Allow removes names from the deny list.
func (k Kernel) Allow(w store.Writer, owner memory.DID, names ...string) error {
	return k.allow(w, owner, names...)
}

// AlteredOf returns the numbers of rows that were changed outside of satchel. Those are
// rows whose seals do not fit, and erased rows put back with their old seals. They
// include replaced rows put back as current. No row is served unless AlteredOf has
// checked it.
func (k Kernel) AlteredOf(r store.Reader, rows []store.Row) (map[int64]bool, error) {
	return k.alteredOf(r, rows)
}

// Amend writes the current form of a record that the engine has changed, signed in the
// same transaction when the key is held (decision 1). It refuses a change that makes the
// record too long.
func (k Kernel) Amend(w store.Writer, old store.Row, rec memory.Record) error {
	return k.amend(w, old, rec)
}

// Apply adds a to its record and reports whether the record changed. It never reopens a
// record, the shorter validity wins, and a tombstone from outside forgets nothing here.
// Without the owner's key it leaves evidence out, which would cost the record its
// signature (decision UD-19).
func (k Kernel) Apply(w store.Writer, a addition, now time.Time) (changed bool, err error) {
	return k.apply(w, a, now)
}

// Authored creates a record, signed by its owner. Where all records are signed, it
// refuses one that only its owner can sign (decision UD-10).
func (k Kernel) Authored(rec memory.Record) (memory.Record, error) { return k.authored(rec) }

// CheckedAll is Record for rows of an owner whose seals are checked elsewhere: it returns the
// record of each, and why it is damaged. It verifies signatures together, which takes a third
// of the time.
func (k Kernel) CheckedAll(rows []store.Row, owner memory.DID) ([]memory.Record, []error) {
	return k.checkedAll(rows, owner)
}

// Gate returns the gate for a caller, who may know a project by several names.
func (k Kernel) Gate(r store.Reader, c memory.Caller) (Gate, error) { return k.gate(r, c) }

// Insert writes a new row and returns its document number. A staged row is invisible,
// and its effects on others wait until it is published.
func (k Kernel) Insert(w store.Writer, p Prepared, staged bool) (int64, error) {
	return k.insert(w, p, staged)
}

// IsDenied reports whether at least one of the names is on the deny list.
func (k Kernel) IsDenied(r store.Reader, owner memory.DID, names ...string) (bool, error) {
	return k.isDenied(r, owner, names...)
}

// Judge decides the outcome of p. It only reads, so that a dry run and the real run
// decide alike.
func (k Kernel) Judge(r store.Reader, p Prepared, now time.Time) (Verdict, error) {
	return k.judge(r, p, now)
}

// May refuses a caller who names no owner, or lacks the verb. The owner's side may do
// everything; a stranger may read.
func (k Kernel) May(op string, c memory.Caller, verb memory.Verb) error {
	return k.may(op, c, verb)
}

// MayWrite refuses callers who may not write, and every caller of a read-only vault.
func (k Kernel) MayWrite(op string, c memory.Caller) error { return k.mayWrite(op, c) }

// AdmitTo is Admit for a token whose audience is exactly this one.
func (k Kernel) AdmitTo(ctx context.Context, token, audience string) (memory.Caller, error) {
	return k.admitTo(ctx, token, audience)
}

// NoteRefused counts a refusal for the audit log.
func (k Kernel) NoteRefused(c memory.Caller, op string, kind memory.ErrorKind) {
	k.refused(c, op, kind)
}

// OwnersGate returns the gate for the owner in person, who knows each project by one name.
func (k Kernel) OwnersGate(owner memory.DID, now time.Time) Gate {
	return k.ownersGate(owner, now)
}

// Record decodes a row and verifies hash, signature and signer. It also checks that
// nobody changed the row outside of satchel, such as by putting an earlier form back
// (UMP-7-7). The result comes from the row's JSON alone; columns only serve to find the
// row. A record that differs from the stored one is of kind SignatureInvalid, an
// unreadable one of kind Internal.
func (k Kernel) Record(r store.Reader, row store.Row) (memory.Record, error) {
	return k.record(r, row)
}

// Signed verifies a complete draft, and authors any other with the owner's key. index
// makes the index entry of the result.
func (k Kernel) Signed(rec memory.Record, d memory.Draft, index func(memory.Record) store.Document) (Prepared, error) {
	return k.signed(rec, d, index)
}

// Takes returns the mapper for an owner's imports.
func (k Kernel) Takes(owner memory.DID) aimem.Mapper { return k.takes(owner) }

// Beliefs returns the beliefs that the vault was opened with.
func (k Kernel) Beliefs() Beliefs { return k.beliefs }

// Meaning returns the search by meaning that the vault was opened with; nil: none.
func (k Kernel) Meaning() Meaning { return k.meaning }

// IsVerified reports whether a form was verified before, by its [ump.Fingerprint].
func (k Kernel) IsVerified(fingerprint [32]byte) bool { return k.isVerified(fingerprint) }

// AuthoredIn is Authored within a transaction, which determines the edition.
func (k Kernel) AuthoredIn(w store.Writer, rec memory.Record) (memory.Record, error) {
	return k.authoredIn(w, rec)
}

// Damaged reports a record that differs from the stored one.
func (k Kernel) Damaged(owner memory.DID, id memory.ID, err error) {
	k.damaged(owner, id, err)
}

// ForgetAll forgets the named record, or every version of its belief. The owner can take
// that back by the name undo, unless it erases.
func (k Kernel) ForgetAll(w store.Writer, c memory.Caller, f memory.ForgetRequest, now time.Time, undo string) error {
	return k.forgetAll(w, c, f, now, undo)
}

// TakeBack takes back what m marks, and drops the mark. A forgotten or rejected record is
// as before; one that replaced others is erased, and they are in force again. It fails with
// kind InvalidRecord if the record was changed, built on or emptied since.
func (k Kernel) TakeBack(w store.Writer, m UndoMark, now time.Time) error {
	return k.takeBackMark(w, m, now)
}

// Lessen is Update without the quota, for acts that forget: they may first write more
// than they remove.
func (k Kernel) Lessen(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return k.lessen(ctx, owner, fn)
}

// MayContext is May for the context that assistants start from (Engram 3.9). A
// runtime's token opens nothing else.
func (k Kernel) MayContext(op string, c memory.Caller, verb memory.Verb) error {
	return k.mayContext(op, c, verb)
}

// MayOwn refuses everybody but the owner in person (UMP-5.2-7).
func (k Kernel) MayOwn(op string, c memory.Caller) error {
	return k.mayOwn(op, c)
}

// MayPropose is MayWrite for the corrections that assistants propose (Engram 3.9).
func (k Kernel) MayPropose(op string, c memory.Caller) error {
	return k.mayPropose(op, c)
}

// NoteRead counts records given to a caller outside the owner's side. All reads by a
// token's bearer within a few seconds share one entry. For strangers, who get public
// records, it notes only the number. For assistants, the owner's own as well, it also notes
// the reading in the journal of readings.
func (k Kernel) NoteRead(c memory.Caller, op string, ids ...memory.ID) {
	k.noteGiven(c, inquiry{way: op}, ids...)
}

// Read is Record for callers that continue without a damaged record. damage says what
// is wrong with the record; err says that the store failed.
func (k Kernel) Read(r store.Reader, row store.Row) (rec memory.Record, damage, err error) {
	return k.read(r, row)
}

// SettleChain gives a new record its place among versions: it closes the records that
// rec supersedes. If a successor of rec arrived first, it closes rec.
func (k Kernel) SettleChain(w store.Writer, rec memory.Record) error {
	return k.settleChain(w, rec)
}

// Vouch remembers a record that was signed or verified just now.
func (k Kernel) Vouch(rec memory.Record) {
	k.vouch(rec)
}

// ClearSealed clears the files of plain text that was sealed or replaced since. If it
// must wait, a later clearing does the work, as after an erasure.
func (k Kernel) ClearSealed(ctx context.Context) {
	k.clearSealed(ctx)
}

// Cleared clears erased content from the files and reports whether that is done. In a
// shared store the operator clears the files.
func (k Kernel) Cleared(ctx context.Context) (bool, error) {
	return k.cleared(ctx)
}

// NoteLater counts an entry that a later write adds to the audit log.
func (k Kernel) NoteLater(c memory.Caller, e audit.Entry) {
	k.noteLater(c, e)
}

// OpenAll opens every owner with an account. If an owner's key does not open, it calls
// note with that owner and goes on.
func (k Kernel) OpenAll(ctx context.Context, note func(memory.DID, error)) error {
	return k.openAll(ctx, note)
}

// VerifyLedger checks the audit log of an owner. The log needs no head if its owner is
// not the home owner and the owner's key is not here: nobody could sign a head.
func (k Kernel) VerifyLedger(r store.Reader, owner memory.DID, anchor *audit.Head) (audit.Report, error) {
	return k.verifyAudit(r, owner, anchor)
}

// ForgetEdition drops the edition that the vault remembers for an owner's memory.
func (k Kernel) ForgetEdition(owner memory.DID) { k.editions.Delete(owner) }
