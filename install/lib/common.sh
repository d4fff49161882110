# What the scripts in this folder share. Sourced, with `me` set to the name of the script.
# shellcheck shell=sh disable=SC2154

say() { printf '%s\n' "$*" >&2; }

# die MESSAGE WHAT_TO_DO_NEXT
die() {
  say "$me: $1"
  say "  next: $2"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED FOUND: compares version numbers.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# need_rust CHECKOUT: a cargo that is new enough for the workspace, and the linker that it calls.
need_rust() {
  have cargo || die "cargo is missing" "install Rust with rustup, then open a new shell"
  rust_wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$1/Cargo.toml")
  rust_found=$(cargo --version | cut -d ' ' -f 2)
  at_least "$rust_wanted" "$rust_found" ||
    die "Rust $rust_found is too old: lean-beam needs $rust_wanted" "update it with: rustup update stable"
  for linker in cc gcc clang; do
    have "$linker" && return
  done
  die "there is no C compiler, which Rust needs for linking" \
    "install one (on Debian and Ubuntu: apt install gcc libc6-dev)"
}
