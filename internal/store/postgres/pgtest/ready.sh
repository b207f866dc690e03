#!/bin/sh
# Makes PostgreSQL ready for the tests where it can: as root on a machine with
# Debian's packages it installs what is missing, without a database that runs by
# itself. Prints "required" when PostgreSQL is there, for SATCHEL_POSTGRES, and
# nothing when the tests that need it are to be skipped. What it says goes to
# standard error.
set -eu

there() {
  for initdb in "$(command -v initdb || true)" /usr/lib/postgresql/*/bin/initdb; do
    if [ -x "$initdb" ]; then return 0; fi
  done
  return 1
}

install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends postgresql-common
  sed -i 's/^#*create_main_cluster *=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  apt-get install -qq -y --no-install-recommends postgresql
}

if ! there && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "PostgreSQL is missing; installing the package postgresql" >&2
  install >&2 || echo "the package postgresql cannot be installed" >&2
fi
if there; then
  echo required
else
  echo "PostgreSQL is not installed: tests that need it are skipped. Install version 15 or later (Debian: apt-get install postgresql)." >&2
fi
