"""The Python client of the first SDK, which knows the legacy family only."""

import json

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

import checks

NAME = "Python mcp 1"


class Connection:
    # It gives up on a call without a word to the server.
    sends_cancel = False

    def __init__(self, session, logs):
        self.session = session
        self.logs = logs

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, tool, arguments, progress=None, log_level=None):
        result = await self.session.call_tool(tool, arguments, progress_callback=progress)
        assert json.loads(result.content[0].text) == result.structuredContent
        return result.structuredContent, bool(result.isError)

    @staticmethod
    def error_code(error):
        return error.error.code


async def main():
    logs = []

    async def on_log(params):
        logs.append(params.logger)

    parameters = StdioServerParameters(command=checks.SERVER, args=[], env=checks.server_environment())
    with anyio.fail_after(checks.LIMIT * 3):
        async with stdio_client(parameters) as (read, write):
            async with ClientSession(read, write, logging_callback=on_log) as session:
                opened = await session.initialize()
                assert opened.protocolVersion == "2025-11-25"
                assert opened.serverInfo.name == "lean-beam-mcp"
                await session.send_ping()
                await session.set_logging_level("debug")
                await checks.try_everything(NAME, Connection(session, logs))
        await checks.wait_for_the_end(NAME)


anyio.run(main)
