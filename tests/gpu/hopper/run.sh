#!/bin/bash
# Prints every fact of the programs in this folder on the GPU of this machine; on an H200 it took 40 s. Dumps
# go to the folder $1, if it is given.
#
#   tests/gpu/hopper/run.sh > facts.txt
set -u
here=$(dirname "$0")
work=$(mktemp -d)
for program in copies wgmma wgmma_columns fp8_sums; do
  nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a --split-compile=0 \
    "$here/$program.cu" -o "$work/$program" >"$work/$program.log" 2>&1 &
done
wait

# A process for each group, and another one after each fact that ends it.
tell() {
  local program=$1 group=$2 facts="$3/$1.$2" known=0 status=3
  : >"$facts"
  while [ $status -eq 3 ]; do
    timeout -k 1 20 "$3/$program" --raw "$group" $known >>"$facts"
    status=$?
    known=$(grep -avc '^  ' "$facts")
  done
  [ $status -eq 0 ] || echo "exit status $status" >>"$facts"
}
export -f tell
for program in copies wgmma wgmma_columns fp8_sums; do
  "$work/$program" | sed "s/^/$program /"
done >"$work/groups"
xargs -P 8 -L 1 bash -c 'tell $0 $1 '"$work" <"$work/groups"
while read -r program group; do
  echo "== $program $group"
  grep -av '^  ' "$work/$program.$group"
done <"$work/groups"
[ $# -eq 0 ] || tar czf "$1/dumps.tar.gz" -C "$work" $(awk '{print $1 "." $2}' "$work/groups")
rm -rf "$work"
