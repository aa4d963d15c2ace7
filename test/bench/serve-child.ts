// One server of the serving benchmark in its own process: `bare` sends a ready buffer, `ours` is the service over a snapshot folder.
// Reports its port on start and, on each message, the CPU time it has used.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { startServer } from '../../server/app.ts';
import { requestIdMaker } from '../../server/http/request-gate.ts';
import { inFolder } from '../support/in-folder.ts';
import { addKey, openTestStore, testWebhookOptions } from '../support/ops-store.ts';

let key: string | undefined;
const [kind, argument = ''] = process.argv.slice(2);

function startBare(bytes: number): Promise<number> {
  const body = Buffer.alloc(bytes, 'x');
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] !== undefined) {
      response.writeHead(304, { ETag: '"bare"' });
      response.end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function startOurs(snapshotDir: string): Promise<number> {
  const { store } = await openTestStore();
  const { text } = await addKey(store, 'custom', {
    limits: { requests_per_minute: 1e9, monte_carlo_runs_per_month: 1e9 },
  });
  key = text;
  const server = await startServer({
    snapshots: inFolder(snapshotDir),
    pollMs: 50,
    host: '127.0.0.1',
    port: 0,
    anonymousPlan: null,
    store,
    webhooks: testWebhookOptions(),
    analytics: { workers: availableParallelism(), isWarm: true },
    steadyMs: () => performance.now(),
    docsUrl: '',
    serviceVersion: 'bench',
    nowMs: Date.now,
    makeRequestId: requestIdMaker('bench'),
    log: { info: () => undefined, warn: console.error, error: console.error },
    every: (ms, work) => {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  await server.refresh();
  return server.port;
}

const port = kind === 'bare' ? await startBare(Number(argument)) : await startOurs(argument);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu_seconds: (user + system) / 1e6, rss_bytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
process.send?.({ port, key });
