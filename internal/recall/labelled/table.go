package labelled

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Row is a line of a [Table]: the figures of a group of questions.
type Row struct {
	Set     string
	Form    string // how the records are stored: as the file states them, or changed
	Ranking string
	Group   string
	Figures
}

// key returns what tells a row from others.
func (r Row) key() [4]string { return [4]string{r.Set, r.Form, r.Ranking, r.Group} }

// Table is a list of figures.
type Table []Row

// columns are the names of the columns, in order.
var columns = strings.Fields("set form ranking group n R@1 R@5 R@10 R@20 MRR empty AUC refused kept refused@90")

const keyColumns = 4

// cells returns the figures of a row in the order of columns after the keys.
func (r *Row) cells() []*float64 {
	return []*float64{&r.At1, &r.At5, &r.At10, &r.At20, &r.MRR, &r.Empty, &r.AUC, &r.Refused, &r.Kept, &r.RefusedAt90}
}

// Write writes the table as lines of tab-separated values, the names of the columns first.
// A figure that does not apply is "-".
func (t Table) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, strings.Join(columns, "\t"))
	for _, r := range t {
		key := r.key()
		fields := append(key[:], strconv.Itoa(r.Questions))
		for _, c := range r.cells() {
			fields = append(fields, exact(*c))
		}
		fmt.Fprintln(b, strings.Join(fields, "\t"))
	}
	return b.Flush()
}

func exact(figure float64) string {
	if math.IsNaN(figure) {
		return "-"
	}
	return strconv.FormatFloat(figure, 'f', 6, 64)
}

// ReadTable reads a table that [Table.Write] wrote.
func ReadTable(r io.Reader) (Table, error) {
	var t Table
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Split(lines.Text(), "\t")
		if n == 1 {
			if !slices.Equal(fields, columns) {
				return nil, fmt.Errorf("table: the columns are %q, want %q", fields, columns)
			}
			continue
		}
		row, err := readRow(fields)
		if err != nil {
			return nil, fmt.Errorf("table: line %d: %w", n, err)
		}
		t = append(t, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if len(t) == 0 {
		return nil, fmt.Errorf("table: no rows")
	}
	return t, nil
}

func readRow(fields []string) (Row, error) {
	if len(fields) != len(columns) {
		return Row{}, fmt.Errorf("%d fields, want %d", len(fields), len(columns))
	}
	r := Row{Set: fields[0], Form: fields[1], Ranking: fields[2], Group: fields[3]}
	var err error
	if r.Questions, err = strconv.Atoi(fields[keyColumns]); err != nil {
		return Row{}, err
	}
	for i, c := range r.cells() {
		field := fields[keyColumns+1+i]
		if field == "-" {
			*c = math.NaN()
		} else if *c, err = strconv.ParseFloat(field, 64); err != nil {
			return Row{}, err
		}
	}
	return r, nil
}

// Print writes the table for people, and beside each figure how much it differs from the
// same row of before.
func (t Table) Print(w io.Writer, before Table) error {
	earlier := make(map[[4]string]Row)
	for _, r := range before {
		earlier[r.key()] = r
	}
	width := 0
	if len(before) > 0 {
		width = 6
	}
	b := bufio.NewWriter(w)
	head := fmt.Sprintf("%-9s %-11s %-7s %-32s %5s", columns[0], columns[1], columns[2], columns[3], columns[4])
	for _, name := range columns[keyColumns+1:] {
		head += fmt.Sprintf(" %*s%*s", max(5, len(name)), name, width, "")
	}
	fmt.Fprintln(b, strings.TrimRight(head, " "))
	for _, r := range t {
		line := fmt.Sprintf("%-9s %-11s %-7s %-32s %5d", r.Set, r.Form, r.Ranking, r.Group, r.Questions)
		old, known := earlier[r.key()]
		for i, c := range r.cells() {
			change := ""
			if known {
				change = short("%+.3f", *c-*old.cells()[i])
			}
			line += fmt.Sprintf(" %*s%*s", max(5, len(columns[keyColumns+1+i])), short("%.3f", *c), width, change)
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
	return b.Flush()
}

// short formats a figure without the zero before the point, and nothing for NaN and for a
// difference of nothing.
func short(format string, figure float64) string {
	text := strings.Replace(fmt.Sprintf(format, figure), "0.", ".", 1)
	if math.IsNaN(figure) || text == "+.000" || text == "-.000" {
		return ""
	}
	return text
}
