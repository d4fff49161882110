# Where lean-beam is installed. Sourced by install.sh and uninstall.sh, with `prefix` set to what was given.
# shellcheck shell=sh disable=SC2154,SC2034

find_prefix() {
  [ -n "$prefix" ] || prefix=${LEAN_BEAM_PREFIX:-}
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || die "there is no place to install to: HOME is not set" "give --prefix a directory"
    prefix=$HOME/.local
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  case $prefix in
    *[!/]*/) prefix=${prefix%/} ;;
  esac
  bin=$prefix/bin
  share=$prefix/share/lean-beam
  manifest=$share/manifest.txt
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
