#!/bin/sh
# Runs after the package is removed or upgraded: Debian says remove, purge or upgrade, RPM how many
# versions are left.
case "$1" in
remove | purge | 0)
	echo "satchel: the program is removed. Nobody's memories are: they stay in ~/.local/share/satchel of each"
	echo "satchel: user, or where SATCHEL_STORE says. Assistants still name the program in their settings."
	;;
esac
