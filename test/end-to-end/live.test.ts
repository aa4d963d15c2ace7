// The profile `live` as a user starts it, against local stand-ins for all keyless sources.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { hostsAt, standIn } from '../jobs/live/stand-in.ts';
import { type ReplayServer, replayServer } from '../jobs/net/replay-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LATENCY_MS = 150;
const MAX_MS = 180_000;
const WANTED = [
  'yield-opportunities',
  'restaking-latest',
  'governance',
  'layer2-statistics',
  'network-b-statistics',
];

interface Status {
  readonly datasets: { readonly [id: string]: { readonly documents: number } };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The address that it announces. */
async function announced({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const [, address] = /(http:\/\/127\.0\.0\.1:\d+)\/v2\/data-manifest\n/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`it ended: ${text}`);
}

function start(server: ReplayServer): ChildProcess {
  const dir = temporaryFolder('live');
  const config = join(dir, 'config.json');
  const settings = { profile: 'live', data_dir: join(dir, 'var'), port: 0, metrics_port: 0 };
  writeFileSync(config, JSON.stringify({ ...settings, hosts: hostsAt(server.address) }));
  const args = ['launch/main.ts', '--config', config, '--log-level', 'error'];
  const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(() => stop(child));
  return child;
}

/** Datasets without a document, as soon as there is none or the time is over. */
async function emptyDatasets(address: string): Promise<readonly string[]> {
  const endMs = Date.now() + MAX_MS;
  for (;;) {
    const { datasets } = (await (await fetch(`${address}/v1/status`)).json()) as Status;
    const empty = WANTED.filter((id) => (datasets[id]?.documents ?? 0) === 0);
    if (empty.length === 0 || Date.now() > endMs) return empty;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

test('npm start with the profile live publishes what the sources say, and stops fetching when it stops', {
  timeout: 2 * MAX_MS,
}, async () => {
  const server = await replayServer((asked) => standIn(asked, Date.now(), LATENCY_MS));
  closing.push(server.close);
  const child = start(server);
  expect(await emptyDatasets(await announced(child))).toEqual([]);
  await stop(child);
  const asked = server.asked.length;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(server.asked.length).toBe(asked);
});
