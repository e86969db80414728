#!/usr/bin/env bash
# The quick half of `make test`, for a change: check.sh BASE looks at what differs from where this branch left BASE, with
# what is not committed. Packages that changed and those that import them are vetted, read by staticcheck and tested, on
# SQLite and without a browser. Without such a BASE, or where go.mod changed, it is all packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export CGO_ENABLED=0 STELE_TEST_POSTGRES='' STELE_TEST_CHROMIUM=''
staticcheck=(go tool -modfile="$PWD/tools/go.mod" staticcheck)

main() {
  local files odd packages
  if ! files=$(changed_files "$1"); then
    files=go.mod
  fi
  odd=$(existing <<<"$files" | { grep '\.go$' || true; } | { grep -v /testdata/ || true; } | xargs -r gofmt -s -l)
  if [[ -n $odd ]]; then
    printf '%s\n' "not formatted (make fmt):" "$odd"
    return 1
  fi
  mapfile -t packages < <(affected_packages "$files")
  if ((${#packages[@]} > 0)); then
    echo "${#packages[@]} packages: ${packages[*]#stele/}"
    go vet "${packages[@]}"
    "${staticcheck[@]}" "${packages[@]}"
    go test -vet=off "${packages[@]}"
  fi
  if grep -q '^test/.*\.go$\|^test/go.mod$' <<<"$files"; then # these need make test
    go -C test vet ./...
    (cd test && "${staticcheck[@]}" ./...)
  fi
}

# changed_files BASE prints the files that differ from where HEAD left BASE, a line each.
changed_files() {
  local base
  base=$(git merge-base HEAD "$1" 2>/dev/null) || return
  git diff --name-only "$base"
  git ls-files --others --exclude-standard
}

existing() {
  local file
  while read -r file; do
    if [[ -e $file ]]; then echo "$file"; fi
  done
}

# affected_packages FILES prints the packages of the main module that hold a file, or a file of a folder below that is no
# package, and those that import one of them, their tests too. The root's own tests read the whole tree.
affected_packages() {
  go list -e -f '{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
    awk -v files="$1" '
      BEGIN { n = split(files, file, "\n") }
      { line[NR] = $0; package[$1] = 1 }
      END {
        for (i = 1; i <= n; i++) {
          if (file[i] == "go.mod" || file[i] == "go.sum") all = 1
          if (file[i] ~ /^(test|tools|docs)\//) continue
          dir = "stele/" file[i]
          while (sub(/\/[^\/]*$/, "", dir) && !(dir in package)) { }
          if (!(dir in package)) continue
          own[dir] = 1
          if (file[i] !~ /_test\.go$/) changed[dir] = 1 # importers do not see tests
        }
        for (i = 1; i <= NR; i++) {
          m = split(line[i], word, " ")
          hit = all || word[1] == "stele" || word[1] in own
          for (j = 1; j <= m; j++) if (word[j] in changed) hit = 1
          if (hit) print word[1]
        }
      }'
}

main "$@"
