//go:build !race

package sqlite

const racing = false
