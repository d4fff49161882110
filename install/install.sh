#!/bin/sh
# Installs lean-beam for this user: builds it, or takes programs that are built already. Asks nothing, needs
# no root, and may be run again at any time. Plain POSIX sh.
set -eu
unset CDPATH

me=install
checkout=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.sh
. "$checkout/install/lib/common.sh"
# shellcheck source-path=SCRIPTDIR source=lib/prefix.sh
. "$checkout/install/lib/prefix.sh"

# In the order in which they are put in place: a new client never starts an old daemon.
readonly programs="lean-beam-daemon lean-beam-mcp lean-beam"
from=    # where built programs are; empty: build them
work=    # a directory of our own
unready= # a file that is not in its place yet

usage() {
  cat <<'TEXT'
usage: install.sh [--from DIR] [--prefix DIR]

Installs lean-beam, lean-beam-daemon and lean-beam-mcp with manual pages, completions for bash, zsh and
fish, and what `lean-beam demo` needs to build a small Lean. Lists what it writes. Run it again to update:
what runs goes on running, and `lean-beam restart` takes the new daemon.

  --from DIR     take the three programs from DIR instead of building them
  --prefix DIR   install below DIR [default: $LEAN_BEAM_PREFIX, else ~/.local]

install/uninstall.sh takes everything away again.
TEXT
}

clean_up() {
  [ -z "$unready" ] || rm -f "$unready"
  [ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --prefix)
        [ $# -ge 2 ] && [ -n "$2" ] || { say "$me: $1 needs a directory" && exit 2; }
        if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
        shift
        ;;
      --help | -h) usage && exit 0 ;;
      *) say "$me: there is no argument $1" && usage >&2 && exit 2 ;;
    esac
    shift
  done
}

# Says which commit a build is of, where that can be told.
build_name() {
  if have git && git -C "$checkout" rev-parse --short=12 HEAD 2>/dev/null; then return; fi
  printf 'dev\n'
}

build() {
  need_rust "$checkout"
  say "building (a few minutes the first time)"
  packages=
  for program in $programs; do
    packages="$packages -p $program"
  done
  # shellcheck disable=SC2086 # one word per option is what is wanted
  (cd "$checkout" && LEAN_BEAM_BUILD=$(build_name) cargo build --release --locked $packages \
    --message-format=json-render-diagnostics >"$work/built") ||
    die "the build failed" "look at the lines above; without a network, cargo cannot fetch what it needs"
}

# Cargo knows where its results are; settings of the user may have moved them.
built() { sed -n 's/.*"executable":"\([^"]*\/'"$1"'\)".*/\1/p' "$work/built" | tail -n 1; }

program_file() {
  if [ -n "$from" ]; then printf '%s\n' "$from/$1"; else built "$1"; fi
}

# All that is going to be installed, laid out as it will be below the prefix.
stage() {
  tree=$work/tree
  mkdir -p "$tree/bin" "$tree/share/lean-beam" "$tree/share/man/man1" \
    "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
    "$tree/share/fish/vendor_completions.d"
  for program in $programs; do
    file=$(program_file "$program")
    [ -f "$file" ] && [ -x "$file" ] ||
      die "there is no program $program${from:+ in $from}" "build all three: cargo build --release"
    cp "$file" "$tree/bin/$program" || cannot_write "$tree"
    chmod 755 "$tree/bin/$program"
  done
  stage_texts
  stage_portable_lean
}

stage_texts() {
  beam=$tree/bin/lean-beam
  "$beam" --quiet man "$tree/share/man/man1" >/dev/null &&
    "$beam" completions-for bash >"$tree/share/bash-completion/completions/lean-beam" &&
    "$beam" completions-for zsh >"$tree/share/zsh/site-functions/_lean-beam" &&
    "$beam" completions-for fish >"$tree/share/fish/vendor_completions.d/lean-beam.fish" ||
    die "lean-beam does not run here" "build it on this machine: run install.sh without --from"
}

stage_portable_lean() {
  cp "$checkout/install/portable-lean.sh" "$tree/share/lean-beam/portable-lean.sh" &&
    cp -R "$checkout/tests/lean-core" "$tree/share/lean-beam/lean-core" || cannot_write "$tree"
}

cannot_write() { die "cannot write $1" "look whether the disk is full or the directory is read-only"; }

# place FILE: copies beside the target, then renames. A running program keeps its old file, and nobody sees half
# of a new one. What is the same already is left alone.
place() {
  target=$prefix/$1
  [ ! -d "$target" ] || die "$target is a directory" "move it away, or give another --prefix"
  if [ -f "$target" ] && [ ! -L "$target" ] && cmp -s "$tree/$1" "$target"; then
    return
  fi
  make_directory "$(dirname "$target")"
  unready=$(dirname "$target")/.$(basename "$target").new.$$
  { cp -p "$tree/$1" "$unready" && mv -f "$unready" "$target"; } || cannot_write "$target"
  unready=
  say "  $target"
}

# Directories that we make are ours to remove; the outermost is noted first.
make_directory() {
  [ ! -d "$1" ] || return 0
  make_directory "$(dirname "$1")"
  mkdir "$1" 2>/dev/null || [ -d "$1" ] || die "cannot create $1" "give --prefix a directory of yours"
  case $1 in
    "$prefix"/*) note "directory ${1#"$prefix"/}" ;;
    "$prefix") note "directory ." ;;
  esac
}

# note LINE: the list is complete before anything is written, so that a broken installation can be removed.
note() {
  noted="$noted$1
"
  write_manifest
}

write_manifest() {
  [ -d "$share" ] || return 0
  {
    printf '%s' "$noted"
    [ ! -f "$work/old" ] || cat "$work/old"
    sed 's/^/file /' "$work/files"
  } | sort -u >"$manifest.new.$$" && mv -f "$manifest.new.$$" "$manifest" || cannot_write "$manifest"
}

# Files of an earlier version that this one does not have.
remove_leftovers() {
  [ -f "$work/old" ] || return 0
  sed -n 's/^file //p' "$work/old" | while IFS= read -r old; do
    grep -qxF "$old" "$work/files" || {
      rm -f "$prefix/$old"
      say "  removed $prefix/$old"
    }
  done
  { grep '^directory ' "$work/old" || true; } >"$work/directories"
  mv "$work/directories" "$work/old"
}

install_all() {
  (cd "$tree" && find . -type f | sed 's/^\.\///' | grep -v '^bin/' | sort && for program in $programs; do printf 'bin/%s\n' "$program"; done) >"$work/files"
  printf 'share/lean-beam/manifest.txt\n' >>"$work/files"
  [ ! -f "$manifest" ] || cp "$manifest" "$work/old"
  noted=
  make_directory "$share"
  write_manifest
  say "installing into $prefix"
  while IFS= read -r file; do
    [ "$file" = share/lean-beam/manifest.txt ] || place "$file"
  done <"$work/files"
  remove_leftovers
  write_manifest
  say "  $manifest (the list of all of it)"
}

main() {
  prefix=
  parse "$@"
  find_prefix
  work=$(mktemp -d)
  if [ -n "$from" ]; then
    from=$(cd -- "$from" 2>/dev/null && pwd) || die "there is no directory $from" "give --from the directory of the built programs"
  else
    build
  fi
  stage
  install_all
  check_path
  say "installed: $("$prefix/bin/lean-beam" --version)"
  say "next: lean-beam doctor, lean-beam setup"
}

main "$@"
