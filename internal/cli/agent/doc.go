// Package agent holds the commands of satchel agent, which write, check, sign, convert,
// keep and send definitions of agents and the states of their runs.
package agent
