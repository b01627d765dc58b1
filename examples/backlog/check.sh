# Holds tally.sh against specs/tally.md, as far as it is there.
set -eu
[ -e tally.sh ] || exit 0
printf 'one two\nthree\n' > check.tmp
lines=$(sh tally.sh check.tmp)
rm -f check.tmp
[ "$lines" = 2 ]
