// What every client tries, whatever its version: list, call, progress, logs, errors, cancel, close.
// A client module gives `open()`, which connects and returns the few operations used here.

import assert from 'node:assert/strict';

const LIMIT_MS = 60_000;
const LEAVE_MS = 4_000;

const project = process.env.MCP_TEST_PROJECT;
const server = process.env.MCP_TEST_SERVER;

/** The server's command line and environment for a stdio transport. */
export function serverParameters() {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('LEAN_BEAM_') || ['HOME', 'PATH'].includes(name)),
  );
  return { command: server, args: [], env, stderr: 'inherit' };
}

/** Arguments about a file of the test project. */
const about = (path, more = {}) => ({ workspace: { root: project }, path, ...more });

/** Fails when `promise` takes longer than anything healthy does. */
async function within(what, promise, limit = LIMIT_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limit} ms`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks until `look` is true. */
async function until(what, look, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  while (!(await look())) {
    assert.ok(Date.now() < end, `${what} did not come within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The structured content of a result, which must be the same as its text. */
function content(result) {
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

/**
 * Tries everything on one connection.
 *
 * `client` has: `era`, `pid()`, `listTools()`, `call(name, args, {onprogress, signal, logLevel})`, `logs` (an array that
 * log notifications are pushed to), `close()`, and for legacy clients `ping()`.
 */
export async function tryEverything(name, open) {
  const errors = [];
  const client = await within('connecting', open({ onerror: (error) => errors.push(String(error)) }));
  const step = async (what, action) => {
    await within(what, action());
    console.log(`ok   ${name}: ${what}`);
  };

  await step('lists the tools', async () => {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    for (const wanted of ['lean_sync', 'lean_update', 'lean_hover', 'lean_drop_workspace', 'beam_version']) {
      assert.ok(names.includes(wanted), `${wanted} is missing in ${names}`);
    }
  });

  await step('calls a tool and reads its result', async () => {
    const version = content(await client.call('beam_version', {}));
    assert.equal(version.server, 'lean-beam-mcp');
    const sync = content(await client.call('lean_sync', about('Errors.lean', { diagnostics_in_result: true })));
    assert.equal(sync.diagnostics.counts.error, 1);
    assert.equal(sync.diagnostics.items.length, 1);
    assert.equal(sync.readiness.save_ready, false);
  });

  await step('gets progress and logs while Lean works', async () => {
    await client.call('lean_close', about('Slow.lean'));
    const progress = [];
    client.logs.length = 0;
    const options = { onprogress: (update) => progress.push(update), logLevel: 'debug' };
    const sync = content(await client.call('lean_sync', about('Slow.lean', { diagnostic_scope: 'all' }), options));
    assert.equal(sync.document_progress.done, true);
    assert.ok(progress.length >= 2, `only ${progress.length} updates`);
    assert.ok(progress.every((update, index) => index === 0 || update.progress > progress[index - 1].progress));
    await until('a diagnostic in the logs', () => client.logs.some((log) => log.logger === 'lean.diagnostic'));
  });

  await step('gets the progress of fast calls', async () => {
    const rounds = 20;
    let count = 0;
    for (let round = 0; round < rounds; round += 1) {
      await client.call('lean_update', about('Errors.lean'), { onprogress: () => (count += 1) });
    }
    // On a machine that is very busy this client reads a notification and its response at once, and loses the former.
    assert.ok(count > rounds / 2 && count <= rounds, `${count} of ${rounds}`);
    const others = errors.splice(0).filter((error) => !error.includes('unknown token'));
    assert.deepEqual(others, []);
  });

  await step('is told what is wrong', async () => {
    const result = await client.call('lean_sync', { workspace: { root: 'relative' }, path: 'A.lean' });
    assert.equal(result.isError, true);
    assert.equal(content(result).code, 'invalidInput');
    await assert.rejects(client.call('no_such_tool', {}), (error) => error.code === -32602);
  });

  await step('makes calls that overlap', async () => {
    const paths = Array.from({ length: 16 }, (_, index) => (index % 2 ? 'Errors.lean' : 'Slow.lean'));
    const results = await Promise.all(paths.map((path) => client.call('lean_sync', about(path))));
    assert.deepEqual(results.map((result) => content(result).path), paths);
  });

  await step('cancels a call, and the others go on', async () => {
    const opened = async () => {
      const { workspaces } = content(await client.call('beam_stats', {}));
      return workspaces.reduce((sum, workspace) => sum + workspace.documents_opened, 0);
    };
    await client.call('lean_close', about('Endless.lean'));
    const before = await opened();
    const controller = new AbortController();
    const endless = client.call('lean_sync', about('Endless.lean'), { signal: controller.signal });
    const outcome = endless.then(() => 'answered', () => 'cancelled');
    await until('the endless file in Lean', async () => (await opened()) > before);
    controller.abort();
    assert.equal(await outcome, 'cancelled');
    assert.equal(content(await client.call('lean_sync', about('Errors.lean'))).path, 'Errors.lean');
    await client.call('lean_close', about('Endless.lean'));
  });

  if (client.ping) {
    await step('pings', () => client.ping());
  }

  const pid = client.pid();
  await step('closes, and the server leaves', async () => {
    await client.close();
    await until('the end of the server', () => !isAlive(pid), LEAVE_MS);
  });
  assert.deepEqual(errors, []);
}

/** Runs `main` and makes its failure the exit code. */
export function run(main) {
  main().then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
}
