// Package group starts programs so that each can be ended together with everything that it
// has started: as a group of processes on Unix, as a job on Windows. On Windows the group also
// ends when this process dies.
package group
