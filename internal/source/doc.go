// Package source opens what a person names – a file, a folder, or "-" for
// standard input – as a [codec.Source].
//
//	named               -> becomes
//	regular file        File, read in place
//	folder              Tree, which never leaves the folder
//	"-"                 File, spooled to a temporary file only its owner can read
//	device, pipe, socket  refused: reading one may block, never end, or act
//
// A folder's tree follows a link to a file as long as the file lies inside the
// folder. It never enters a folder through a link, so no path can run in
// circles and nothing is met twice under two folders' names.
package source
