// `npm run test:cluster`: an installation of several hosts as real processes, which are replaced and killed, in turn and at random, while
// its guarantees are checked; first on a folder, then on buckets with the feeds on Trino, then takeovers with the settings of the compose file.
// `-- --folder`, `-- --lake` and `-- --compose` run one of them, `-- --small` is the short form for every change; CLUSTER_ROUNDS and
// CLUSTER_RANDOM set how often everything fails in turn, and how many random failures follow. Prints a line for each check with its figures;
// the last line is the result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { minioProgram } from '../support/minio.ts';
import { addKey } from '../support/ops-store.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Cluster, SERVERS } from './cluster.ts';
import { expectEqual, statusOf } from './expectations.ts';
import { type Failure, failuresOf } from './failures.ts';
import { Load, PATHS } from './load.ts';
import { composeStores, folderStores, HOSTS, lakeStores, type Stores } from './stores.ts';

const flags = process.argv.slice(2);
const isSmall = flags.includes('--small');
const BURSTS = isSmall ? 3 : 20;
const KILL_ROUNDS = isSmall ? 1 : Number(process.env['CLUSTER_ROUNDS'] ?? 2);
const RANDOM_FAULTS = isSmall ? 0 : Number(process.env['CLUSTER_RANDOM'] ?? 10);
const SEED = Number(process.env['CLUSTER_SEED'] ?? 1);
const LIMIT = 30;
const MAX_REVOKE_MS = 1_000;

let failed = 0;

