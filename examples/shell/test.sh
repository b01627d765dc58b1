#!/bin/sh
# The tests of rotate.sh; ends with exit code 1 at the first that fails.
set -u
cd "$(dirname "$0")" || exit 1

place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT

# Four backups and a file that is none, in a directory of their own.
backups() {
  rm -rf "${place:?}/backups"
  mkdir "$place/backups"
  for day in 01 02 03 04; do : > "$place/backups/2026-03-$day.tar.gz"; done
  : > "$place/backups/notes.txt"
}

# says NAME EXPECTED ACTUAL
says() {
  if [ "$2" = "$3" ]; then echo "ok      $1"; return; fi
  printf 'FAILED  %s\n  expected: %s\n  was:      %s\n' "$1" "$2" "$3"
  exit 1
}

backups
./rotate.sh 2 "$place/backups" > "$place/output"
says "the newest are kept" "2026-03-03.tar.gz 2026-03-04.tar.gz notes.txt" \
  "$(echo $(ls "$place/backups"))"
says "what is removed is told" 2 "$(grep -c '^removed ' "$place/output")"

backups
./rotate.sh 9 "$place/backups" > "$place/output"
says "few backups are all kept" 5 "$(ls "$place/backups" | wc -l | tr -d ' ')"
