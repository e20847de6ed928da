import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';

const server = fileURLToPath(new URL('null-node.mjs', import.meta.url));
const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const children = [];
after(() => children.forEach((child) => child.kill()));

function start(...args) {
  const child = spawn(process.execPath, [server, ...args]);
  children.push(child);
  return child;
}

// stdio returns a function that sends lines and resolves to n answers.
function stdio() {
  const child = start('--stdio');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (input, n) => {
    child.stdin.write(input);
    const answers = [];
    while (answers.length < n) answers.push(JSON.parse((await lines.next()).value));
    return answers;
  };
}

// http returns a function that posts a message.
async function http() {
  const child = start('--http', '127.0.0.1:0');
  const [line] = await once(createInterface({ input: child.stderr }), 'line');
  const url = line.replace('listening on ', '');
  return (message, headers = {}) =>
    fetch(url, { method: 'POST', headers: { ...accept, ...headers }, body: JSON.stringify(message) });
}

const call = (id, name, args, extra) => ({
  jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...extra },
});
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } };

test('stdio: handshake, list and calls in one write, answered in order', async () => {
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const all = [initialize, note, list, call('a', 'echo', { message: 'hé\u2028\n' }), call(4, 'payload', { bytes: 1024 })];
  const send = stdio();
  const [hello, tools, echo, payload] = await send(all.map((m) => JSON.stringify(m) + '\n').join(''), 4);
  assert.equal(hello.result.protocolVersion, '2025-06-18');
  assert.deepEqual(tools.result.tools.map((t) => [t.name, t.annotations.readOnlyHint]), [['echo', true], ['payload', true]]);
  assert.deepEqual([echo.id, echo.result.content[0].text], ['a', 'hé\u2028\n']);
  assert.equal(payload.result.content[0].text.length, 1024);
});

test('stdio: a message in pieces, a line that is not JSON, a bad argument', async () => {
  const send = stdio();
  const line = JSON.stringify(call(1, 'echo', { message: 'x'.repeat(300_000) })) + '\n';
  const [first] = await send(line.slice(0, 100_000), 0).then(() => send(line.slice(100_000), 1));
  assert.equal(first.result.content[0].text.length, 300_000);
  const [bad, wrong, unknown] = await send(
    'hello\n' + JSON.stringify(call(2, 'payload', { bytes: -1 })) + '\n' + JSON.stringify(call(3, 'nope')) + '\n', 3);
  assert.equal(bad.error.code, -32700);
  assert.equal(wrong.result.isError, true);
  assert.equal(unknown.error.code, -32602);
});

test('HTTP, legacy: a session id that may be left out, 404 for an unknown one', async () => {
  const post = await http();
  const hello = await post(initialize);
  const session = hello.headers.get('mcp-session-id');
  assert.match(session, /^[\x21-\x7e]+$/);
  assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'Mcp-Session-Id': session })).status, 202);
  for (const headers of [{}, { 'Mcp-Session-Id': session }]) {
    const answer = await post(call(2, 'echo', { message: 'hi' }), headers);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    const body = await answer.text();
    assert.equal(answer.headers.get('content-length'), String(body.length));
    assert.equal(JSON.parse(body).result.content[0].text, 'hi');
  }
  assert.equal((await post(call(3, 'echo', { message: 'hi' }), { 'Mcp-Session-Id': 'nope' })).status, 404);
});

test('HTTP, modern: stateless, discover, headers are checked', async () => {
  const post = await http();
  const headers = (method) => ({ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method });
  const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } };
  const found = await (await post(discover, headers('server/discover'))).json();
  assert.equal(found.result.supportedVersions[0], '2026-07-28');
  const first = await (await post(call(2, 'echo', { message: 'hi' }, { _meta: meta }), headers('tools/call'))).json();
  assert.deepEqual([first.result.resultType, first.result.content[0].text], ['complete', 'hi']);
  const mismatch = await post(call(3, 'echo', { message: 'hi' }, { _meta: meta }), headers('tools/list'));
  assert.deepEqual([mismatch.status, (await mismatch.json()).error.code], [400, -32020]);
  const unknown = await post({ jsonrpc: '2.0', id: 4, method: 'nope', params: { _meta: meta } }, headers('nope'));
  assert.deepEqual([unknown.status, (await unknown.json()).error.code], [404, -32601]);
});

test('both transports give the same answer, byte for byte; stdio ends with its input', async () => {
  const message = call(7, 'payload', { bytes: 4096 });
  const child = start('--stdio');
  child.stdin.end(JSON.stringify(message) + '\n');
  const line = (await child.stdout.toArray()).join('');
  assert.equal(child.exitCode ?? (await once(child, 'exit'))[0], 0);
  const post = await http();
  assert.equal((await (await post(message)).text()) + '\n', line);
});
