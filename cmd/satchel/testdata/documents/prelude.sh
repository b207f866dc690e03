# What the shell knows before the first block of a document. TestDocuments says why.
set -eE -o pipefail
place() { at=$1; printf '\n#at %s\n' "$1"; }
curl() { command curl --fail-with-body "$@"; }
stop_serve() {
  [ -f "$SERVE/pid" ] || return 0
  served=$(cat "$SERVE/pid")
  kill "$served" 2>/dev/null || return 0
  while kill -0 "$served" 2>/dev/null; do sleep 0.02; done
}
trap 'printf "%s: ends with %s: %s\n" "$at" "$?" "$BASH_COMMAND" >&2' ERR
trap stop_serve EXIT
