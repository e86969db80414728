#!/usr/bin/env bash
# All of `make release-check`: exports the commit into two folders, releases each, and compares every byte. The second has
# an empty build cache, so that nothing of the first is used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
COMMIT=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export COMMIT SOURCE_DATE_EPOCH DRAFT=1

for tree in first second/in/a/longer/path; do
  mkdir -p "$tmp/$tree"
  git archive "$COMMIT" | tar -x -C "$tmp/$tree"
  if [[ $tree == second* ]]; then
    export GOCACHE=$tmp/cache
  fi
  "$tmp/$tree/tools/release/release.sh" "$tmp/$tree/dist"
done
(cd "$tmp/first/dist" && sha256sum --check --quiet SHA256SUMS)
diff -r "$tmp/first/dist" "$tmp/second/in/a/longer/path/dist"
echo "two builds, the same bytes:"
cat "$tmp/first/dist/SHA256SUMS"
