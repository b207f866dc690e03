#!/bin/sh
# The smallest runtime with curl and jq: the context behind a system prompt. The
# address of the store is the argument, the token is in $ENGRAM_TOKEN. It relies on
# TLS alone: it looks at the expiry, and not at the signature.
set -eu
base=${1%/}
context=$(printf 'header = "Authorization: Bearer %s"\n' "$ENGRAM_TOKEN" |
  curl --silent --show-error --fail --max-time 30 --max-redirs 0 --config - "$base/v1/context")
printf '%s' "$context" | jq -e --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '.expires_at > $now' >/dev/null ||
  { echo "Engram export has expired — fetch a fresh one" >&2; exit 1; }
echo "You are a helpful assistant."
echo
printf '%s' "$context" | jq -r 'def line: gsub("[[:cntrl:]\u2028\u2029]+"; " ");
  "User: \(.identity.display_name | line)\nTimezone: \(.identity.timezone | line)\n\nWhat I know about this user:",
  (.beliefs[] | select(.status == "active" and (.confidence // 0) >= 0.5) | "- \(.key | line): \(.value | line)")'
