// A server to be killed at any moment: `kill-child.ts <snapshot folder> <store> <start> <speed>`. Its clock starts at `start` and runs
// `speed` times as fast as the real one, so hours between webhook attempts pass in seconds. Prints its port on standard output.
import { randomBytes } from 'node:crypto';
import { startServer } from '../../../server/app.ts';
import { requestIdMaker } from '../../../server/http/request-gate.ts';
import { openStore } from '../../../server/store/sqlite/open-sqlite.ts';
import { inFolder } from '../../support/in-folder.ts';
import { TEST_SEALER, testWebhookOptions } from '../../support/ops-store.ts';
import { AS_OF_MS } from '../server-fixture.ts';

const [snapshotDir = '', path = '', startMs = '0', speed = '1'] = process.argv.slice(2);
const store = await openStore({
  path,
  owner: randomBytes(8).toString('hex'),
  sealer: TEST_SEALER,
  steadyMs: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
const say = (facts: object, message: string) => {
  if (process.env['WEBHOOK_TEST_LOG']) console.error(message, facts);
};
const server = await startServer({
  snapshots: inFolder(snapshotDir),
  host: '127.0.0.1',
  port: 0,
  anonymousPlan: null,
  store,
  webhooks: testWebhookOptions({ random: Math.random, limits: { connectMs: 3_000, totalMs: 3_000 } }),
  docsUrl: '',
  serviceVersion: 'test',
  nowMs: () => AS_OF_MS + Math.round((Date.now() - Number(startMs)) * Number(speed)),
  steadyMs: () => performance.now(),
  makeRequestId: requestIdMaker('child'),
  log: { info: say, warn: say, error: say },
  every: (ms, work) => {
    // Work done once a minute is done at least that often on the fast clock, but not continuously.
    const timer = setInterval(work, ms >= 60_000 ? 500 : ms);
    return () => clearInterval(timer);
  },
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  pollMs: 50,
});
process.stdout.write(`${server.port}\n`);
process.once('SIGTERM', () => {
  void server
    .stop()
    .then(() => store.close())
    .then(() => process.exit(0));
});
