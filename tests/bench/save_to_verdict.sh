#!/bin/sh
# How long a person waits: from saving a file to the emulator's verdict on all cases, for a changed
# and for an unchanged file. A benchmark, not a test: run it on a quiet machine.
#
#   tests/bench/save_to_verdict.sh [repetitions]
#
# Prints, for each operator, milliseconds: median and largest of the repetitions, and the largest
# resident memory of any process of the check. The file is the first rung (what people write first),
# saved with a fresh comment each time; goals: 1000 ms changed, 100 ms unchanged, 1 GiB.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
kata=${KATA_BUILD:-$root/build}/kata
repetitions=${1:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

milliseconds() { # of one command
  start=$(date +%s%N)
  "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; exit 1; }
  end=$(date +%s%N)
  echo $(((end - start) / 1000000))
}

summary() { sort -n | awk '{ t[NR] = $1 } END { printf "%7d %7d", t[int((NR + 1) / 2)], t[NR] }'; }

printf '%-14s %15s %15s %12s\n' "" "changed, ms" "unchanged, ms" "memory, MiB"
printf '%-14s %7s %7s %7s %7s %12s\n' operator median largest median largest largest
for folder in "$root"/solutions/*/; do
  operator=$(basename "$folder")
  rung=$(find "$folder" -name '1_*.cu')
  file=$work/$operator.cu
  cp "$rung" "$file"
  milliseconds "$kata" check "$file" --backend emulator >/dev/null # the ladder's counts are cached
  : >"$work/changed"
  : >"$work/unchanged"
  i=0
  while [ $i -lt "$repetitions" ]; do
    i=$((i + 1))
    { cat "$rung"; echo "// saved $i"; } >"$file"
    milliseconds "$kata" check "$file" --backend emulator >>"$work/changed"
    milliseconds "$kata" check "$file" --backend emulator >>"$work/unchanged"
  done
  echo "// saved last" >>"$file"
  memory=$(/usr/bin/time -f %M "$kata" check "$file" --backend emulator 2>&1 >/dev/null | tail -1)
  printf '%-14s %s %s %12d\n' "$operator" "$(summary <"$work/changed")" \
    "$(summary <"$work/unchanged")" $((memory / 1024))
done
