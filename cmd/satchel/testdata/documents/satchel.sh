#!/bin/sh
# satchel, but serve goes on in the background as in another terminal, at the free
# port of this document, until another serve begins or the document ends.
if [ "$1" != serve ]; then exec "$PROGRAM" "$@"; fi
for word; do case $word in --help) exec "$PROGRAM" "$@" ;; --addr*) named=yes ;; esac; done
if [ -f "$SERVE/pid" ]; then
  kill "$(cat "$SERVE/pid")"
  while kill -0 "$(cat "$SERVE/pid")" 2>/dev/null; do sleep 0.02; done
fi
if [ -z "$named" ]; then shift; set -- serve --addr "127.0.0.1:$PORT" "$@"; fi
"$PROGRAM" "$@" >"$SERVE/out" 2>"$SERVE/log" </dev/null &
echo $! >"$SERVE/pid"
until grep -q 'serving' "$SERVE/log"; do
  kill -0 $! 2>/dev/null || { cat "$SERVE/log" >&2; exit 1; }
  sleep 0.02
done
