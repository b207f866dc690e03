#!/usr/bin/env bash
# A store in a temporary folder, the sample imported, three questions, a fact
# corrected and forgotten, and the line that connects an assistant. Nothing
# outside that folder is touched. The argument is the program to show; without
# one it is bin/satchel.
set -eu

program=${1:-$(dirname "$0")/../bin/satchel}
if [ ! -x "$program" ]; then
  echo "there is no $program; build it with: make" >&2
  exit 1
fi
satchel=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
sample=$(cd "$(dirname "$0")/sample" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

run() {
  printf '\n$ satchel'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  "$satchel" --store "$folder/store" "$@"
}

run init
run import "$sample/memory.jsonl"
run import "$sample/claude-code"

run recall "Which package manager should I use for the web page?" --limit 3 --why
run recall "Why did we stop using MQTT?" --limit 3 --why
run recall "What food is Mira allergic to?" --limit 3 --why

run remember "The office is on the second floor"
id=$("$satchel" --store "$folder/store" recall -q --json --limit 1 "Where is the office?" | grep -o 'urn:ump:[a-z2-7]*' | head -n 1)
run revise "$id" --text "The office is on the fourth floor"
run recall "Where is the office?" --limit 1
run history "$id"
run forget "$id" --chain
run recall "Where is the office?" --limit 1
run brief --budget 300

run connect claude-code --print --no-instructions
