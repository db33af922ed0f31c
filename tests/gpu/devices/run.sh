#!/bin/bash
# Prints every fact of the programs in this folder, on a machine with two GPUs that reach each other.
# What two H200s printed is kept in h200x2.txt.
#
#   tests/gpu/devices/run.sh > facts.txt
set -u
here=$(dirname "$0")
work=$(mktemp -d)
programs="calls waits order speeds"
for program in $programs; do
  nvcc -std=c++17 -gencode arch=compute_90,code=sm_90 "$here/$program.cu" -o "$work/$program" &
done
wait

# A process for each fact: one that has not ended after so many seconds never does.
for program in $programs; do
  case $program in waits) limit=6 ;; *) limit=40 ;; esac
  for fact in $("$work/$program"); do
    timeout "$limit" "$work/$program" "$fact"
    status=$?
    case $status in 0) ;; 124) echo "$fact: does not end" ;; *) echo "$fact: exit status $status" ;; esac
  done
done
rm -rf "$work"
