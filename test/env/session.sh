# shellcheck shell=bash
# Runs a command in a session of its own, so that it can be ended with everything it started. Sourced by run.sh.

session=

# session_run COMMAND… runs it to its end and returns its status. What it left running is named and ended.
session_run() {
  local status=0 left
  # A shell without job control starts its background commands deaf to Ctrl-C: env gives them their hearing back.
  setsid env --default-signal=INT,QUIT "$@" </dev/null &
  session=$!
  wait "$session" || status=$?
  left=$(session_list)
  if [[ -n $left ]]; then
    sleep 1 # a browser's helpers take a moment to follow it
    left=$(session_list)
  fi
  if [[ -n $left ]]; then
    echo "left running, ended now:" >&2
    ps -o pid,args -p "${left//$'\n'/,}" >&2 || true
  fi
  session_stop
  return "$status"
}

# session_stop ends every process of the session: kindly, and after five seconds at once.
session_stop() {
  local i signal=TERM left
  if [[ -z $session ]]; then
    return
  fi
  for ((i = 0; i < 100; i++)); do
    left=$(session_list)
    if [[ -z $left ]]; then
      break
    fi
    if ((i == 50)); then
      signal=KILL
    fi
    if ((i % 50 == 0)); then
      # shellcheck disable=SC2086 # one word per process
      kill -s "$signal" $left 2>/dev/null || true
    fi
    sleep 0.1
  done
  session=
}

# session_list prints the processes of the session, a line each. The fields of stat after the name are: state, parent,
# group, session.
session_list() {
  local file line fields
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    read -ra fields <<<"${line##*) }"
    if [[ ${fields[3]} == "$session" && ${fields[0]} != Z ]]; then
      file=${file%/stat}
      echo "${file##*/}"
    fi
  done
}
