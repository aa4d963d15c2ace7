// A server for tests to kill, over a snapshot folder and a store that outlive it. Prints its address.
import { randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { startServer } from '../../../server/app.ts';
import { requestIdMaker } from '../../../server/http/request-gate.ts';
import { openStore } from '../../../server/store/sqlite/open-sqlite.ts';
import { inFolder } from '../../support/in-folder.ts';
import { TEST_SEALER, testWebhookOptions } from '../../support/ops-store.ts';

const [snapshotDir = '', path = ''] = process.argv.slice(2);
const clock = { steadyMs: () => performance.now(), wait: (ms: number) => wait(ms) };
const owner = randomBytes(8).toString('hex');
const server = await startServer({
  ...clock,
  snapshots: inFolder(snapshotDir),
  host: '127.0.0.1',
  port: 0,
  anonymousPlan: null,
  store: await openStore({ path, owner, sealer: TEST_SEALER, ...clock }),
  webhooks: testWebhookOptions(),
  docsUrl: '',
  serviceVersion: 'test',
  nowMs: Date.now,
  makeRequestId: requestIdMaker('kill'),
  log: { info: () => undefined, warn: () => undefined, error: console.error },
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
});
await server.refresh();
process.stdout.write(`${server.url}\n`);
// It will not end by itself, which is when Node keeps what it compiled.
flushCompileCache();
