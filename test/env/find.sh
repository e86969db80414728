# shellcheck shell=bash
# Where the programs the tests need are on this machine. Sourced by need.sh and run.sh; each function prints a path or fails.

find_postgres() { # the folder that holds initdb and postgres
  local dir
  for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) "$(dirname "$(command -v initdb || echo /nowhere/initdb)")"; do
    if [[ -x $dir/initdb && -x $dir/postgres && -x $dir/createdb ]]; then
      echo "$dir"
      return
    fi
  done
  return 1
}

find_chromium() {
  local name
  if [[ -n ${STELE_TEST_CHROMIUM:-} ]]; then
    echo "$STELE_TEST_CHROMIUM"
    return
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name"; then
      return
    fi
  done
  return 1
}

find_pgbouncer() {
  command -v pgbouncer || { [[ -x /usr/sbin/pgbouncer ]] && echo /usr/sbin/pgbouncer; }
}

find_compiler() { # the race detector links with the C compiler and its headers
  command -v "${CC:-gcc}" && [[ -e /usr/include/stdlib.h ]]
}