/** Runs one check and prints its result. A check that throws has failed. */
async function check(name: string, work: () => Promise<string>): Promise<void> {
  const startMs = performance.now();
  try {
    console.info(`ok   ${name}: ${await work()} (${Math.round((performance.now() - startMs) / 1000)} s)`);
  } catch (error) {
    failed++;
    console.info(`FAIL ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Makes a key that every server knows and has counted one request of. */
async function newKey(cluster: Cluster, limits: object = {}): Promise<{ text: string; id: string }> {
  const org = `org-${Math.round(performance.now() * 1000)}`;
  const { text, record } = await addKey(cluster.ops, 'custom', { org, limits });
  for (let index = 0; index < SERVERS; index++)
    await cluster.until(
      'a new key is known',
      async () => (await statusOf(cluster.serverUrl(index), text)) === 200,
    );
  return { text, id: record.id };
}

/** False also if a connection that was kept open ends meanwhile. */
async function servesAll(cluster: Cluster, key: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  const asked = cluster.ports.flatMap((_, index) => PATHS.map((path) => cluster.serverUrl(index) + path));
  const isServed = (url: string) =>
    fetch(url, { headers }).then(
      (response) => response.arrayBuffer().then(() => response.ok),
      () => false,
    );
  return (await Promise.all(asked.map(isServed))).every((ok) => ok);
}

async function bursts(cluster: Cluster): Promise<string> {
  let repeated = 0;
  for (let trial = 0; trial < BURSTS; trial++) {
    await cluster.until('all servers count together', () => cluster.countsTogether());
    const before = cluster.timesAlone();
    const { passed, refilled } = await burst(cluster);
    // A server that counted alone admitted its share, as it should: that does not test the joint count.
    if (cluster.timesAlone() > before && repeated++ < BURSTS) {
      trial--;
      continue;
    }
    // Each server has already counted one request of the key. Requests that the limit regains on a slow machine may pass as well.
    const exact = LIMIT - SERVERS;
    const expected = Math.min(Math.max(passed, exact), exact + refilled);
    expectEqual(`requests of burst ${trial} that passed`, passed, expected);
  }
  const repeats = repeated === 0 ? '' : `, ${repeated} repeated because a server counted alone`;
  return `${BURSTS} bursts over ${SERVERS} servers, each exactly ${LIMIT} a minute${repeats}`;
}

async function burst(cluster: Cluster): Promise<{ passed: number; refilled: number }> {
  const startMs = performance.now();
  const { text } = await newKey(cluster, { requests_per_minute: LIMIT });
  const statuses = await Promise.all(
    Array.from({ length: 4 * LIMIT }, (_, index) => statusOf(cluster.serverUrl(index % SERVERS), text)),
  );
  expectEqual('other statuses', [...new Set(statuses)].sort(), [200, 429]);
  const refilled = Math.floor(((performance.now() - startMs) * LIMIT) / 60_000);
  return { passed: statuses.filter((status) => status === 200).length, refilled };
}

async function revocation(cluster: Cluster): Promise<string> {
  const { text, id } = await newKey(cluster);
  await cluster.ops.keys.revoke(id, { who: 'cli:test', requestId: null, atMs: Date.now() });
  const took = await Promise.all(
    cluster.ports.map((_, index) =>
      cluster.until('it is refused', async () => (await statusOf(cluster.serverUrl(index), text)) === 401),
    ),
  );
  if (Math.max(...took) > MAX_REVOKE_MS) throw new Error(`it took ${took.join(', ')} ms`);
  return `refused by all servers after ${Math.max(...took)} ms`;
}

async function rolling(cluster: Cluster, load: Load): Promise<string> {
  const before = load.failed.length;
  const took: number[] = [];
  for (let index = 0; index < SERVERS; index++) {
    await cluster.endServer(index, 'SIGTERM');
    cluster.startServer(index);
    took.push(await cluster.until('the new server is ready', () => cluster.isReady(index)));
  }
  expectEqual('failed requests', load.failed.slice(before), []);
  return `${SERVERS} servers replaced, no request failed, ready after ${took.join(', ')} ms`;
}

const idsOf = async (cluster: Cluster): Promise<readonly string[]> =>
  (await cluster.events()).map(({ value }) => value.event_id);

/** Compares what clients saw in the end with the published log. */
async function agreement(cluster: Cluster, load: Load): Promise<string> {
  await cluster.until('the streams have caught up', async () => {
    const last = (await idsOf(cluster)).length - 1;
    return load.streams.every(({ count }) => count >= last);
  });
  const { requests, backward, streams } = await load.end();
  const events = await cluster.events();
  const [, ...ids] = events.map(({ value }) => value.event_id);
  expectEqual('servers that went backward', backward, []);
  expectEqual('events that share a key', events.length - new Set(events.map(({ key }) => key)).size, 0);
  for (const stream of streams) {
    const seen = stream.frames.map((frame) => (JSON.parse(frame) as { event_id: string }).event_id);
    expectEqual('events of a stream', seen.slice(0, ids.length), ids.slice(0, seen.length));
  }
  const returns = streams.reduce((sum, stream) => sum + stream.returns, 0);
  cluster.verify();
  return `${ids.length} events, each once, in order, to ${streams.length} streams that reconnected ${returns} times; ${requests} requests; nothing went backward; verify finds nothing`;
}

async function underLoad(cluster: Cluster, text: string): Promise<Load> {
  await cluster.until('all paths are served by all servers', () => servesAll(cluster, text));
  await cluster.until('an event is published', async () => (await idsOf(cluster)).length > 0);
  const [first] = await idsOf(cluster);
  return new Load(cluster, text, first ?? '');
}

/** Each job host takes over once. */
async function takeovers(cluster: Cluster): Promise<void> {
  const { text } = await newKey(cluster, { requests_per_minute: 1_000_000, stream_connections: 100 });
  const load = await underLoad(cluster, text);
  const failure = failuresOf(cluster, text, load)['kill -9 of the leader'];
  if (failure === undefined) throw new Error('The leader cannot be killed.');
  for (const turn of HOSTS.keys()) await check(`takeover ${turn + 1}`, () => failure(turn));
  await check('requests', async () => {
    expectEqual('failed requests', load.failed, []);
    return 'none failed';
  });
  await check('agreement', () => agreement(cluster, load));
}

async function run(cluster: Cluster): Promise<void> {
  const { text } = await newKey(cluster, { requests_per_minute: 1_000_000, stream_connections: 100 });
  await check('burst', () => bursts(cluster));
  await check('revoked key', () => revocation(cluster));
  const load = await underLoad(cluster, text);
  await check('rolling replacement', () => rolling(cluster, load));
  const failures = failuresOf(cluster, text, load);
  for (let round = 0; round < KILL_ROUNDS; round++)
    for (const [name, failure] of Object.entries(failures)) await check(name, () => failure(round));
  await atRandom(cluster, failures);
  await check('agreement', () => agreement(cluster, load));
}

/** Injects failures at any moment of a tick. */
async function atRandom(cluster: Cluster, failures: Readonly<Record<string, Failure>>): Promise<void> {
  const random = seededRandom(SEED);
  const names = Object.keys(failures);
  for (let round = 0; round < RANDOM_FAULTS; round++) {
    const name = names[Math.floor(random() * names.length)] ?? '';
    const afterMs = Math.round(random() * cluster.stores.tickSeconds * 1_000);
    await wait(afterMs);
    await check(
      `${name}, ${afterMs} ms later`,
      () => failures[name]?.(round) ?? Promise.reject(new Error(name)),
    );
  }
}

async function runOn(name: string, open: (dir: string) => Promise<Stores>, checks = run): Promise<void> {
  const before = failed;
  const dir = mkdtempSync(join(tmpdir(), 'cluster-'));
  const startMs = performance.now();
  const cluster = await Cluster.start(dir, await open(dir));
  console.info(`${name}: started in ${Math.round((performance.now() - startMs) / 1000)} s`);
  const end = () => void cluster.stop().then(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  try {
    await checks(cluster);
  } finally {
    await cluster.stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
  if (failed === before) rmSync(dir, { recursive: true });
  else console.info(`logs are in ${dir}`);
}

const only = ['folder', 'lake', 'compose'].find((name) => flags.includes(`--${name}`));
const isAsked = (name: string): boolean => only === undefined || only === name;

if (isAsked('folder')) await runOn('a folder', folderStores);
if (isAsked('lake') && !isSmall) await runOn('buckets and Trino', lakeStores);
if (isAsked('compose') && !isSmall) {
  if (minioProgram() === undefined) console.info('NOT CHECKED: the compose file, without MinIO');
  else await runOn('the compose file', composeStores, takeovers);
}
console.info(failed === 0 ? 'all checks passed' : `${failed} checks failed`);
process.exit(failed === 0 ? 0 : 1);
