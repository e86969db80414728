# shellcheck shell=bash
# A throw-away PostgreSQL: postgres_start, then $postgres_url, then postgres_stop. Sourced by run.sh, after find.sh.

postgres_pid=
postgres_url=

# postgres_start DIR [SETTING=VALUE…] makes a cluster in DIR/postgres and waits until it answers on a free loopback port:
# that of the number DIR ends with, if it is free.
postgres_start() {
  local data=$1/postgres usual=${1##*.} setting settings=() port try
  local bin as=(env LC_ALL=C setpriv --pdeathsig INT) # should this shell be killed outright, the server still ends
  shift
  bin=$(find_postgres) && mkdir "$data" || return
  if ((EUID == 0)); then # PostgreSQL refuses to run as root
    local user=nobody
    if id -u postgres >/dev/null 2>&1; then user=postgres; fi
    as+=(--reuid "$(id -u "$user")" --regid "$(id -g "$user")" --clear-groups)
    chown "$user" "$data" || return
  fi
  if ! (cd "$data" && "${as[@]}" "$bin/initdb" -D "$data/cluster" -U stele --auth trust --encoding UTF8 \
    --locale "$(postgres_locale)" --no-sync) >"$data.log" 2>&1; then
    cat "$data.log" >&2
    return 1
  fi
  for setting in listen_addresses=127.0.0.1 unix_socket_directories= max_connections=500 timezone=UTC "$@"; do
    settings+=(-c "$setting")
  done
  for try in 1 2 3 4 5; do # another program may take the port first
    port=$((20000 + (try == 1 ? usual : RANDOM % 12000))) # below the range the kernel hands out by itself
    (cd "$data" && exec setsid "${as[@]}" "$bin/postgres" -D "$data/cluster" -p "$port" "${settings[@]}") \
      >>"$data.log" 2>&1 </dev/null &
    postgres_pid=$!
    if postgres_ready "$data/cluster/postmaster.pid"; then
      # shellcheck disable=SC2034 # read by run.sh
      postgres_url="postgres://stele@127.0.0.1:$port/stele?sslmode=disable"
      "$bin/createdb" -h 127.0.0.1 -p "$port" -U stele stele
      return
    fi
  done
  echo "PostgreSQL did not start, tried $try times:" >&2
  tail -n 20 "$data.log" >&2
  return 1
}

# postgres_ready FILE waits until the server has written in its own file that it is ready, and fails if it ends before.
# Asking the port instead could be answered by somebody else's server.
postgres_ready() {
  while kill -0 "$postgres_pid" 2>/dev/null; do
    if [[ $(sed -n 8p "$1" 2>/dev/null) == ready* ]]; then
      return
    fi
    sleep 0.1
  done
  postgres_pid=
  return 1
}

# postgres_stop ends the server: kindly, and after ten seconds at once.
postgres_stop() {
  local i
  if [[ -z $postgres_pid ]]; then
    return
  fi
  kill -INT "$postgres_pid" 2>/dev/null || true
  for ((i = 0; i < 100; i++)); do
    kill -0 "$postgres_pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -QUIT "$postgres_pid" 2>/dev/null || true
  wait "$postgres_pid" 2>/dev/null || true
  postgres_pid=
}

postgres_locale() {
  if locale -a 2>/dev/null | grep -qix 'c\.utf-\?8'; then echo C.UTF-8; else echo C; fi
}
