// The TypeScript client of the modern SDK: client_v2.mjs auto|pinned|legacy

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { run, serverParameters, tryEverything } from './checks.mjs';

const MODERN = '2026-07-28';
const MODES = { auto: 'auto', pinned: { pin: MODERN }, legacy: 'legacy' };
const mode = process.argv[2];

async function open({ onerror }) {
  const versionNegotiation = { mode: MODES[mode], probe: { timeoutMs: 10_000 } };
  const client = new Client({ name: 'lean-beam-tests', version: '1' }, { versionNegotiation });
  const logs = [];
  client.onerror = onerror;
  client.setNotificationHandler('notifications/message', (notification) => {
    logs.push(notification.params);
  });
  const transport = new StdioClientTransport(serverParameters());
  await client.connect(transport);

  const isModern = mode !== 'legacy';
  assert.equal(client.getProtocolEra(), isModern ? 'modern' : 'legacy');
  assert.equal(client.getNegotiatedProtocolVersion(), isModern ? MODERN : '2025-11-25');
  assert.equal(client.getServerVersion().name, 'lean-beam-mcp');
  assert.ok(client.getInstructions().includes('lean_sync'));
  return {
    logs,
    pid: () => transport.pid,
    listTools: () => client.listTools(),
    call: (name, args, { onprogress, signal, logLevel } = {}) => {
      const meta = isModern && logLevel ? { _meta: { 'io.modelcontextprotocol/logLevel': logLevel } } : {};
      return client.callTool({ name, arguments: args, ...meta }, { onprogress, signal });
    },
    ping: isModern ? undefined : () => client.ping(),
    close: () => client.close(),
  };
}

run(() => tryEverything(`@modelcontextprotocol/client, ${mode}`, open));
