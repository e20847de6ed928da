// The article's own kind of measurement: a Node.js client that times the same
// null-node server over stdio and HTTP. It is here to tell how much of the
// article's ratios is the client, and is no part of mcpdyno.
//
//   node bench/article/client.mjs [--runs 400] [--warmup 50] [--batches 50]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '400' }, warmup: { type: 'string', default: '50' }, batches: { type: 'string', default: '50' } } })
const runs = Number(values.runs), warmup = Number(values.warmup), batches = Number(values.batches)
const server = new URL('../../servers/null-node/null-node.mjs', import.meta.url).pathname
const inFlight = 8
let id = 0

function request(bytes) {
  return { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'payload', arguments: { bytes } } }
}

const initialize = () => ({ jsonrpc: '2.0', id: ++id, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'article', version: '1' } } })

async function overStdio() {
  const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let rest = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  const call = message => new Promise(resolve => {
    waiting.set(message.id, resolve)
    child.stdin.write(JSON.stringify(message) + '\n')
  })
  await call(initialize())
  return { call, close: () => child.kill('SIGKILL') }
}

async function overHTTP(keepAlive) {
  const port = await freePort()
  const child = spawn(process.execPath, [server, '--http', `127.0.0.1:${port}`], { stdio: ['ignore', 'inherit', 'inherit'] })
  const agent = new http.Agent({ keepAlive, maxSockets: 64 })
  let session
  const call = message => new Promise((resolve, reject) => {
    const body = JSON.stringify(message)
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Content-Length': Buffer.byteLength(body) }
    if (session) Object.assign(headers, { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' })
    const req = http.request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers }, res => {
      session ??= res.headers['mcp-session-id']
      let text = ''
      res.setEncoding('utf8')
      res.on('data', chunk => { text += chunk })
      res.on('end', () => resolve(JSON.parse(text)))
    })
    req.on('error', reject)
    req.end(body)
  })
  await listening(port)
  await call(initialize())
  return { call, close: () => { agent.destroy(); child.kill('SIGKILL') } }
}

async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

async function listening(port) {
  for (let tries = 0; tries < 1000; tries++) {
    const socket = net.connect(port, '127.0.0.1')
    const ok = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false, () => false)]).catch(() => false)
    socket.destroy()
    if (ok) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error('the server does not listen')
}

function p50(times) { return times.sort((a, b) => a - b)[Math.floor((times.length - 1) / 2)] }

async function measure(open) {
  const { call, close } = await open()
  const row = {}
  for (const kb of [1, 256]) {
    for (let i = 0; i < warmup; i++) await call(request(kb << 10))
    const single = []
    for (let i = 0; i < runs; i++) {
      const began = performance.now()
      const answer = await call(request(kb << 10))
      single.push(performance.now() - began)
      if (answer.result.content[0].text.length !== kb << 10) throw new Error('another answer')
    }
    row[`${kb} KB`] = p50(single)
    if (kb > 1) continue
    const whole = []
    for (let i = 0; i < batches; i++) {
      const began = performance.now()
      await Promise.all(Array.from({ length: inFlight }, () => call(request(kb << 10))))
      whole.push(performance.now() - began)
    }
    row[`${kb} KB x ${inFlight}`] = p50(whole)
  }
  close()
  return row
}

const rows = { stdio: await measure(overStdio), 'http keep-alive': await measure(() => overHTTP(true)), 'http fresh': await measure(() => overHTTP(false)) }
console.log('p50 in ms, and as a multiple of stdio')
for (const [name, row] of Object.entries(rows)) {
  const cells = Object.entries(row).map(([what, ms]) => `${what}: ${ms.toFixed(3)} (${(ms / rows.stdio[what]).toFixed(2)})`)
  console.log(`${name.padEnd(16)} ${cells.join('   ')}`)
}
