// Package source opens what a person names – a file, a folder, or "-" for
// standard input – as a [codec.Source].
//
//	named               -> becomes
//	regular file        File, read in place
//	folder              Tree, which never leaves the folder
//	"-"                 File, spooled to a temporary file only its owner can read
//	gzip file           File of what it holds, spooled likewise
//	zip, tar, tar.gz    Tree, or File where it holds but one; told by what they begin with
//	device, pipe, socket  refused: reading one may block, never end, or act
//
// A folder's tree follows a link to a file as long as the file lies inside the
// folder. It never enters a folder through a link, so no path can run in
// circles and nothing is met twice under two folders' names.
//
// An archive is read to its end, and judged, before anybody sees a file of it: small
// files and what is not compressed stay where they are, the others go to a temporary file
// that only its owner can read. Nothing is ever written under a name that an archive
// gives, so that names which differ in case alone are as good as any. A folder that holds
// everything is entered. Archives that lie at the top, as parts of an export do, are
// opened in their place if they are called .zip or .tar; one that lies there alone is
// whatever it is called, and so is a compressed file. Those within them stay as they are,
// or are refused where there is nothing else. What macOS adds in __MACOSX is no part of it.
//
//	rule        what it says
//	ARCHIVE-1   an archive can be read to its end and holds what it says
//	ARCHIVE-2   paths stay within it, and are UTF-8 without backslashes
//	ARCHIVE-3   it holds files and folders: no links, devices or holes
//	ARCHIVE-4   no path is there twice
//	ARCHIVE-5   files and folders, with those in its parts, are no more than the limit
//	ARCHIVE-6   what comes out, all in all, is no more than the limit on a document
//	ARCHIVE-7   nor more than 300 times what it is packed in, beyond 16 MiB
//	ARCHIVE-8   files are stored or deflated, and not encrypted
//	ARCHIVE-9   files do not lie upon each other
//	ARCHIVE-10  what lies in its parts has names of its own; no archive is compressed again
//
// The limits hold for what comes out, not for what headers say.
package source
