package sqlite

// Head returns the owner's counter of changes.
func (s *session) Head() (int64, error) { return s.owner.sequence, s.ready() }
