// Package filelock locks files between processes through the operating system, which frees
// the locks of a process that dies. A lock belongs to one open file. Opening the same path
// again, even in the same process, does not share it.
package filelock
