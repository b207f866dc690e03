// Package filelock locks files between processes by means of the operating system, which
// frees the locks of a process that dies. A lock belongs to an opened file: another that
// is opened on the same path, in the same process too, does not have it.
package filelock
