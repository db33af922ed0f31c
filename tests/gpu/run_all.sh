#!/bin/sh
# Everything that needs a GPU, for a machine that has one and perhaps no network.
#
#   tests/gpu/run_all.sh [--debs FOLDER] [phase...]
#
# Phases, all of them by default: build check speed bench sanitize. Eight more:
#   fakes      candidates in tests/gpu/fakes whose times would be too good: which are rejected, with
#              which words, and which have the time of their work
#   emulated   the emulator's counters of every rung ($CANDIDATES: of the files in that folder);
#              needs no GPU
#   fidelity   Nsight Compute's counters of the same launches, after emulated
#   mutants    compute-sanitizer's reports on the faulty candidates in $MUTANTS (folders; default:
#              tests/verdicts/wrong)
#   verdicts   what the judge says of every planted fault, for tests/fidelity/h200_faults.csv
#   unseen     what each of $BACKENDS says of the candidates in $CANDIDATES, a folder with expected.csv
#   seeds      every rung on up to 10000 seeds in $SEEDS_S seconds (default: 215), on the GPU in
#              $GPU_PROCESSES (default: 4) and on the emulator beside it ($BACKENDS: gpu or emulator
#              alone); builds test programs, with doctest
#   peers      ladders beside PyTorch, Triton and libraries at the kept sizes and at 12 random ones
#              in $PEERS_S seconds (default: 540): peers.csv, which begins as tests/gpu/peers.csv;
#              $PEERS_OPTIONS go to time_peers.py (--missing times only the sizes that an earlier
#              run of the same day did not reach); needs PyTorch and Triton. Then
#              tests/gpu/make_peers.py
# $OPERATORS: of these alone (not for speed and mutants).
# --debs names a folder of Debian packages to build with; they are unpacked, not installed. Results
# go to $OUT (default: results), the build to $BUILD (default: build). A phase that fails does not
# stop the next; the exit status is 1 if any has failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
out=${OUT:-$root/results}
build=${BUILD:-$root/build}
debs=
if [ "${1:-}" = --debs ]; then
  debs=$(cd "$2" && pwd) || exit 2
  shift 2
fi
[ $# -gt 0 ] || set -- build check speed bench sanitize
mkdir -p "$out" || exit 2
log=$out/log.txt
[ -n "${KATA_GPU_STEP:-}" ] || : >"$log"
failed=
cd "$root" || exit 2

# say <text...>: on the terminal and in the log
say() { printf '%s\n' "$*" | tee -a "$log"; }

# step <name> <seconds> <command...>: its output goes to the log alone
step() {
  name=$1 limit=$2
  shift 2
  began=$(date +%s)
  timeout -k 10 "$limit" "$@" >>"$log" 2>&1
  status=$?
  say "$name: exit $status after $(($(date +%s) - began)) s"
  if [ $status -ne 0 ]; then
    failed="$failed $name"
    tail -n 20 "$log"
  fi
  return $status
}

build_kata() {
  set --
  if [ -n "$debs" ]; then
    prefix=$build/debs
    mkdir -p "$prefix" || return 1
    for package in "$debs"/*.deb; do
      dpkg -x "$package" "$prefix" || return 1
    done
    set -- "-DCMAKE_PREFIX_PATH=$prefix/usr"
  fi
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  cmake -S . -B "$build" -DKATA_SELFTEST=OFF -DCUDAToolkit_ROOT="${nvcc%/bin/nvcc}" "$@" &&
    cmake --build "$build" --parallel "$(nproc)"
}

# Unpacked shared libraries, and nvcc for kata itself.
PATH=$PATH:/usr/local/cuda/bin
for folder in "$build"/debs/usr/lib/*-linux-gnu; do
  LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
export PATH LD_LIBRARY_PATH KATA_HOME="$build/home" KATA_ROOT="$root"

if [ "${KATA_GPU_STEP:-}" = build ]; then # the build runs as a step of its own, with a time limit
  build_kata
  exit
fi

# phase <name> <seconds> [option...]
phase() {
  phase=$1 seconds=$2
  shift 2
  step "$phase" "$seconds" python3 tests/gpu/phases.py "$phase" --build "$build" --out "$out" "$@"
}

rm -f "$out/summary.txt"
for name_of_phase in "$@"; do
  case $name_of_phase in
    build)
      step build 240 env KATA_GPU_STEP=build sh "$0" ${debs:+--debs "$debs"}
      timeout 60 "$build/kata" doctor >"$out/doctor.txt" 2>&1 || failed="$failed doctor"
      nvidia-smi >>"$out/doctor.txt" 2>&1
      ;;
    check) phase check 300 ${OPERATORS:+--operators $OPERATORS} ;;
    speed) phase speed 120 ;;
    bench) phase bench 560 ${OPERATORS:+--operators $OPERATORS} ;;
    sanitize) phase sanitize 480 ${OPERATORS:+--operators $OPERATORS} ;;
    emulated | fidelity)
      phase "$name_of_phase" 560 ${OPERATORS:+--operators $OPERATORS} \
        ${CANDIDATES:+--candidates "$CANDIDATES"}
      ;;
    mutants) phase mutants 540 ${MUTANTS:+--mutants $MUTANTS} ;;
    verdicts) phase verdicts 200 ${OPERATORS:+--operators $OPERATORS} ;;
    fakes) phase fakes 200 ;;
    unseen) phase unseen 400 --candidates "$CANDIDATES" ${BACKENDS:+--backends $BACKENDS} ;;
    seeds)
      seeds_s=${SEEDS_S:-215}
      phase seeds $((seeds_s + 25)) --seconds "$seeds_s" ${OPERATORS:+--operators $OPERATORS} \
        ${BACKENDS:+--backends $BACKENDS} \
        ${GPU_PROCESSES:+--gpu-processes "$GPU_PROCESSES"}
      ;;
    peers)
      peers_s=${PEERS_S:-540}
      [ -f "$out/peers.csv" ] || cp tests/gpu/peers.csv "$out/peers.csv"
      step peers $((peers_s + 30)) python3 tests/gpu/time_peers.py --build "$build" \
        --out "$out/peers.csv" --seconds "$peers_s" --random 12 \
        ${OPERATORS:+--operators "$OPERATORS"} ${PEERS_OPTIONS:-}
      ;;
    *) say "no such phase: $name_of_phase" && exit 2 ;;
  esac
done

[ ! -f "$out/summary.txt" ] || cat "$out/summary.txt"
[ -z "$failed" ] || say "failed:$failed"
[ -z "$failed" ]
