#!/bin/sh
# From a checkout to a working lean-beam: builds it, installs it for this user, and runs the demo.
# Asks nothing. Plain POSIX sh.
set -eu
unset CDPATH

me=quickstart
checkout=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.sh
. "$checkout/install/lib/common.sh"
# shellcheck source-path=SCRIPTDIR source=lib/prefix.sh
. "$checkout/install/lib/prefix.sh"

readonly platform_unsupported=3 # exit code of portable-lean.sh
demo=yes

usage() {
  cat <<'TEXT'
usage: quickstart.sh [--no-demo]

Builds lean-beam in release mode, installs it, and runs `lean-beam demo`.

Needs Rust with cargo and a C compiler; also Python 3 with pip, where no Lean is installed.
Installs into $LEAN_BEAM_PREFIX, else ~/.local, with install/install.sh, which lists what it writes. Run it
again to update; install/uninstall.sh takes it away.
TEXT
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --no-demo) demo=no ;;
      --help | -h) usage && exit 0 ;;
      *) say "$me: there is no argument $1" && usage >&2 && exit 2 ;;
    esac
    shift
  done
}

# Where lean-beam itself looks, in short.
has_lean() {
  [ -n "${LEAN_BEAM_LEAN:-}" ] || have lean || have lake ||
    [ -x "${ELAN_HOME:-${HOME:-}/.elan}/bin/lean" ]
}

# Before the long build, so that what is missing comes to light at once.
prepare_demo() {
  ! has_lean || return 0
  say "No Lean is installed here: fetching the portable one for the demo"
  status=0
  sh "$checkout/install/portable-lean.sh" || status=$?
  case $status in
    0) ;;
    "$platform_unsupported") demo=no ;;
    *) exit "$status" ;;
  esac
}

run_demo() {
  say "lean-beam demo"
  # Where the output is kept in a file, people read it all the same.
  "$bin/lean-beam" --human demo || die "lean-beam is installed, but its demo failed" "run: $bin/lean-beam doctor"
}

main() {
  parse "$@"
  need_rust "$checkout"
  prefix=
  find_prefix
  [ "$demo" = no ] || prepare_demo
  sh "$checkout/install/install.sh" --prefix "$prefix"
  [ "$demo" = no ] || run_demo
}

main "$@"
