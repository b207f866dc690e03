#!/bin/sh
# Builds the program for other systems and uses it under emulation: for Windows under Wine, for
# arm64 under QEMU. What is missing here is said and skipped; as root on Debian it is installed.
# macOS is compiled and vetted only. Call it in the root of the repository: make test-systems.
set -eu

work=$(mktemp -d "${TMPDIR:-/tmp}/satchel-systems.XXXXXX")
own=""
end() {
	for pid in $own; do kill "$pid" 2>/dev/null || :; done
	[ -z "${WINEPREFIX:-}" ] || "$(dirname "$wine")/wineserver64" -k 2>/dev/null || :
	rm -rf "$work"
}
trap end EXIT

say() { echo "test-systems: $*"; }
die() { say "$*"; exit 1; }

# installs a package of Debian, where that may be done.
installs() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends "$1"; } >"$work/apt.log" 2>&1
}

# wants runs a command and wants a text in what it prints. The program reads nothing.
wants() {
	text=$1; shift
	"$@" >"$work/out" 2>&1 </dev/null || { cat "$work/out"; die "$* failed"; }
	grep -qF -e "$text" "$work/out" || { cat "$work/out"; die "$* does not print: $text"; }
}

# walk uses a program from the first memory to a restored backup. Its arguments start the
# program; $place is a folder as the program names it.
walk() {
	wants "owner" "$@" init
	wants "urn:ump:" "$@" remember "Ada keeps bees"
	wants "Ada keeps bees" "$@" recall bees
	{
		echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
		echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
		echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"bees"}}}'
		sleep 10
	} | "$@" mcp >"$work/mcp" 2>/dev/null || :
	grep -q "Ada keeps bees" "$work/mcp" || die "$*: mcp does not answer"
	wants "written to" "$@" backup -o "${place}b.tar"
	wants "restored" "$@" --store "${place}other" restore "${place}b.tar"
	wants "Ada keeps bees" "$@" --store "${place}other" recall bees
	wants "chunk" "$@" export -o "${place}out.aimem.json"
	wants "written to" "$@" connect claude-desktop
}

# answers waits until a server is ready.
answers() {
	for _ in $(seq 100); do
		[ "$(curl -s -m 2 "http://127.0.0.1:$1/readyz")" = ready ] && return
		sleep 0.3
	done
	die "the server at port $1 does not answer"
}

arm64() {
	[ "$(uname -m)" != aarch64 ] || { say "linux/arm64 is this machine"; return; }
	qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || { installs qemu-user-static && qemu=$(command -v qemu-aarch64-static); } ||
		{ say "skipped: QEMU is missing, so nothing was tried on arm64 (apt-get install qemu-user-static)"; return; }
	CGO_ENABLED=0 GOARCH=arm64 go build -o "$work/satchel" ./cmd/satchel
	mkdir "$work/home"; place=$work/
	walk env -i HOME="$work/home" PATH="$PATH" "$qemu" "$work/satchel"
	env -i HOME="$work/home" PATH="$PATH" "$qemu" "$work/satchel" serve --addr 127.0.0.1:17871 2>"$work/serve" & own="$own $!"
	answers 17871
	say "linux/arm64 under QEMU: used from init to serve"
}

windows() {
	wine=/usr/lib/wine/wine64
	[ -x "$wine" ] || wine=$(command -v wine64 || command -v wine) || { installs wine64 && wine=/usr/lib/wine/wine64 && [ -x "$wine" ]; } ||
		{ say "skipped: Wine is missing, so nothing was tried on Windows (apt-get install wine64)"; return; }
	GOOS=windows GOARCH=amd64 go build -o "$work/satchel.exe" ./cmd/satchel
	export WINEPREFIX="$work/wine" WINEDEBUG=-all HOME="$work"
	"$wine" wineboot -i >/dev/null 2>&1 || die "Wine does not start"
	library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
	[ -e "$library" ] || (cd test/systems && HOME=$home go run . "$library")
	place='C:\'
	walk "$wine" "$work/satchel.exe"
	wants "running since" "$wine" "$work/satchel.exe" service install -- --addr 127.0.0.1:17872
	answers 17872
	wants "stopped" "$wine" "$work/satchel.exe" service stop
	cp "$work/satchel.exe" "$work/next.exe"; echo >>"$work/next.exe"
	wants "the backup from before" "$wine" "$work/next.exe" service upgrade
	answers 17872
	wants "your memory stays" "$wine" "$work/next.exe" service uninstall
	# Tests of packages that ask the system. Wine 8 cannot remove files as Go removes those of
	# tests, so that a complaint about that alone counts as none.
	for package in group startup; do
		HOME=$home GOOS=windows GOARCH=amd64 go test -c -o "$work/$package.exe" "./internal/$package"
		(cd "internal/$package" && "$wine" "$work/$package.exe" -test.short >"$work/out" 2>&1) || ! grep -E '_test\.go:[0-9]+:|^panic:' "$work/out" || die "the tests of internal/$package fail on Windows"
		grep -qE '^(PASS|FAIL)' "$work/out" || { cat "$work/out"; die "the tests of internal/$package did not run on Windows"; }
	done
	say "windows/amd64 under Wine: used from init to the upgrade of its service; the tests of what asks the system"
}

home=$HOME
GOOS=darwin GOARCH=arm64 go vet ./internal/access ./internal/group ./internal/filelock ./internal/startup ./internal/store/sqlite ./internal/cli/... ./cmd/satchel
say "darwin/arm64: compiles, tests too; there is no macOS here to run it on"
arm64
windows
