#!/bin/sh
# Keeps the newest backups of a directory and removes the others: rotate.sh KEEP DIRECTORY
# Backups are *.tar.gz; their names begin with the date, so that the last by name is the newest.
set -eu

keep=$1
directory=$2

ls "$directory" | grep '\.tar\.gz$' | sort -r | tail -n "+$((keep + 1))" | while read -r name; do
  rm -- "$directory/$name"
  echo "removed $directory/$name"
done
