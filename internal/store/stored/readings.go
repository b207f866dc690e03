package stored

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table readings: what assistants were given.
//
//	owner, at, nonce  key; nonce is random
//	way … question    see [store.Reading]
//	docs              numbers of records, each between commas, so that one is found by its text
var readingsTable = Named("readings")

// readingRow returns the columns of table readings for a reading.
func readingRow(r store.Reading) []any {
	return []any{Micros(r.At), r.Nonce, r.Way, r.Host, r.Project, r.Token, int64(r.Times), int64(r.Given), docsText(r.Memories), r.Question}
}

// readingOf is the inverse of [readingRow], as [AgentOf] is of [agentRow].
func readingOf(row []any) store.Reading {
	text := func(place int) string { s, _ := row[place].(string); return s }
	number := func(place int) int64 { n, _ := row[place].(int64); return n }
	return store.Reading{At: Instant(number(0)), Nonce: number(1), Way: text(2), Host: text(3), Project: text(4), Token: text(5),
		Times: int(number(6)), Given: int(number(7)), Memories: docsOf(text(8)), Question: text(9)}
}

// docsText writes numbers between commas: ",3,17,". No numbers are an empty text.
func docsText(numbers []int64) string {
	if len(numbers) == 0 {
		return ""
	}
	text := []byte{','}
	for _, n := range numbers {
		text = append(strconv.AppendInt(text, n, 10), ',')
	}
	return string(text)
}

func docsOf(text string) (numbers []int64) {
	for field := range strings.SplitSeq(strings.Trim(text, ","), ",") {
		if n, err := strconv.ParseInt(field, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// ReadingsSQL are a store's statements on readings.
type ReadingsSQL struct {
	// List selects readings before a time and a nonce, and since a time, that name a record
	// by the text of its number, empty: any; latest first, at most so many.
	List  string
	First string // selects the earliest time, NULL: there is none
	Place string // selects the time of the reading that so many are later than
	Drop  string // deletes those at a time or before, and returns the seals
}

// Readings finds the readings of an owner.
type Readings struct {
	tx  Tx
	sql *ReadingsSQL
}

// NewReadings returns the readings of the owner of a transaction.
func NewReadings(tx Tx, sql *ReadingsSQL) Readings { return Readings{tx, sql} }

// readingsPage is how many rows one statement reads.
const readingsPage = 500

// ReadingList reads page after page until enough readings match.
func (s Readings) ReadingList(f store.ReadingFilter) (found []store.Reading, err error) {
	if f.Max <= 0 {
		return nil, s.tx.Ready()
	}
	rows, err := s.rows(f, func(row TableRow, r store.Reading) bool {
		return Genuine(s.tx, readingsTable.Name, row) && (f.Token == "" || f.Token == r.Token)
	})
	for _, row := range rows {
		found = append(found, readingOf(row.Values))
	}
	return found, err
}

// rows returns the rows that wanted takes, at most f.Max.
func (s Readings) rows(f store.ReadingFilter, wanted func(TableRow, store.Reading) bool) (found []TableRow, err error) {
	at, nonce := int64(math.MaxInt64), int64(math.MaxInt64)
	if !f.Before.At.IsZero() {
		at, nonce = Micros(f.Before.At), f.Before.Nonce
	}
	since := int64(math.MinInt64)
	if !f.Since.IsZero() {
		since = Micros(f.Since)
	}
	text := ""
	if f.Memory != 0 {
		text = docsText([]int64{f.Memory})
	}
	for {
		read := 0
		page := min(f.Max-len(found), readingsPage)
		if f.Token != "" {
			page = readingsPage
		}
		err := s.tx.Whole(readingsTable.Name, s.sql.List, []any{at, nonce, since, text, page}, func(row TableRow) error {
			r := readingOf(row.Values)
			read++
			at, nonce = Micros(r.At), r.Nonce
			if len(found) < f.Max && wanted(row, r) {
				found = append(found, row)
			}
			return nil
		})
		if err != nil || read < page || len(found) >= f.Max {
			return found, err
		}
	}
}

// FirstReading looks for the earliest reading.
func (s Readings) FirstReading() (time.Time, error) {
	var at *int64
	if err := First(s.tx, s.sql.First, nil, &at); err != nil || at == nil {
		return time.Time{}, err
	}
	return Instant(*at), nil
}

// ReadingKeeper stores the readings of an owner.
type ReadingKeeper struct {
	Readings
	tx WriteTx
}

var _ store.ReadingKeeper = ReadingKeeper{}

// NewReadingKeeper returns the keeper of the readings of an Update's owner.
func NewReadingKeeper(tx WriteTx, sql *ReadingsSQL) ReadingKeeper {
	return ReadingKeeper{NewReadings(tx, sql), tx}
}

// PutReadings adds readings.
func (s ReadingKeeper) PutReadings(list []store.Reading) error {
	if err := s.tx.Enrol(); err != nil || len(list) == 0 {
		return err
	}
	return s.tx.Put(readingsTable.Name, len(list), func(i int, to []any) []any {
		return append(to, readingRow(list[i])...)
	})
}

// DropReadings drops old readings.
func (s ReadingKeeper) DropReadings(by time.Time, latest int) error {
	at := Micros(by)
	var place int64
	switch err := First(s.tx, s.sql.Place, []any{latest}, &place); {
	case err == nil:
		at = max(at, place)
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	return s.tx.Drop(s.sql.Drop, at)
}

// Unread takes deleted records, and the questions that they answered, out of the readings.
func (s ReadingKeeper) Unread(deleted []int64) error {
	if len(deleted) == 0 || !s.tx.OwnerRow().Known {
		return nil
	}
	f := store.ReadingFilter{Max: math.MaxInt}
	if len(deleted) == 1 {
		f.Memory = deleted[0]
	}
	gone := make(map[int64]bool, len(deleted))
	for _, n := range deleted {
		gone[n] = true
	}
	isGone := func(n int64) bool { return gone[n] }
	rows, err := s.rows(f, func(_ TableRow, r store.Reading) bool { return slices.ContainsFunc(r.Memories, isGone) })
	for _, row := range rows {
		r := readingOf(row.Values)
		r.Memories, r.Question = slices.DeleteFunc(r.Memories, isGone), ""
		if err = s.tx.Change(readingsTable.Name, row, readingRow(r)); err != nil {
			break
		}
	}
	return err
}
