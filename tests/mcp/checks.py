"""What both Python clients try: list, call, progress, logs, errors, cancel, close."""

import json
import os
import time

import anyio

PROJECT = os.environ["MCP_TEST_PROJECT"]
SERVER = os.environ["MCP_TEST_SERVER"]
LIMIT = 60
LEAVE = 4


def server_environment():
    """What the server gets of our environment."""
    return {name: value for name, value in os.environ.items() if name.startswith("LEAN_BEAM_") or name in ("HOME", "PATH")}


def about(path, **more):
    """Arguments about a file of the test project."""
    return {"workspace": {"root": PROJECT}, "path": path, **more}


def servers():
    """The processes of the server that we started."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                target = os.readlink(f"/proc/{entry}/exe")
            except OSError:
                continue
            if int(fields[1]) == os.getpid() and os.path.realpath(SERVER) == target:
                found.add(int(entry))
    return found


async def until(what, look, limit=LIMIT):
    """Looks until `look` is true."""
    end = time.monotonic() + limit
    while not await look():
        assert time.monotonic() < end, f"{what} did not come within {limit} s"
        await anyio.sleep(0.02)


async def try_everything(name, client):
    """Tries everything on one connection.

    `client` has `tools()`, `call(tool, arguments, progress=, log_level=)` giving a pair of the structured content and
    whether it is an error, `logs`, a list of loggers, `error_code(exception)` and `sends_cancel`.
    """

    def done(what):
        print(f"ok   {name}: {what}", flush=True)

    names = await client.tools()
    for wanted in ("lean_sync", "lean_update", "lean_hover", "lean_drop_workspace", "beam_version"):
        assert wanted in names, names
    done("lists the tools")

    version, failed = await client.call("beam_version", {})
    assert not failed and version["server"] == "lean-beam-mcp"
    sync, failed = await client.call("lean_sync", about("Errors.lean", diagnostics_in_result=True))
    assert not failed and sync["diagnostics"]["counts"]["error"] == 1, sync
    assert len(sync["diagnostics"]["items"]) == 1
    done("calls a tool and reads its result")

    await client.call("lean_close", about("Slow.lean"))
    progress = []
    client.logs.clear()

    async def on_progress(value, total, message):
        progress.append(value)

    sync, _ = await client.call("lean_sync", about("Slow.lean", diagnostic_scope="all"), progress=on_progress, log_level="debug")
    assert sync["document_progress"]["done"] is True

    async def has_progress():
        return len(progress) >= 2

    async def has_log():
        return "lean.diagnostic" in client.logs

    await until("progress", has_progress)
    await until("a diagnostic in the logs", has_log)
    assert progress == sorted(set(progress)), progress
    done("gets progress and logs while Lean works")

    error, failed = await client.call("lean_sync", {"workspace": {"root": "relative"}, "path": "A.lean"})
    assert failed and error["code"] == "invalidInput", error
    try:
        await client.call("no_such_tool", {})
    except Exception as refused:  # the class differs between the versions
        assert client.error_code(refused) == -32602, refused
    else:
        raise AssertionError("an unknown tool was called")
    done("is told what is wrong")

    results = {}

    async def one(index):
        path = "Errors.lean" if index % 2 else "Slow.lean"
        results[index] = ((await client.call("lean_sync", about(path)))[0]["path"], path)

    async with anyio.create_task_group() as group:
        for index in range(16):
            group.start_soon(one, index)
    assert len(results) == 16 and all(got == wanted for got, wanted in results.values()), results
    done("makes calls that overlap")

    async def opened():
        stats, _ = await client.call("beam_stats", {})
        return sum(workspace["documents_opened"] for workspace in stats["workspaces"])

    await client.call("lean_close", about("Endless.lean"))
    before = await opened()
    async with anyio.create_task_group() as group:
        group.start_soon(client.call, "lean_sync", about("Endless.lean"))

        async def is_in_lean():
            return await opened() > before

        await until("the endless file in Lean", is_in_lean)
        group.cancel_scope.cancel()
    sync, _ = await client.call("lean_sync", about("Errors.lean"))
    assert sync["path"] == "Errors.lean"
    await client.call("lean_close", about("Endless.lean"))
    done("cancels a call, and the others go on" if client.sends_cancel else "gives up on a call, and the others go on")
    assert servers(), "the server is gone early"


async def wait_for_the_end(name):
    """The connection is closed: the server must leave."""

    async def is_gone():
        return not servers()

    await until("the end of the server", is_gone, LEAVE)
    print(f"ok   {name}: closes, and the server leaves", flush=True)
