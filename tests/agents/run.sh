#!/bin/sh
# Registers lean-beam with real agent programs in throw-away homes, lets each say whether it can reach it, and takes
# the registration back. Needs npm and the programs of a build; no account. Plain POSIX sh.
#
#   tests/agents/run.sh [--from DIR] [CLIENT...]
#
#   --from DIR   where lean-beam and lean-beam-mcp are [default: target/debug]
#
# The agent programs (1.5 GB) are installed into $LEAN_BEAM_AGENTS_DIR, else the user's cache, and stay there.
set -eu
unset CDPATH

me=agents
here=$(cd -- "$(dirname -- "$0")" && pwd)
checkout=$(cd -- "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../../install/lib/common.sh
. "$checkout/install/lib/common.sh"

readonly limit=120 # seconds for one answer of one agent
from=$checkout/target/debug
clients=
failed=
work=

trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --from)
        [ $# -ge 2 ] || { say "$me: --from needs a directory" && exit 2; }
        from=$(cd -- "$2" && pwd)
        shift
        ;;
      -*) say "$me: there is no option $1" && exit 2 ;;
      *) clients="$clients $1" ;;
    esac
    shift
  done
  [ -n "$clients" ] || clients="claude codex opencode gemini qwen copilot"
}

install_agents() {
  have npm || die "npm is missing" "install Node.js 22 or newer"
  agents=${LEAN_BEAM_AGENTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lean-beam/agents}
  mkdir -p "$agents"
  cmp -s "$here/package.json" "$agents/package.json" && [ -d "$agents/node_modules" ] && return
  cp "$here/package.json" "$agents/package.json"
  (cd "$agents" && npm install --no-audit --no-fund --loglevel=error >&2) ||
    die "the agents cannot be installed" "look at the lines above"
}

# Runs a command of the client in its home, with nothing of ours in its environment.
in_home() {
  (cd "$home/project" && timeout "$limit" env -i HOME="$home" TERM=dumb NO_COLOR=1 \
    GEMINI_CLI_TRUST_WORKSPACE=true PATH="$agents/node_modules/.bin:$PATH" "$@" 2>&1)
}

setup() { in_home "$from/lean-beam" --quiet setup "$@"; }

# What the client says of its servers.
ask() {
  case $1 in
    codex) in_home codex mcp get lean-beam --json ;;
    copilot) in_home copilot mcp list ;;
    *) in_home "$1" mcp list ;;
  esac
}

# True when that answer says that the server is there; clients that can connect must have done so.
is_known() {
  case $1 in
    claude) grep -q 'lean-beam:.*Connected' ;;
    opencode) grep -q 'lean-beam.*connected' ;;
    gemini | qwen) grep 'lean-beam' | grep -v Disconnected | grep -q 'Connected' ;;
    codex) grep -q '"command": "'"$from"'/lean-beam-mcp"' ;;
    *) grep -q 'lean-beam' ;;
  esac
}

listing() { (cd "$home" && find .claude.json .codex/config.toml .config/opencode .gemini/settings.json .qwen/settings.json \
  .copilot/mcp-config.json -type f 2>/dev/null | sort | xargs -r grep -l 'lean-beam' || true); }

fail() {
  say "FAILED $1: $2"
  printf '%s\n' "$3" | sed 's/^/    /' >&2
  failed="$failed $1"
}

check() {
  client=$1
  home=$work/$client
  mkdir -p "$home/project"
  printf 'leanprover/lean4:v4.35.0\n' >"$home/project/lean-toolchain"
  said=$(setup "$client" --yes) || { fail "$client" "setup does not work" "$said" && return; }
  said=$(ask "$client") || true
  printf '%s\n' "$said" | is_known "$client" || { fail "$client" "it does not know lean-beam" "$said" && return; }
  said=$(setup "$client" --remove --yes) || { fail "$client" "setup --remove does not work" "$said" && return; }
  said=$(listing)
  [ -z "$said" ] || { fail "$client" "these files still name lean-beam" "$said" && return; }
  say "passed $client: $(in_home "$client" --version | grep -v WARNING | head -n 1)"
}

parse "$@"
for program in lean-beam lean-beam-mcp; do
  [ -x "$from/$program" ] || die "there is no $from/$program" "build it: cargo build --workspace"
done
install_agents
work=$(mktemp -d)
for client in $clients; do
  check "$client"
done
[ -z "$failed" ] || die "these do not work:$failed" "look at their answers above"
