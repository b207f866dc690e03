package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
)

// SQLite's secure_delete overwrites the space that a deletion frees, with one
// exception. When the cells of a full page move to its neighbours, copies of them
// stay in the page's unallocated middle and outlive the rows. A sweep overwrites
// these middles.
//
// The layout of a page is that of section 1.6 of SQLite's file format:
//
//	header  type (1), first freeblock (2), cells (2), start of content (2), …
//	        8 bytes for a leaf, 12 for an interior page; on page 1 at offset 100
//	cells   an array of 2-byte pointers
//	middle  unallocated: overwritten by a scrub
//	content from the start of content to the end of the page
//
// The first byte of a page tells its type, which works for files of up to maxPages;
// larger files are rewritten.
const maxPages = 1 << 25 // 128 GiB

// pagesAtOnce is how many pages one statement reads.
const pagesAtOnce = 64

var selectPages = `SELECT pgno, data FROM sqlite_dbpage WHERE pgno IN ` + marks(pagesAtOnce)

// scrubPages overwrites the middles of some pages, pagesAtOnce at most. It skips
// pages that are gone because the store has shrunk.
func scrubPages(ctx context.Context, c *conn, pages []int) error {
	args := make([]any, pagesAtOnce)
	for i := range args {
		args[i] = pages[min(i, len(pages)-1)]
	}
	clean := make(map[int][]byte)
	err := c.each(selectPages, args, func(rows *sql.Rows) error {
		var page int
		var data sql.RawBytes
		if err := rows.Scan(&page, &data); err != nil {
			return err
		}
		if stained(unallocated(data, page == 1)) {
			clean[page] = bytes.Clone(data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for page, data := range clean {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(unallocated(data, page == 1))
		if _, err := c.exec("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", data, page); err != nil {
			return err
		}
	}
	return nil
}

// unallocated returns the middle of a page of a table or an index. Other pages
// have none; they begin with the number of another page, whose upper byte is
// below 2 in a file of less than maxPages.
func unallocated(data []byte, first bool) []byte {
	header := data
	if first {
		header = data[100:]
	}
	size := 0
	switch header[0] {
	case 2, 5:
		size = 12
	case 10, 13:
		size = 8
	default:
		return nil
	}
	cells := int(binary.BigEndian.Uint16(header[3:]))
	content := int(binary.BigEndian.Uint16(header[5:]))
	start := len(data) - len(header) + size + 2*cells
	if content < start || content > len(data) {
		return nil
	}
	return data[start:content]
}

func stained(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return true
		}
	}
	return false
}
