// Command systems writes bcryptprimitives.dll, which programs of Go need on Windows and Wine
// before release 9 lacks. It holds no code: its one function is forwarded to the one of
// advapi32.dll that does the same.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: systems FILE.dll")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], library(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The one section begins at the same place in the file and, further on, in memory.
const (
	fileAt   = 0x200
	memoryAt = 0x1000
	length   = 0x200
)

// library is a DLL of one section (the Portable Executable format of Microsoft) that holds
// a table of exports.
func library() []byte {
	b := make([]byte, fileAt+length)
	le := binary.LittleEndian
	at := 0x40
	copy(b, "MZ")
	le.PutUint32(b[0x3c:], uint32(at))
	copy(b[at:], "PE\x00\x00")
	header := b[at+4:]
	le.PutUint16(header, 0x8664)      // for amd64
	le.PutUint16(header[2:], 1)       // sections
	le.PutUint16(header[16:], 240)    // of the optional header
	le.PutUint16(header[18:], 0x2022) // a DLL, with large addresses
	optional := header[20:]
	le.PutUint16(optional, 0x20b) // of 64 bits
	le.PutUint64(optional[24:], 0x180000000)
	le.PutUint32(optional[32:], 0x1000) // alignment in memory
	le.PutUint32(optional[36:], 0x200)  // and in the file
	le.PutUint16(optional[40:], 6)      // of the system
	le.PutUint16(optional[48:], 6)
	le.PutUint32(optional[56:], 0x2000) // of the image
	le.PutUint32(optional[60:], fileAt)
	le.PutUint16(optional[68:], 3)     // the console
	le.PutUint16(optional[70:], 0x100) // may be loaded anywhere: there is nothing to relocate
	le.PutUint32(optional[108:], 16)   // directories
	le.PutUint32(optional[112:], memoryAt)
	le.PutUint32(optional[116:], 0x100) // of the exports: a function that points into them is forwarded
	section := optional[240:]
	copy(section, ".rdata")
	le.PutUint32(section[8:], length)
	le.PutUint32(section[12:], memoryAt)
	le.PutUint32(section[16:], length)
	le.PutUint32(section[20:], fileAt)
	le.PutUint32(section[36:], 0x40000040) // data to read

	exports := b[fileAt:]
	const functions, names, ordinals, self, name, forward = 0x40, 0x50, 0x60, 0x70, 0x90, 0xb0
	le.PutUint32(exports[12:], memoryAt+self)
	le.PutUint32(exports[16:], 1) // the first number
	le.PutUint32(exports[20:], 1) // functions
	le.PutUint32(exports[24:], 1) // names
	le.PutUint32(exports[28:], memoryAt+functions)
	le.PutUint32(exports[32:], memoryAt+names)
	le.PutUint32(exports[36:], memoryAt+ordinals)
	le.PutUint32(exports[functions:], memoryAt+forward)
	le.PutUint32(exports[names:], memoryAt+name)
	copy(exports[self:], "bcryptprimitives.dll")
	copy(exports[name:], "ProcessPrng")
	copy(exports[forward:], "advapi32.SystemFunction036")
	return b
}
