// Package size reads and writes numbers of bytes as people do, and cuts texts to them.
package size

import (
	"fmt"
	"math"
	"strconv"

	"github.com/satchel-memory/satchel/text/pattern"
)

// Bytes is a number of bytes: 1000, 64K, 200M, 2G or 1T, in powers of 1024.
type Bytes int64

// form is a number with a unit or without, which may be written out: 2G, 2GB and 2GiB.
var form = pattern.New(`^([0-9]{1,18})([KMGT]?)(?:i?B)?$`)

const units = "KMGT"

// UnmarshalText reads what a person typed. "none" is 0: no limit.
func (b *Bytes) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*b = 0
		return nil
	}
	m := form.FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("not a number of bytes; write 1000000, 200M or 2G, or none")
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := 0
	for i, unit := range units {
		if m[2] == string(unit) {
			shift = 10 * (i + 1)
		}
	}
	if err != nil || n > math.MaxInt64>>shift {
		return fmt.Errorf("more bytes than can be counted")
	}
	*b = Bytes(n << shift)
	return nil
}

// Exact writes the number in the shortest form that UnmarshalText reads.
func (b Bytes) Exact() string {
	n, unit := int64(b), ""
	for i := 0; i < len(units) && n != 0 && n%1024 == 0; i++ {
		n, unit = n/1024, units[i:i+1]
	}
	return strconv.FormatInt(n, 10) + unit
}

// String writes the number for people, rounded: 1.5 KiB.
func (b Bytes) String() string {
	n, i := float64(b), 0
	for n >= 1024 && i < len(units) {
		n, i = n/1024, i+1
	}
	unit := "bytes"
	switch {
	case b == 1:
		unit = "byte"
	case i > 0:
		unit = units[i-1:i] + "iB"
	}
	if i == 0 || n == math.Trunc(n) {
		return fmt.Sprintf("%.0f %s", n, unit)
	}
	return fmt.Sprintf("%.1f %s", n, unit)
}
