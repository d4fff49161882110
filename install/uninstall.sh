#!/bin/sh
# Removes what install.sh installed, and nothing else. Asks nothing. Plain POSIX sh.
set -eu
unset CDPATH

me=uninstall
here=$(cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib/common.sh
. "$here/lib/common.sh"
# shellcheck source-path=SCRIPTDIR source=lib/prefix.sh
. "$here/lib/prefix.sh"

usage() {
  cat <<'TEXT'
usage: uninstall.sh [--prefix DIR]

Stops the daemon and removes the files that install.sh listed. Registrations with clients are not touched: take
them back first with `lean-beam setup CLIENT --remove`. A service that starts this daemon has to be taken away
first, with `lean-beam setup service --remove`.
Your settings (~/.config/lean-beam), logs (~/.local/state/lean-beam) and the portable Lean
(~/.cache/lean-beam) stay.

  --prefix DIR   where it is installed [default: $LEAN_BEAM_PREFIX, else ~/.local]
TEXT
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix)
        [ $# -ge 2 ] && [ -n "$2" ] || { say "$me: $1 needs a directory" && exit 2; }
        prefix=$2
        shift
        ;;
      --help | -h) usage && exit 0 ;;
      *) say "$me: there is no argument $1" && usage >&2 && exit 2 ;;
    esac
    shift
  done
}

# A service whose program is gone would fail at every connection.
refuse_with_service() {
  for unit in "${XDG_CONFIG_HOME:-${HOME:-}/.config}/systemd/user/lean-beam.service" \
    "${HOME:-}/Library/LaunchAgents/lean-beam.plist"; do
    if [ -f "$unit" ] && grep -qF "$bin/lean-beam-daemon" "$unit"; then
      die "the service in $unit starts this daemon" "take it away: $bin/lean-beam setup service --remove"
    fi
  done
}

# A daemon whose program is gone would only linger.
stop_daemon() {
  [ -x "$bin/lean-beam" ] || return 0
  "$bin/lean-beam" --quiet stop >/dev/null 2>&1 ||
    say "the daemon could not be stopped; it leaves by itself when nobody uses it"
}

remove_files() {
  sed -n 's/^file //p' "$manifest" >"$list"
  while IFS= read -r file; do
    case $file in
      /* | ../* | */../* | */..) die "$manifest names a file outside of $prefix: $file" "remove the files by hand" ;;
    esac
    [ -f "$prefix/$file" ] || [ -L "$prefix/$file" ] || continue
    rm -f "$prefix/$file" || die "cannot remove $prefix/$file" "look at the permissions of its directory"
    say "  removed $prefix/$file"
  done <"$list"
}

# Innermost first; what has got other files meanwhile stays.
remove_directories() {
  sort -r "$directories" | while IFS= read -r directory; do
    case $directory in
      .) rmdir "$prefix" 2>/dev/null || true ;;
      *) rmdir "$prefix/$directory" 2>/dev/null || true ;;
    esac
  done
}

main() {
  prefix=
  parse "$@"
  find_prefix
  [ -f "$manifest" ] || die "lean-beam is not installed in $prefix" "give --prefix the directory that it was installed into"
  list=$(mktemp)
  directories=$(mktemp)
  trap 'rm -f "$list" "$directories"' EXIT
  trap 'exit 130' HUP INT TERM
  refuse_with_service
  stop_daemon
  sed -n 's/^directory //p' "$manifest" >"$directories"
  remove_files
  remove_directories
  say "lean-beam is gone from $prefix"
}

main "$@"
