// Failures to inject into a cluster. Each resolves to a description once the installation has recovered and published again.
import { type Cluster, SERVERS } from './cluster.ts';
import { expectEqual, statusOf } from './expectations.ts';
import type { Load } from './load.ts';
import { HOSTS, type Host } from './stores.ts';

/** Waits for a later version than the current one, whichever host leads. */
async function nextVersion(cluster: Cluster): Promise<number> {
  const before = await cluster.version();
  return cluster.until('a later version is published', async () => (await cluster.version()) > before);
}

export type Failure = (round: number) => Promise<string>;

/** Failures by name. `key`: a key that all servers know. */
export function failuresOf(cluster: Cluster, key: string, load: Load): Readonly<Record<string, Failure>> {
  const ofStores = Object.entries(cluster.stores.faults).map(([name, fault]): [string, Failure] => [
    name,
    (round) => whileServing(load, () => inStores(cluster, () => fault(round))),
  ]);
  return {
    'kill -9 of a server': (round) => killServer(cluster, round % SERVERS),
    'kill -9 of the leader': () => killLeader(cluster),
    'kill -9 of the standby': () => killStandby(cluster),
    'crash of PostgreSQL': () => killDatabase(cluster, key),
    ...Object.fromEntries(ofStores),
  };
}

async function killServer(cluster: Cluster, index: number): Promise<string> {
  await cluster.endServer(index, 'SIGKILL');
  cluster.startServer(index);
  return `ready after ${await cluster.until('the server is ready', () => cluster.isReady(index))} ms`;
}

async function killLeader(cluster: Cluster): Promise<string> {
  const { leader } = cluster;
  if (leader === undefined) throw new Error('No host has led yet.');
  await cluster.endHost(leader, 'SIGKILL');
  const tookOverMs = await cluster.until('the standby leads', () => cluster.leader !== leader);
  const publishedMs = await nextVersion(cluster);
  cluster.startHost(leader);
  await followed(cluster, leader);
  return `the standby led after ${tookOverMs} ms and published ${publishedMs} ms later; the first one stands by`;
}

/** A host that was started again leaves the lead to the other one, which publishes meanwhile. */
async function followed(cluster: Cluster, host: Host): Promise<void> {
  for (let version = 0; version < 2; version++) await nextVersion(cluster);
  expectEqual(`whether host ${host} runs`, cluster.isRunning(host), true);
  expectEqual(`whether host ${host} leads again`, cluster.leader === host, false);
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
  await cluster.stores.database.restart(true);
  const served = await cluster.until('all servers accept keys', async () => {
    const all = await Promise.all(cluster.ports.map((_, index) => statusOf(cluster.serverUrl(index), key)));
    return all.every((status) => status === 200);
  });
  return `keys were accepted after ${served} ms, the next version was published ${await nextVersion(cluster)} ms later`;
}

async function inStores(cluster: Cluster, fault: () => Promise<void>): Promise<string> {
  const startMs = performance.now();
  await fault();
  const backMs = Math.round(performance.now() - startMs);
  return `back after ${backMs} ms, the next version was published ${await nextVersion(cluster)} ms later`;
}

/** Servers keep serving what they have while the work is done. */
async function whileServing(load: Load, work: () => Promise<string>): Promise<string> {
  const before = load.failed.length;
  const done = await work();
  expectEqual('failed requests', load.failed.slice(before), []);
  return `${done}, no request failed`;
}
