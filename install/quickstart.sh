#!/bin/sh
# From a checkout to a working lean-beam: builds it, installs it for this user, and runs the demo.
# Asks nothing. Plain POSIX sh.
set -eu
unset CDPATH

me=quickstart
checkout=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.sh
. "$checkout/install/lib/common.sh"

readonly programs="lean-beam lean-beam-daemon lean-beam-mcp"
readonly platform_unsupported=3 # exit code of portable-lean.sh
demo=yes
built=   # what cargo said about the programs that it built
unready= # a file or directory that is not in its place yet

usage() {
  cat <<'TEXT'
usage: quickstart.sh [--no-demo]

Builds lean-beam in release mode, installs it, and runs `lean-beam demo`.

Needs Rust with cargo and a C compiler; also Python 3 with pip, where no Lean is installed.
Installs into $LEAN_BEAM_PREFIX, else ~/.local: programs into bin, the portable Lean's parts into
share/lean-beam. Run it again to update.
TEXT
}

clean_up() {
  [ -z "$built" ] || rm -f "$built"
  [ -z "$unready" ] || rm -rf "$unready"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM

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

find_prefix() {
  if [ -n "${LEAN_BEAM_PREFIX:-}" ]; then
    prefix=$LEAN_BEAM_PREFIX
  else
    [ -n "${HOME:-}" ] || die "there is no place to install to: HOME is not set" "set LEAN_BEAM_PREFIX to a directory"
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  bin=$prefix/bin
  share=$prefix/share/lean-beam
  mkdir -p "$bin" "$share" 2>/dev/null || die "cannot create $bin and $share" "set LEAN_BEAM_PREFIX to a directory of yours"
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

build() {
  say "[1/3] building (a few minutes the first time)"
  built=$(mktemp)
  packages=
  for program in $programs; do
    packages="$packages -p $program"
  done
  # shellcheck disable=SC2086 # one word per option is what is wanted
  (cd "$checkout" && cargo build --release --locked $packages --message-format=json-render-diagnostics >"$built") ||
    die "the build failed" "look at the lines above; without a network, cargo cannot fetch what it needs"
}

# Cargo knows where its results are; settings of the user may have moved them.
path_of() {
  sed -n 's/.*"executable":"\([^"]*\/'"$1"'\)".*/\1/p' "$built" | tail -n 1
}

cannot_write() { die "cannot write $1" "look whether the disk is full or the directory is read-only"; }

# place FROM TO: copies beside the target, then renames. A running program keeps its old file, and nobody
# sees half of a new one.
place() {
  [ ! -d "$2" ] || die "$2 is a directory" "move it away, or set LEAN_BEAM_PREFIX to another place"
  unready=$(dirname "$2")/.$(basename "$2").new.$$
  { cp "$1" "$unready" && mv -f "$unready" "$2"; } || cannot_write "$2"
  unready=
  say "  $2"
}

# place_core FROM TO: the same for the folder of the core library, which only we write to.
place_core() {
  unready=$2.new.$$
  rm -rf "$unready"
  { cp -R "$1" "$unready" && rm -rf "$2" && mv "$unready" "$2"; } || cannot_write "$2"
  unready=
  say "  $2"
}

install_all() {
  say "[2/3] installing"
  for program in $programs; do
    executable=$(path_of "$program")
    [ -x "$executable" ] || die "cargo built no $program" "report it, with the output of: cargo build --release -p $program"
    place "$executable" "$bin/$program"
  done
  place "$checkout/install/portable-lean.sh" "$share/portable-lean.sh"
  place_core "$checkout/tests/lean-core" "$share/lean-core"
}

check_path() {
  case :${PATH:-}: in
    *:"$bin":*) ;;
    *)
      say ""
      say "$bin is not on your PATH. Add this line to ~/.profile, or to what your shell reads at its start:"
      say "  export PATH=\"$bin:\$PATH\""
      say ""
      ;;
  esac
}

run_demo() {
  say "[3/3] lean-beam demo"
  "$bin/lean-beam" demo || die "lean-beam is installed, but its demo failed" "run: $bin/lean-beam doctor"
}

main() {
  parse "$@"
  need_rust "$checkout"
  find_prefix
  [ "$demo" = no ] || prepare_demo
  build
  install_all
  check_path
  [ "$demo" = no ] || run_demo
}

main "$@"
