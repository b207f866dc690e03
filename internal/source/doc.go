// Package source opens an input – a file, a folder, or "-" for standard input – as a
// [codec.Source].
//
//	input               -> becomes
//	regular file        File, read in place
//	folder              Tree, which never leaves the folder
//	"-"                 File, spooled to a temporary file only its owner can read
//	gzip file           File of its content, spooled likewise
//	zip, tar, tar.gz    Tree, or File if it holds only one; recognised by the first bytes
//	device, pipe, socket  refused: reading one may block, never end, or act
//
// A folder's tree follows a link to a file as long as the file lies inside the
// folder. It never enters a folder through a link, so that no path runs in a
// circle and no file occurs under two folders' names.
//
// The package reads an archive to its end and checks it before it shows a file of it. Small
// files and uncompressed files stay in place, the others go to a temporary file that only
// its owner can read. It never writes under a name from an archive, so that names may
// differ in case alone. It enters a folder that holds everything. It also opens archives at
// the top of an archive, as exports in parts have them, if their names end in .zip or .tar.
// An archive alone there is opened whatever its name, and so is a compressed file. Archives
// further inside stay files, or are refused if there is nothing else. The folder __MACOSX,
// which macOS adds, is ignored.
//
//	rule        what it says
//	ARCHIVE-1   an archive can be read to its end and holds what it says
//	ARCHIVE-2   paths stay inside it, and are UTF-8 without backslashes
//	ARCHIVE-3   it holds files and folders: no links, devices or holes
//	ARCHIVE-4   no path occurs twice
//	ARCHIVE-5   files and folders, with those in its parts, are within the limit
//	ARCHIVE-6   the unpacked size, all in all, is within the limit on a document
//	ARCHIVE-7   and at most 300 times the packed size, beyond 16 MiB
//	ARCHIVE-8   files are stored or deflated, and not encrypted
//	ARCHIVE-9   files do not overlap
//	ARCHIVE-10  the content of its parts has names of its own; no archive is compressed again
//
// The limits apply to the unpacked data, not to the sizes in headers.
package source
