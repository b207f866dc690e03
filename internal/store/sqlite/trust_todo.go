package sqlite

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
)

var errTodo = errors.New("not there yet")

func (s *session) Lessons(n []int64) ([]store.Lesson, error) {
	return make([]store.Lesson, len(n)), nil
}
func (s *session) Grants() ([]store.Grant, error)               { return nil, nil }
func (s *session) Grant(string) (store.Grant, error)            { return store.Grant{}, store.ErrNotFound }
func (s *session) AuditSize() (int64, int64, error)             { return 0, 0, nil }
func (s *session) AuditEntries(int64, int) ([][]byte, error)    { return nil, nil }
func (s *session) AuditHashes([]int64) ([][]byte, error)        { return nil, store.ErrNotFound }
func (s *session) AuditHead() ([]byte, error)                   { return nil, nil }
func (w *writer) SetLesson(int64, store.Lesson) error           { return errTodo }
func (w *writer) SetGrant(store.Grant) error                    { return errTodo }
func (w *writer) AppendAudit(_, _ [][]byte) error               { return errTodo }
func (w *writer) SetAuditHead([]byte) error                     { return errTodo }
func (w *writer) EraseOwner() error                             { return errTodo }
func (s *Store) Watch(context.Context) (<-chan struct{}, error) { return nil, errTodo }
