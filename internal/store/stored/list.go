package stored

import "time"

// ListSQL are a store's statements that list rows of agents, the latest first.
type ListSQL struct {
	Latest   string // selects a number of rows
	Later    string // selects them after a place
	LatestOf string // selects a number of rows of an agent
	LaterOf  string // selects them after a place
}

// rowPlace is a row's place in a list; one without an id is before the first.
type rowPlace struct {
	at time.Time
	id string
}

// latest lists rows of an agent, or of all where agent is empty. The first column of their
// table is the id; at is the place of the column by which they are ordered.
func latest[T any](tx Tx, q *ListSQL, t Table, at int, of func([]any) T, agent string, after rowPlace, max int) ([]T, error) {
	var start []any
	if after.id != "" {
		start = []any{Micros(after.at), tx.Key(after.id)}
	}
	return listed(tx, t, at, of, start, max, func(place []any, limit int) (query string, args []any) {
		if agent != "" {
			args = append(args, tx.Key(agent))
		}
		args = append(append(args, place...), limit)
		switch {
		case agent == "" && place == nil:
			return q.Latest, args
		case agent == "":
			return q.Later, args
		case place == nil:
			return q.LatestOf, args
		}
		return q.LaterOf, args
	})
}

// listed runs the statements of next, one after the other, until it has found max genuine
// rows, or there are no more. next gets the place of the last row as stored, with any change
// from outside: the columns at and id.
func listed[T any](tx Tx, t Table, at int, of func([]any) T, place []any, max int, next func(place []any, limit int) (string, []any)) (found []T, err error) {
	for len(found) < max {
		limit, seen := max-len(found), 0
		query, args := next(place, limit)
		err := tx.Whole(t.Name, query, args, func(row TableRow) error {
			seen, place = seen+1, []any{row.Values[at], row.Values[0]}
			if id, ok := row.Values[0].(string); ok {
				place[1] = tx.Key(id)
			}
			if Genuine(tx, t.Name, row) {
				found = append(found, of(row.Values))
			}
			return nil
		})
		if err != nil || seen < limit {
			return found, err
		}
	}
	return found, tx.Ready()
}
