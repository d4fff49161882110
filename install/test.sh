#!/bin/sh
# Runs all tests of lean-beam. Needs Rust, a C compiler and Python 3 with pip; fetches what else it needs.
# Plain POSIX sh.
#
#   install/test.sh [ARGUMENTS FOR cargo test]
#
# Tests talk to a real Lean: to $LEAN_BEAM_TEST_LEAN if that is set (the path of a `lean` program), else to
# the portable one, which is built into the cache on first use.
set -eu
unset CDPATH

me="test"
checkout=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.sh
. "$checkout/install/lib/common.sh"

readonly platform_unsupported=3 # exit code of portable-lean.sh
without_lean=                   # what to leave out where no Lean can run

build_portable_lean() {
  status=0
  toolchain=$(sh "$checkout/install/portable-lean.sh" --print) || status=$?
  case $status in
    0)
      sh "$checkout/tests/lean-core/check.sh" "$toolchain" ||
        die "the core library of the portable Lean is not as expected" "look at the differences above"
      LEAN_BEAM_TEST_LEAN=$toolchain/bin/lean
      export LEAN_BEAM_TEST_LEAN
      ;;
    "$platform_unsupported")
      say "$me: NOT RUNNING the end-to-end tests: portable Lean does not exist for this platform."
      say "  next: install Lean with elan, then set LEAN_BEAM_TEST_LEAN to the path of its lean program"
      without_lean="--exclude lean-beam-tests"
      ;;
    *) exit "$status" ;;
  esac
}

find_lean() {
  if [ -n "${LEAN_BEAM_TEST_LEAN:-}" ]; then
    "$LEAN_BEAM_TEST_LEAN" --version >&2 ||
      die "LEAN_BEAM_TEST_LEAN is no working Lean: $LEAN_BEAM_TEST_LEAN" "unset it to use the portable Lean"
    export LEAN_BEAM_TEST_LEAN
  else
    build_portable_lean
  fi
}

need_rust "$checkout"
find_lean
cd "$checkout"
# All programs first: tests of one package run the programs of the others.
cargo build --workspace --all-targets --locked
# shellcheck disable=SC2086 # none, or two words
cargo test --workspace --locked $without_lean "$@"
