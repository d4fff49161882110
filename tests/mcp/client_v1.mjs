// The TypeScript client of the first SDK, which knows the legacy family only.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { run, serverParameters, tryEverything } from './checks.mjs';

async function open({ onerror }) {
  const client = new Client({ name: 'lean-beam-tests', version: '1' }, { capabilities: {} });
  const logs = [];
  client.onerror = onerror;
  client.setNotificationHandler(LoggingMessageNotificationSchema, (notification) => {
    logs.push(notification.params);
  });
  const transport = new StdioClientTransport(serverParameters());
  await client.connect(transport);
  await client.setLoggingLevel('debug');
  assert.equal(client.getServerVersion().name, 'lean-beam-mcp');
  assert.ok(client.getServerCapabilities().tools);
  assert.ok(client.getInstructions().includes('lean_sync'));
  return {
    logs,
    pid: () => transport.pid,
    listTools: () => client.listTools(),
    call: (name, args, { onprogress, signal } = {}) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress, signal }),
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

run(() => tryEverything('@modelcontextprotocol/sdk', open));
