package postgres

import "context"

// inspect looks whether the store can be used.
func (s *Store) inspect(ctx context.Context) error {
	r, err := s.reader(ctx, "")
	if err != nil {
		return err
	}
	r.end()
	go r.tx.end()
	return nil
}
