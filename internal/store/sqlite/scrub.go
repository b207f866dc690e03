package sqlite

func scrub(c *conn) error { return nil }
