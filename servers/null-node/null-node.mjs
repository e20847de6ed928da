#!/usr/bin/env node
// An MCP server that does nothing, over stdio or HTTP, with the same handler
// behind both: what is left to measure is framing, syscalls and scheduling.
//
//   node null-node.mjs --stdio
//   node null-node.mjs --http 127.0.0.1:3000

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const LEGACY_REVISIONS = [LEGACY, '2025-06-18', '2025-03-26', '2024-11-05'];
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const MAX_PAYLOAD = 256 * 1024 * 1024;

const serverInfo = { name: 'null-node', version: '1.0.0' };
const capabilities = { tools: {} };

const tools = [
  {
    name: 'echo',
    description: 'Returns the message.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'payload',
    description: 'Returns a text of the requested size in bytes.',
    inputSchema: {
      type: 'object',
      properties: { bytes: { type: 'integer', minimum: 0, maximum: MAX_PAYLOAD } },
      required: ['bytes'],
    },
    annotations: { readOnlyHint: true },
  },
];

// --- handler: one request object in, one response object out ---------------

const payloads = new Map(); // size -> text, made on first use

function payload(bytes) {
  let text = payloads.get(bytes);
  if (text === undefined) {
    text = 'x'.repeat(bytes);
    if (payloads.size < 64) payloads.set(bytes, text);
  }
  return text;
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const toolError = (message) => ({ ...text(message), isError: true });

class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function callTool({ name, arguments: args = {} } = {}) {
  switch (name) {
    case 'echo':
      return typeof args.message === 'string' ? text(args.message) : toolError('message must be a string');
    case 'payload':
      return Number.isInteger(args.bytes) && args.bytes >= 0 && args.bytes <= MAX_PAYLOAD
        ? text(payload(args.bytes))
        : toolError(`bytes must be an integer from 0 to ${MAX_PAYLOAD}`);
    default:
      throw new RpcError(-32602, `Unknown tool: ${name}`);
  }
}

function result({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: LEGACY_REVISIONS.includes(params?.protocolVersion) ? params.protocolVersion : LEGACY,
        capabilities,
        serverInfo,
      };
    case 'server/discover':
      return { supportedVersions: [MODERN, ...LEGACY_REVISIONS], capabilities };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return callTool(params);
    default:
      throw new RpcError(-32601, `Method not found: ${method}`);
  }
}

const cacheable = { ttlMs: 0, cacheScope: 'public' };
const modernMeta = { 'io.modelcontextprotocol/serverInfo': serverInfo };

/** Answers one JSON-RPC message; undefined when it needs no answer. */
function handle(message) {
  const { id, method, params } = message;
  if (id === undefined || method === undefined) return undefined;
  try {
    const version = params?._meta?.[META_VERSION];
    if (version !== undefined && version !== MODERN) {
      throw new RpcError(-32022, 'Unsupported protocol version', { supported: [MODERN], requested: version });
    }
    const answer = result(message);
    if (version === undefined) return { jsonrpc: '2.0', id, result: answer };
    const extra = method === 'tools/call' ? undefined : cacheable;
    return { jsonrpc: '2.0', id, result: { ...answer, ...extra, resultType: 'complete', _meta: modernMeta } };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data: error.data } };
  }
}

const parseError = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };

function parse(json) {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return undefined;
  }
}

// --- stdio: a message a line ------------------------------------------------

function serveStdio() {
  let parts = []; // of the line that has not ended yet
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = chunk.split('\n');
    parts.push(lines[0]);
    for (let i = 1; i < lines.length; i++) {
      answerLine(parts.join(''));
      parts = [lines[i]];
    }
  });
}

function answerLine(line) {
  if (line.trim() === '') return;
  const message = parse(line);
  const response = message === undefined ? parseError : handle(message);
  if (response !== undefined) process.stdout.write(JSON.stringify(response) + '\n');
}

// --- streamable HTTP: a message a POST, answered in JSON --------------------

const sessions = new Set();

function send(res, status, body, headers = {}) {
  if (body === undefined) return res.writeHead(status, headers).end();
  const json = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': json.length, ...headers });
  return res.end(json);
}

// 2026-07-28 makes the status part of the protocol; before, errors are 200.
const modernStatus = { [-32601]: 404, [-32602]: 400, [-32020]: 400, [-32022]: 400 };

function sessionLost(req) {
  const session = req.headers['mcp-session-id'];
  return session !== undefined && !sessions.has(session);
}

function answerPost(req, res, body) {
  const message = parse(body);
  if (message === undefined) return send(res, 400, parseError);
  const id = message.id ?? null;
  const version = message.params?._meta?.[META_VERSION];
  if (version === undefined && sessionLost(req)) {
    return send(res, 404, { jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } });
  }
  const { 'mcp-protocol-version': header, 'mcp-method': method } = req.headers;
  if (version !== undefined && (header !== version || method !== message.method)) {
    return send(res, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } });
  }
  const response = handle(message);
  if (response === undefined) return send(res, 202);
  if (message.method === 'initialize') {
    const session = randomUUID();
    sessions.add(session);
    return send(res, 200, response, { 'Mcp-Session-Id': session });
  }
  const status = version !== undefined && response.error ? (modernStatus[response.error.code] ?? 200) : 200;
  return send(res, status, response);
}

function serveHTTP(host, port) {
  const server = createServer((req, res) => {
    if (new URL(req.url, 'http://localhost').pathname !== '/mcp') return send(res, 404);
    if (req.method === 'DELETE') return send(res, sessions.delete(req.headers['mcp-session-id']) ? 204 : 404);
    if (req.method !== 'POST') return send(res, 405, undefined, { Allow: 'POST, DELETE' });
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => answerPost(req, res, Buffer.concat(chunks).toString('utf8')));
  });
  server.listen(port, host, () => {
    const { address, port: bound } = server.address();
    console.error(`listening on http://${address}:${bound}/mcp`);
  });
}

// --- command line -----------------------------------------------------------

function main([mode, address]) {
  const [, host, port] = /^(.+):(\d+)$/.exec(address ?? '') ?? [];
  if (mode === '--stdio' && address === undefined) return serveStdio();
  if (mode === '--http' && port !== undefined) return serveHTTP(host, Number(port));
  console.error('usage: null-node.mjs --stdio | --http HOST:PORT');
  process.exitCode = 2;
}

main(process.argv.slice(2));
