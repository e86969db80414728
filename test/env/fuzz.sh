#!/usr/bin/env bash
# Runs every fuzz test of the tree for the time given: fuzz.sh 10s
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

time=${1:-10s}
{ git grep --untracked -l '^func Fuzz' -- '*_test.go' || true; } | xargs -r dirname | sort -u | while read -r dir; do
  sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$dir"/*_test.go | while read -r name; do
    echo "== $dir $name"
    go -C "$dir" test -run '^$' -fuzz "^$name\$" -fuzztime "$time" . </dev/null
  done
done
