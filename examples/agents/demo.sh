#!/usr/bin/env bash
# An agent from its definition to its answer, in a store in a temporary folder: it
# books a receipt, is killed in the middle of that, goes on, and asks before it books
# a large one. A script answers in place of a model, so nobody is asked anything.
# Nothing outside that folder is touched. The argument is the program to show;
# without one it is bin/satchel.
set -eu

program=${1:-$(dirname "$0")/../../bin/satchel}
if [ ! -x "$program" ]; then
  echo "there is no $program; build it with: make" >&2
  exit 1
fi
satchel=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
demo=$(cd "$(dirname "$0")/demo" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
model=script:$demo/script.jsonl

agent() {
  printf '\n$ satchel agent'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  "$satchel" --store "$folder/store" agent "$@" 2>&1
}
quiet() { "$satchel" --store "$folder/store" agent "$@"; }
field() { quiet runs --json | sed -n "s/.*\"$1\": \"\\([^\"]*\\)\".*/\\1/p" | head -n 1; }

# The owner registers a function: a command that books and then takes its time.
"$satchel" --store "$folder/store" init -q >init.txt 2>&1
mkdir -p store/run
cat >store/run/tools.json <<END
{"functions": [{"name": "book", "command": ["/bin/sh", "-c", "cat >>$folder/books.txt; sleep 2; echo booked"]}]}
END

agent add "$demo/clerk.json"
agent grant 7b1f6d0e book
agent run 7b1f6d0e --input "Book 12 and 900." --model "$model" --dry-run

printf '\n--- the run is killed while the first receipt is being booked\n'
printf '\n$ satchel agent run 7b1f6d0e --input "Book 12 and 900." &\n'
"$satchel" --store "$folder/store" agent run 7b1f6d0e --input "Book 12 and 900." --model "$model" 2>&1 &
pid=$!
for _ in $(seq 200); do
  [ -s books.txt ] && break
  sleep 0.05
done
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
printf '$ kill -9 %s\n' "$pid"

printf '\n--- it goes on; nobody knows what became of the call, so nothing makes it again\n'
run=$(field run_id)
agent resume "$run" --model "$model" || [ $? = 5 ]

printf '\n--- the large receipt waits for a person, who approves exactly that call\n'
agent runs
agent approve "$run" --digest "$(field digest)"
agent resume "$run" --model "$model"

printf '\n--- what was booked: each receipt once\n'
grep -o '{[^}]*}' books.txt
