package sqlite

import "encoding/binary"

// SQLite's secure_delete overwrites what a deletion frees, with one exception:
// when the cells of a full page move to its neighbours, copies of them stay in
// the page's unallocated middle, and outlive the rows. A sweep overwrites
// these middles.
//
// The layout of a page is that of section 1.6 of SQLite's file format:
//
//	header  type (1), first freeblock (2), cells (2), start of content (2), …
//	        8 bytes for a leaf, 12 for an interior page; on page 1 at offset 100
//	cells   an array of 2-byte pointers
//	middle  unallocated: what is overwritten
//	content from the start of content to the end of the page
//
// A page is known by its first byte, which works for files of up to maxPages;
// larger ones are written anew.
const maxPages = 1 << 25 // 128 GiB

func scrubPage(c *conn, page int) error {
	var data []byte
	if err := c.first("SELECT data FROM sqlite_dbpage WHERE pgno = ?", []any{page}, &data); err != nil {
		return err
	}
	middle := unallocated(data, page == 1)
	if !stained(middle) {
		return nil
	}
	clear(middle)
	_, err := c.exec("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", data, page)
	return err
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
