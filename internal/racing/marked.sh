#!/bin/sh
# Prints a regular expression of the tests that say racing.Skip(t): those that run without
# the race detector only. TestStore is the suite of stores, parts of which say so.
set -eu
cd "$(dirname "$0")/../.."
find internal ump aimem -name '*_test.go' -exec awk '
  /^func Test/ {name = $2; sub(/\(.*/, "", name)}
  /racing\.Skip\(t\)/ {print name}' {} + | sort -u | { printf '^(TestStore'; while read -r name; do printf '|%s' "$name"; done; printf ')$\n'; }
