# What the shell knows before the first block of a document. TestDocuments says why.
set -eE -o pipefail
place() { at=$1; printf '\n#at %s\n' "$1"; }
curl() { command curl --fail-with-body "$@"; }
# A process that has started already runs most commands: it opens the streams of this shell. It
# would end with help and with the version.
if [ "$DOOR" != 0 ]; then
satchel() {
  local arg name door in out err code
  local -a settings=()
  asked="satchel $*"
  if [ $# = 0 ]; then command satchel; return; fi
  for arg; do
    case $arg in serve | mcp | help | version | -h | --help* | --version*) command satchel "$@"; return ;; esac
  done
  for name in ${!A@} ${!B@} ${!C@} ${!D@} ${!E@} ${!F@} ${!G@} ${!H@} ${!I@} ${!J@} ${!K@} ${!L@} ${!M@} \
    ${!N@} ${!O@} ${!P@} ${!Q@} ${!R@} ${!S@} ${!T@} ${!U@} ${!V@} ${!W@} ${!X@} ${!Y@} ${!Z@}; do
    if [[ ${!name@a} == *x* ]]; then settings+=("$name=${!name}"); fi
  done
  exec {door}<>"/dev/tcp/127.0.0.1/$DOOR" {in}<&0 {out}>&1 {err}>&2 # printf has another 1 for a while
  printf '%s\0' "$PWD" 3 "/proc/$BASHPID/fd/$in" "/proc/$BASHPID/fd/$out" "/proc/$BASHPID/fd/$err" \
    "${#settings[@]}" "${settings[@]}" "$#" "$@" >&"$door"
  read -r -u "$door" code
  exec {door}>&- {in}<&- {out}>&- {err}>&-
  return "$code"
}
fi
stop_serve() {
  [ -f "$SERVE/pid" ] || return 0
  served=$(cat "$SERVE/pid")
  kill "$served" 2>/dev/null || return 0
  while kill -0 "$served" 2>/dev/null; do sleep 0.02; done
}
trap 'status=$?; case $BASH_COMMAND in "return "*) failed=$asked ;; *) failed=$BASH_COMMAND ;; esac
  printf "%s: ends with %s: %s\n" "$at" "$status" "$failed" >&2' ERR
trap stop_serve EXIT
