"""The Python client of the modern SDK: client_v2.py auto|legacy|2026-07-28"""

import json
import sys

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

import checks

MODE = sys.argv[1]
NAME = f"Python mcp 2, {MODE}"


class Connection:
    sends_cancel = True

    def __init__(self, client, logs):
        self.client = client
        self.logs = logs

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, tool, arguments, progress=None, log_level=None):
        meta = {"io.modelcontextprotocol/logLevel": log_level} if log_level and MODE != "legacy" else None
        result = await self.client.call_tool(tool, arguments, progress_callback=progress, meta=meta)
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content, bool(result.is_error)

    @staticmethod
    def error_code(error):
        return error.error.code


async def main():
    logs = []

    async def on_log(params):
        logs.append(params.logger)

    parameters = StdioServerParameters(command=checks.SERVER, args=[], env=checks.server_environment())
    with anyio.fail_after(checks.LIMIT * 3):
        async with Client(parameters, mode=MODE, logging_callback=on_log) as client:
            wanted = "2025-11-25" if MODE == "legacy" else "2026-07-28"
            assert client.protocol_version == wanted, client.protocol_version
            # A client that is told which revision to speak asks nobody, so it does not know the server's name.
            if client.server_info is not None:
                assert client.server_info.name == "lean-beam-mcp"
            await checks.try_everything(NAME, Connection(client, logs))
        await checks.wait_for_the_end(NAME)


anyio.run(main)
