#!/usr/bin/env bash
# A store in a temporary folder, the sample imported, three questions, and the
# line that connects an assistant. Nothing outside that folder is touched.
set -eu

satchel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
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

run connect claude-code --print
