#!/usr/bin/env bash
# All of `make test`. With a command, runs that instead, in the same surroundings:
#
#   test/env/run.sh [--durable [--counted]] [COMMAND…]
#
# --durable gives a PostgreSQL that syncs to disk, as the figures of a benchmark need, --counted one that also counts statements. Whatever is started here is stopped,
# and the temporary folders removed, on success, failure and Ctrl-C alike.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source test/env/find.sh
source test/env/postgres.sh
source test/env/session.sh

root=$PWD
tmp=
memory=/dev/shm
database= # the folder that the database is in
durability=(fsync=off synchronous_commit=off full_page_writes=off)
failed=0
summary=()
aside=() # lines of steps that go on beside this one

main() {
  if [[ ${1:-} == --durable ]]; then
    durability=()
    shift
  fi
  if [[ ${1:-} == --counted ]]; then
    durability+=(shared_preload_libraries=pg_stat_statements)
    shift
  fi
  trap clean_up EXIT
  trap 'interrupted 129' HUP
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM

  own_folder tmp /tmp
  database=$tmp
  if ((${#durability[@]})) && in_memory; then
    own_folder database "$memory"
  fi
  mkdir -m 1777 "$tmp/tmp"
  export TMPDIR=$tmp/tmp
  # A hundred programs are linked here: a fifth of that is the linker's collecting of garbage, which nothing needs.
  # Without the name of the folder in them, packages that were compiled in another clone are found in Go's cache.
  GOFLAGS="$(go env GOFLAGS) -trimpath '-toolexec=env GOGC=400'"
  export GOFLAGS

  if surroundings; then
    if (($# > 0)); then
      step 'npm ci' install_clients && session_run "$@"
      return
    fi
    tests || true # every step is run and reported, whatever became of those before it
  fi
  join_beside || true
  report
}

# own_folder NAME DIR sets NAME to an empty folder in DIR, which this process and what it starts hold a lock on. It is the
# first that nobody holds, so that it is called as it was in the last run: Go tells by the names in a test's environment
# whether it passed before. What a run that was killed outright left in it is gone.
own_folder() {
  local -n own=$1
  local number lock folder
  for ((number = 0; number < 100; number++)); do
    folder=$2/stele-test.$EUID.$number
    mkdir "$folder" 2>/dev/null || [[ -O $folder && ! -L $folder ]] || continue # another's, where everybody may write
    { exec {lock}<"$folder"; } 2>/dev/null || continue
    if flock -n "$lock" && [[ $folder -ef /proc/self/fd/$lock ]]; then
      own=$folder
      empty_folder "$own" && chmod 711 "$own" # the database's user passes through
      return
    fi
    exec {lock}<&-
  done
  echo "no folder for the tests in $2" >&2
  return 1
}

empty_folder() {
  chmod -R u+w "$1" 2>/dev/null || true # a module cache made by a test is read-only
  find "$1" -mindepth 1 -delete
}

remove_folder() {
  empty_folder "$1"
  rmdir "$1"
}

# in_memory says whether there is a file system in memory with room for a database that nobody needs after this. Tests make
# and drop hundreds of databases of 600 files: a disk takes three times as much of a processor for that, and makes them wait.
in_memory() {
  local kind free
  read -r kind free < <(stat -f -c '%T %a %S' "$memory" 2>/dev/null | awk '{ printf "%s %d", $1, $2 * $3 / 1048576 }')
  [[ $kind == tmpfs && -w $memory && $free -ge 2048 ]]
}

# surroundings installs what is missing, starts what must run and tells the tests where it is.
surroundings() {
  local gateway
  gateway=$tmp/versitygw-$(sha256sum tools/s3/go.sum | head -c 16) # another one has another name, see own_folder
  step packages test/env/need.sh || return # on the terminal: sudo may ask for a password
  step postgresql postgres_start "$database" "${durability[@]}" &&
    step 'go build' session_run env CGO_ENABLED=0 go build '-ldflags=-s -w' -o "$tmp/stele" ./cmd/stele &&
    step 's3 server' session_run env CGO_ENABLED=0 go -C tools/s3 build -o "$gateway" github.com/versity/versitygw/cmd/versitygw || return
  STELE_TEST_CHROMIUM=$(find_chromium)
  export STELE_TEST_CHROMIUM
  export STELE_TEST_POSTGRES=$postgres_url
  export STELE_TEST_NODE=$root/test/sdk/node_modules/.bin/node
  export STELE_TEST_BINARY=$tmp/stele
  export STELE_TEST_S3GATEWAY=$gateway
  # A test that lacks something skips, which is right on a developer's machine. Here nothing is lacking: it fails.
  export STELE_TEST_REQUIRE=1
}

# tests keeps all processors busy: what does one thing after the other, or waits half of the time, has something beside it,
# and one package more than there are processors is raced at once.
tests() {
  local raced=() alone=() browsed=() outside=() walks places
  places=$(nproc)
  export CGO_ENABLED=0 # as the binary was built, so that nothing is compiled twice
  # A third of what tests of codecs take is the collecting of garbage. Servers that are tried from outside do not see this.
  export GOGC=400
  sort_packages
  mapfile -t outside < <(tested_packages test | cut -d ' ' -f 1)
  ((${#browsed[@]})) || { echo "no package walks through a browser: look at sort_packages"; exit 1; }
  beside walks_and_checks
  walks=${aside[-1]}
  # SQLite is C that was translated: the race detector makes it twenty times slower and finds nothing in it.
  step raced go_test . -race -p $((places + 1)) '-gcflags=modernc.org/...=-race=false' "${raced[@]}"
  step 'left out' skipped_tests
  beside step 'not raced' go_test . -p 1 "${alone[@]}"
  join_beside "$walks"
  export STELE_TEST_BINARY_RIGGED=$tmp/stele-rigged
  # These try the built binary: the race detector would look at the tests only. Most of them wait for more than half of the
  # time, so two packages more than there are processors run at once.
  step 'test test' go_test test -count 1 -p $((places + 2)) "${outside[@]}"
  join_beside
}

# walks_and_checks is the line beside what is raced. A browser does one thing after the other; the checks, which take all
# they can get, come after it. It has what npm brings, which nothing that is raced needs. Three of the packages from outside
# have a program that dies and errs where it is told.
walks_and_checks() {
  step 'npm ci' install_clients
  step 'in a browser' go_test . -count 1 "${browsed[@]}"
  step 'build rigged' session_run go build -tags crash,faulty '-ldflags=-s -w' -o "$tmp/stele-rigged" ./cmd/stele
  step format formatted
  step vet in_bash 'go vet -tags torture ./... && go -C tools vet ./... && go -C test vet -tags torture ./...'
  # golangci-lint takes two minutes to build on a new machine, and as long to download: it is in `make lint` only.
  step staticcheck in_bash 'export GOGC=300; for module in . test; do
    env -C "$module" go tool -modfile="$PWD/tools/go.mod" staticcheck -tags torture ./...; done'
  step licences in_bash 'go -C tools run ./licenses -root ..'
  step sbom in_bash "go -C tools run ./sbom -root .. -binary '$tmp/stele' -out '$tmp/stele.cdx.json'"
  step 'test tools' go_test tools -count 1 ./...
}

# sort_packages tells the packages that the race detector has something to look at in from those that do one thing at a
# time: their code has no goroutine, lock or atomic, and of sync no more than what is made once. These are raced where
# others call them, and all by make torture. Of these, those whose tests walk through a browser stand apart.
sort_packages() {
  local package folder files
  while read -r package folder files; do
    # shellcheck disable=SC2086 # one word per file
    if (cd "$folder" && grep -qE '^[[:space:]]*go |\.Go\(|sync\.([A-NP-Z]|Once\b)|"sync/atomic"' $files /dev/null); then
      raced+=("$package")
    elif grep -qs stele/internal/chromium "$folder"/*_test.go; then
      browsed+=("$package")
    else
      alone+=("$package")
    fi
  done < <(tested_packages .)
}

# tested_packages DIR prints the packages of a module that have tests, with their folder and files. Those with most tests
# come first, so that none of them is left for the end, when the other processors have nothing to do. One that runs alone
# counts like many.
tested_packages() {
  local package folder files alike=10000
  go -C "$1" list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}}{{end}}' ./... |
    while read -r package folder files; do
      echo "$(($(cat "$folder"/*_test.go | wc -c) + alike * $(cat "$folder"/*_test.go | grep -c 'nolint:paralleltest'))) $package $folder $files"
    done | sort -rn | cut -d ' ' -f 2-
}

# go_test DIR FLAG… PACKAGE… tests packages of the module in DIR. gotestsum names every test that was skipped, and keeps
# what happened where all was raced.
go_test() {
  local dir=$1 cgo=0 kept=()
  shift
  if [[ $1 == -race ]]; then
    cgo=1
    kept=(--jsonfile "$tmp/raced.json")
  fi
  # The race detector lets each program sleep for a second at its end.
  session_run env -C "$dir" CGO_ENABLED=$cgo GORACE=atexit_sleep_ms=100 go tool -modfile="$root/tools/go.mod" gotestsum \
    --format pkgname --format-hide-empty-pkg "${kept[@]}" -- -vet=off -timeout 15m "$@"
}

# skipped_tests runs what the race detector stands in the way of, long computations and counts of allocations: all that
# internal/race has skipped is run without.
skipped_tests() {
  local packages names
  sed -n 's/.*"Action":"output","Package":"\([^"]*\)","Test":"\([^"/]*\).*not with the race detector: .*/\1 \2/p' "$tmp/raced.json" |
    sort -u >"$tmp/skipped"
  mapfile -t packages < <(cut -d ' ' -f 1 "$tmp/skipped" | sort -u)
  names=$(cut -d ' ' -f 2 "$tmp/skipped" | sort -u | paste -sd '|')
  if ((${#packages[@]} == 0)); then
    return
  fi
  session_run env CGO_ENABLED=0 go tool -modfile=tools/go.mod gotestsum --format pkgname -- \
    -vet=off -timeout 15m -run "^($names)\$" "${packages[@]}"
}

# install_clients installs the SDKs and Node 22 unless those of this lock file are there.
install_clients() {
  local stamp=test/sdk/node_modules/.installed
  if cmp -s test/sdk/package-lock.json "$stamp"; then
    return
  fi
  session_run env -C test/sdk npm ci && cp test/sdk/package-lock.json "$stamp"
}

formatted() {
  local odd
  odd=$(find . -name node_modules -prune -o -name '*.go' -not -path '*/testdata/*' -exec gofmt -s -l {} +)
  if [[ -n $odd ]]; then
    printf '%s\n' "not formatted (make fmt):" "$odd"
    return 1
  fi
  odd=$(git ls-files -z 2>/dev/null | LC_ALL=C xargs -0r grep -laP '^\x7fELF' || true) # a program that was built in the tree
  if [[ -n $odd ]]; then
    printf '%s\n' "programs are committed:" "$odd"
    return 1
  fi
}

in_bash() {
  session_run bash -euo pipefail -c "$1"
}

# step NAME COMMAND… runs the command, in this shell, and remembers how it went and how long it took.
step() {
  local name=$1 start=$SECONDS outcome=ok
  shift
  echo "== $name"
  if ! "$@"; then
    outcome=FAILED
    failed=1
  fi
  summary+=("$(printf '%-12s %-6s %4d s' "$name" "$outcome" $((SECONDS - start)))")
  [[ $outcome == ok ]]
}

# beside COMMAND… begins a line of steps that goes on while others are run, with a session of its own. join_beside [LINE…]
# waits for those lines, or for all, shows what they printed and how they went, and fails if one did.
beside() {
  (
    exec >"$tmp/beside.$BASHPID" 2>&1
    trap session_stop EXIT
    trap 'exit 143' TERM
    aside=() summary=() failed=0
    "$@" || true
    printf '%s\n' "${summary[@]}" >"$tmp/beside.$BASHPID.summary"
    exit "$failed"
  ) &
  aside+=("$!")
}

join_beside() {
  local line lines went=0 left=()
  (($#)) || set -- "${aside[@]}"
  for line in "$@"; do
    wait "$line" || went=1
    cat "$tmp/beside.$line"
    mapfile -t lines <"$tmp/beside.$line.summary"
    summary+=("${lines[@]}")
  done
  for line in "${aside[@]}"; do
    [[ " $* " == *" $line "* ]] || left+=("$line")
  done
  aside=("${left[@]}")
  ((went == 0)) || failed=1
  return "$went"
}

report() {
  echo
  printf '  %s\n' "${summary[@]}"
  echo
  if ((failed)); then
    echo "make test: failed after $SECONDS s"
  else
    echo "make test: passed in $SECONDS s"
  fi
  return "$failed"
}

interrupted() {
  echo "interrupted: stopping what was started" >&2
  exit "$1"
}

clean_up() {
  trap '' HUP INT TERM
  set +e
  if ((${#aside[@]} > 0)); then
    kill -TERM "${aside[@]}" 2>/dev/null
    wait "${aside[@]}" 2>/dev/null
  fi
  session_stop
  postgres_stop
  if [[ -n $tmp ]]; then
    remove_folder "$tmp"
    [[ $database == "$tmp" ]] || remove_folder "$database"
  fi
}

main "$@"
