#!/bin/sh
# Checks a toolchain against the files in `check/`: what Lean says about each of them has to be what
# its `.expected` file says.
#
#   check.sh TOOLCHAIN            compare, and show every difference
#   check.sh --accept TOOLCHAIN   take what Lean says now as what is expected
set -eu
unset CDPATH LEAN_PATH LEAN_SRC_PATH LEAN_SYSROOT

accept=no
[ "${1:-}" != --accept ] || { accept=yes && shift; }
[ $# -eq 1 ] && [ -x "$1/bin/lean" ] || {
  echo "usage: check.sh [--accept] TOOLCHAIN   (a directory with bin/lean)" >&2
  exit 2
}
lean=$(cd -- "$1" && pwd)/bin/lean
cd -- "$(dirname -- "$0")/check"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# The module that `imports.lean` imports. It is compiled outside the source tree.
mkdir "$work/Library"
"$lean" -o "$work/Library/Shapes.olean" -i "$work/Library/Shapes.ilean" Library/Shapes.lean

checked=0 failed=0
for file in *.lean; do
  expected=${file%.lean}.expected
  # Errors are a part of what most files expect, so the exit code says nothing.
  LEAN_PATH=$work "$lean" "$file" >"$work/said" 2>&1 || :
  [ "$accept" = no ] || cp "$work/said" "$expected"
  checked=$((checked + 1))
  diff -u "$expected" "$work/said" || failed=$((failed + 1))
done
echo "core library: $checked files checked, $failed differ" >&2
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
