// Package memories holds the commands that keep and find memories: remember, recall,
// list, get, history, revise, forget, erase, brief and projects.
package memories
