#!/bin/sh
# Finds the tests that run without the race detector: those that say racing.Skip(t), and
# those that say onEach(t for their turn over the embedded store. TestStore is the suite of
# stores, parts of which say racing.Skip. Prints a regular expression of their names, or
# with the argument "packages" the folders of their packages.
set -eu
cd "$(dirname "$0")/../.."
marked() {
  find internal ump aimem -name '*_test.go' -exec awk '
    /^func / {name = ""}
    /^func Test/ {name = $2; sub(/\(.*/, "", name)}
    name != "" && (name == "TestStore" || /racing\.Skip\(t\)|[oO]nEach\(t,/) {
      folder = FILENAME; sub(/\/[^\/]*$/, "", folder); print name, "./" folder
    }' {} +
}
if [ "${1:-}" = packages ]; then
  marked | sed 's/.* //' | sort -u
else
  marked | sed 's/ .*//' | sort -u | { printf '^('; paste -sd '|' - | tr -d '\n'; printf ')$\n'; }
fi
