package sqlite

import "context"

// transaction is one batch of Updates. The first runs in the transaction itself and
// every later one in a savepoint, so that a single Update costs no savepoint.
type transaction struct {
	*committer
	open bool
	held []*job // succeeded, and wait for the commit
}

// add runs an Update. If it fails, add undoes its writes and answers it.
func (t *transaction) add(j *job) {
	if !j.taken.CompareAndSwap(false, true) {
		return // its caller gave up
	}
	if err := t.run(j); err != nil {
		t.undo(j, err)
		return
	}
	t.held = append(t.held, j)
}

// run gives j its turn and waits until it has run.
func (t *transaction) run(j *job) error {
	if err := t.start(); err != nil {
		return err
	}
	nested := len(t.held) > 0
	if nested {
		if _, err := t.c.exec("SAVEPOINT one"); err != nil {
			return translate("write", err)
		}
	}
	w := t.writer(j.ctx, t.c, j.owner)
	defer w.end()
	if err := w.begin(); err != nil {
		return err
	}
	j.turn <- w
	if err := <-j.ran; err != nil {
		return err
	}
	if err := w.finish(); err != nil || !nested {
		return err
	}
	_, err := t.c.exec("RELEASE one")
	return translate("write", err)
}

// start begins the transaction unless it has begun.
func (t *transaction) start() error {
	if t.open {
		return nil
	}
	if err := t.connect(); err != nil {
		return err
	}
	err := t.begin(context.Background(), t.c, "BEGIN IMMEDIATE")
	t.open = err == nil
	return translate("write", err)
}

// undo takes back the writes of j. After some failures, such as a full disk, SQLite
// has already rolled back the whole transaction. Then the Updates that wait for its
// commit run again, each alone, so that each gets its own answer.
func (t *transaction) undo(j *job, cause error) {
	if len(t.held) == 0 {
		t.rollback()
		j.end(cause)
		return
	}
	_, err := t.c.exec("ROLLBACK TO one")
	if err == nil {
		_, err = t.c.exec("RELEASE one")
	}
	j.end(cause)
	if err == nil {
		return
	}
	t.rollback()
	again := t.held
	t.held = nil
	for _, j := range again {
		t.alone(j)
	}
}

// alone runs an Update in a transaction of its own.
func (t *transaction) alone(j *job) {
	if err := t.run(j); err != nil {
		t.rollback()
		j.end(err)
		return
	}
	t.held = []*job{j}
	t.commit()
	t.held = nil
}

// commit makes the batch durable and answers everyone in it.
func (t *transaction) commit() {
	if len(t.held) == 0 {
		t.rollback()
		return
	}
	_, call := t.meter.Statement(context.Background(), "commit")
	err := persist(context.Background(), t.opt.BusyTimeout, func() error {
		_, err := t.c.exec("COMMIT")
		return err
	})
	call.End(translate("commit", err))
	if err != nil {
		t.rollback()
	} else {
		t.watch.signal()
	}
	t.open = false
	for _, j := range t.held {
		j.end(translate("commit", err))
	}
}

// rollback ends the transaction. After some failures SQLite has ended it already and
// returns an error; rollback then closes the connection.
func (t *transaction) rollback() {
	if !t.open {
		return
	}
	t.open = false
	if _, err := t.c.exec("ROLLBACK"); err != nil {
		t.drop()
	}
}
