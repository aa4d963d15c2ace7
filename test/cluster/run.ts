// `npm run test:cluster`: an installation of several hosts as real processes, its processes replaced and killed in turn, and what must hold
// all the while. `-- --small` is the form for every landing. Prints a line for each check with its figures; the last line is the result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedEvents } from '../support/pipeline-world.ts';
import { addKey } from '../support/ops-store.ts';
import { Cluster, HOSTS, SERVERS, until } from './cluster.ts';
import { Load, PATHS } from './load.ts';

const isSmall = process.argv.includes('--small');
const BURSTS = isSmall ? 3 : 20;
const KILL_ROUNDS = isSmall ? 1 : 5;
const LIMIT = 30;
const MAX_REVOKE_MS = 1_000;

let failed = 0;

/** One result. A check that throws has failed. */
async function check(name: string, work: () => Promise<string>): Promise<void> {
  const startMs = performance.now();
  try {
    console.info(`ok   ${name}: ${await work()} (${Math.round((performance.now() - startMs) / 1000)} s)`);
  } catch (error) {
    failed++;
    console.info(`FAIL ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (seen !== wanted) throw new Error(`${what}: ${seen.slice(0, 600)}, expected ${wanted.slice(0, 300)}`);
}

const statusOf = async (url: string, key: string): Promise<number> => {
  const response = await fetch(`${url}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
};

/** Also that every server knows the key. */
async function newKey(cluster: Cluster, limits: object = {}): Promise<{ text: string; id: string }> {
  const org = `org-${Math.round(performance.now() * 1000)}`;
  const { text, record } = await addKey(cluster.store, 'custom', { org, limits });
  for (let index = 0; index < SERVERS; index++)
    await until('a new key is known', async () => (await statusOf(cluster.serverUrl(index), text)) !== 401);
  return { text, id: record.id };
}

async function servesAll(cluster: Cluster, key: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}` };
  const asked = cluster.ports.flatMap((_, index) => PATHS.map((path) => cluster.serverUrl(index) + path));
  const responses = await Promise.all(asked.map((url) => fetch(url, { headers })));
  return responses.every(({ ok }) => ok);
}

async function bursts(cluster: Cluster): Promise<string> {
  for (let trial = 0; trial < BURSTS; trial++) {
    const { text } = await newKey(cluster, { requests_per_minute: LIMIT });
    const statuses = await Promise.all(
      Array.from({ length: 4 * LIMIT }, (_, index) => statusOf(cluster.serverUrl(index % SERVERS), text)),
    );
    const passed = statuses.filter((status) => status === 200).length;
    // Each server was asked once for the key before.
    expectEqual(`requests of burst ${trial} that passed`, passed, LIMIT - SERVERS);
    expectEqual('other statuses', [...new Set(statuses)].sort(), [200, 429]);
  }
  return `${BURSTS} bursts over ${SERVERS} servers, each exactly ${LIMIT} a minute`;
}

async function revocation(cluster: Cluster): Promise<string> {
  const { text, id } = await newKey(cluster);
  await cluster.store.keys.revoke(id, { who: 'cli:test', requestId: null, atMs: Date.now() });
  const took = await Promise.all(
    cluster.ports.map((_, index) =>
      until('it is refused', async () => (await statusOf(cluster.serverUrl(index), text)) === 401),
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
    took.push(await until('the new server is ready', () => cluster.isReady(index)));
  }
  expectEqual('failed requests', load.failed.slice(before), []);
  return `${SERVERS} servers replaced, no request failed, ready after ${took.join(', ')} ms`;
}

/** A later version than the present one, by whoever leads. */
async function nextVersion(cluster: Cluster): Promise<number> {
  const before = cluster.version;
  return until('a later version is published', () => (cluster.version ?? '') > (before ?? ''));
}

async function killServer(cluster: Cluster, round: number): Promise<string> {
  const index = round % SERVERS;
  await cluster.endServer(index, 'SIGKILL');
  cluster.startServer(index);
  return `ready after ${await until('the server is ready', () => cluster.isReady(index))} ms`;
}

async function killLeader(cluster: Cluster): Promise<string> {
  const leader = cluster.leader ?? 'a';
  await cluster.endHost(leader, 'SIGKILL');
  const tookOverMs = await until('the standby leads', () => cluster.leader !== leader);
  const publishedMs = await nextVersion(cluster);
  cluster.startHost(leader);
  return `the standby led after ${tookOverMs} ms and published ${publishedMs} ms later`;
}

async function killStandby(cluster: Cluster): Promise<string> {
  const { leader } = cluster;
  const standby = HOSTS.find((host) => host !== leader) ?? 'b';
  await cluster.endHost(standby, 'SIGKILL');
  const tookMs = await nextVersion(cluster);
  expectEqual('the leader', cluster.leader, leader);
  cluster.startHost(standby);
  return `the leader published ${tookMs} ms later`;
}

async function killDatabase(cluster: Cluster, key: string): Promise<string> {
  await cluster.database.restart(true);
  const served = await until('all servers accept keys', async () => {
    const all = await Promise.all(cluster.ports.map((_, index) => statusOf(cluster.serverUrl(index), key)));
    return all.every((status) => status === 200);
  });
  return `keys were accepted after ${served} ms, the next version was published ${await nextVersion(cluster)} ms later`;
}

const idsOf = ({ dir }: Cluster): readonly string[] =>
  publishedEvents(join(dir, 'data')).map(({ value }) => value.event_id);

/** What clients saw in the end, against the published log. */
async function agreement(cluster: Cluster, load: Load): Promise<string> {
  await until('the streams have caught up', () => {
    const last = idsOf(cluster).length - 1;
    return load.streams.every(({ count }) => count >= last);
  });
  const { requests, backward, streams } = await load.end();
  const keys = publishedEvents(join(cluster.dir, 'data')).map(({ key }) => key);
  const [, ...ids] = idsOf(cluster);
  expectEqual('servers that went backward', backward, []);
  expectEqual('events with a key of another', keys.length - new Set(keys).size, 0);
  for (const stream of streams) {
    const seen = stream.frames.map((frame) => (JSON.parse(frame) as { event_id: string }).event_id);
    expectEqual('events of a stream', seen.slice(0, ids.length), ids.slice(0, seen.length));
  }
  const returns = streams.reduce((sum, stream) => sum + stream.returns, 0);
  cluster.verify();
  return `${ids.length} events, each once, in order, to ${streams.length} streams that came ${returns} times; ${requests} requests; nothing went backward; verify finds nothing`;
}

async function run(cluster: Cluster): Promise<void> {
  const { text } = await newKey(cluster, { requests_per_minute: 1_000_000, stream_connections: 100 });
  await check('burst', () => bursts(cluster));
  await check('revoked key', () => revocation(cluster));
  await until('all paths are served by all servers', () => servesAll(cluster, text));
  await until('an event is published', () => idsOf(cluster).length > 0);
  const [first] = idsOf(cluster);
  const load = new Load(cluster, text, first ?? '');
  await check('rolling replacement', () => rolling(cluster, load));
  for (let round = 0; round < KILL_ROUNDS; round++) {
    await check('kill -9 of a server', () => killServer(cluster, round));
    await check('kill -9 of the leader', () => killLeader(cluster));
    await check('kill -9 of the standby', () => killStandby(cluster));
    await check('crash of PostgreSQL', () => killDatabase(cluster, text));
  }
  await check('agreement', () => agreement(cluster, load));
}

const dir = mkdtempSync(join(tmpdir(), 'cluster-'));
const startMs = performance.now();
const cluster = await Cluster.start(dir);
console.info(`started in ${Math.round((performance.now() - startMs) / 1000)} s`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.stop().then(() => process.exit(1)));
try {
  await run(cluster);
} finally {
  await cluster.stop();
}
if (failed === 0) rmSync(dir, { recursive: true });
console.info(failed === 0 ? 'all checks passed' : `${failed} checks failed; logs are in ${dir}`);
process.exit(failed === 0 ? 0 : 1);
