package replicate

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Join joins the items of a message, all or none, see [replica.Memory].
func (m *Memory) Join(ctx context.Context, remote string, msg replica.Message) (done replica.Joined, err error) {
	if msg.Owner != m.owner {
		return done, fmt.Errorf("%w: a message of %s", replica.ErrUnsigned, msg.Owner)
	}
	var sum store.Sum
	err = m.update(ctx, func(t *tx) error {
		records := m.offer(msg.Items)
		defer records.end()
		j := &messageJoin{tx: t, contents: contents{}}
		if err := j.run(msg, remote, records); err != nil {
			return err
		}
		done = j.done
		sum, err = t.w.Sum()
		return err
	})
	if err != nil {
		return replica.Joined{}, err
	}
	m.setScannedSum(sum)
	return done, m.refusal(m.clean(ctx))
}

// messageJoin is the join of one message.
type messageJoin struct {
	*tx
	contents contents
	done     replica.Joined
	differ   []replica.Item // items of which this machine knows more than the other
	same     []store.Change // changes to records that are now the same on the other machine
	back     []store.Change // changes to records of which this machine knows more
}

// run joins the items, and writes the changes to the change feed. The span of all that is the
// same on the other machine is then not sent back to it.
func (j *messageJoin) run(msg replica.Message, remote string, records *offer) error {
	head, err := j.w.Head()
	if err != nil {
		return err
	}
	from, err := j.number()
	if err != nil {
		return err
	}
	if err := j.joinAll(msg.Items, records); err != nil {
		return err
	}
	if err := j.orderAgents(); err != nil {
		return err
	}
	if err := j.settle(); err != nil {
		return err
	}
	if j.done.Conflicts, err = j.noteForks(); err != nil {
		return err
	}
	if err := vault.PruneEntities(j.kernel, j.w, j.unlinked); err != nil {
		return err
	}
	if err := j.record(j.same); err != nil {
		return err
	}
	sameEnd, err := j.w.Head()
	if err != nil {
		return err
	}
	if err := j.record(j.back); err != nil {
		return err
	}
	last, err := j.w.Head()
	if err != nil {
		return err
	}
	if err := j.setScanned(last); err != nil {
		return err
	}
	to, err := j.number()
	if err != nil {
		return err
	}
	if err := j.setSkip(remote, span{head, sameEnd, from, to}); err != nil {
		return err
	}
	return j.sendBack() // after setSkip, so that the next span does not continue this one
}

// number stores an attachment, and returns its number: all later ones have greater numbers.
func (j *messageJoin) number() (int64, error) {
	const key = "number"
	if err := vault.NotFoundIsNone(j.w.Detach(stateSpace, key)); err != nil {
		return 0, err
	}
	return store.Attach(j.w, store.Attachment{Space: stateSpace, Key: key})
}

func (j *messageJoin) record(changes []store.Change) error {
	for _, c := range changes {
		if _, err := j.w.Record(c); err != nil {
			return err
		}
	}
	return nil
}

// joinAll joins erasures first, then imports, then records, then all other items: records belong
// to imports, and other items to records.
func (j *messageJoin) joinAll(items []replica.Item, records *offer) error {
	erased, differ, err := j.joinErasures(items)
	if err != nil {
		return err
	}
	j.done.Erased += erased
	for _, mark := range differ {
		j.differ = append(j.differ, replica.Item{Kind: replica.KindErasure, Key: mark})
	}
	for _, i := range items {
		if i.Kind == replica.KindImport {
			if err := j.joinItem(i); err != nil {
				return err
			}
		}
	}
	if err := records.each(j.joinOffered); err != nil {
		return err
	}
	for _, i := range items {
		switch i.Kind {
		case replica.KindErasure, replica.KindImport, replica.KindRecord:
			continue
		}
		if err := j.joinItem(i); err != nil {
			return err
		}
	}
	return nil
}

// joinOffered joins a record, and notes its change.
func (j *messageJoin) joinOffered(o offeredRecord) error {
	out, err := j.joinRecord(o)
	if err != nil {
		return err
	}
	if out.added {
		j.done.Added++
	} else if out.changed {
		j.done.Changed++
	}
	c := store.Change{At: j.now, Type: store.Merged, ID: memory.ID(o.item.Key)}
	switch {
	case out.added:
		c.Type = store.Created
	case out.changed && o.said.Shell != nil, out.changed && len(o.said.Forgets) > 0:
		c.Type = store.Tombstoned
	}
	switch {
	case out.differs:
		j.back = append(j.back, c)
	case out.added, out.changed:
		j.same = append(j.same, c)
	}
	return nil
}

// joinItem joins an item that is neither a record nor an erasure.
func (j *messageJoin) joinItem(i replica.Item) (err error) {
	var out outcome
	switch i.Kind {
	case replica.KindMachine:
		out, err = j.joinMachine(i)
	case replica.KindLesson:
		out, err = j.joinLesson(i)
	case replica.KindAttachment:
		out, err = j.joinAttachment(i)
	default:
		d, ok := collectionOf(i.Kind)
		if !ok {
			return fmt.Errorf("%w: unknown kind %q", replica.ErrMalformed, i.Kind)
		}
		out, err = j.joinCollected(d, i, j.contents)
	}
	if err != nil {
		return err
	}
	if out.added || out.changed {
		j.done.Other++
	}
	if out.differs {
		j.differ = append(j.differ, i)
	}
	return nil
}

func (j *messageJoin) joinMachine(i replica.Item) (out outcome, err error) {
	said, err := replica.Decode[replica.Machine](i.Data)
	if err != nil {
		return out, err
	}
	if string(said.ID) != i.Key {
		return out, replica.ErrMalformed
	}
	if err := said.Verify(j.owner); err != nil {
		return out, err
	}
	was, err := j.w.Attached(machineSpace, i.Key, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return out, err
	}
	both, err := admit(j.kernel, j.w, said, learned)
	data := string(replica.Encode(both))
	return outcome{changed: data != string(was.Data), differs: data != string(i.Data)}, err
}

// sendBack stores the attachments of all items in differ anew. Their new numbers follow the
// skipped span, so that the items are sent to the other machine.
func (j *messageJoin) sendBack() error {
	for _, i := range j.differ {
		space, key := spaceOf(i)
		a, err := j.w.Attached(space, key, 0)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = store.PutAttachment(j.w, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// spaceOf returns the space and the key of the attachment that describes an item.
func spaceOf(i replica.Item) (space, key string) {
	switch i.Kind {
	case replica.KindMachine:
		return machineSpace, i.Key
	case replica.KindErasure:
		return markSpace, i.Key
	case replica.KindLesson:
		return vault.LessonSpace, i.Key
	case replica.KindAttachment:
		return before(i.Key), after(i.Key)
	}
	return itemSpace, itemKey(i.Kind, i.Key)
}
