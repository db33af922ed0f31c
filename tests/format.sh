#!/bin/sh
# Fails if clang-format would change a file of the harness or of its tests.
cd "$(dirname "$0")/.." || exit 1
if ! command -v clang-format >/dev/null; then
  echo 'skipped: clang-format is not installed'
  exit 77
fi
find harness tests '(' -name '*.cpp' -o -name '*.h' ')' -exec clang-format --dry-run -Werror {} +
