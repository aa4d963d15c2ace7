// `npm start -- --profile live` as a user starts it, with every host redirected by the configuration file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StandIns } from './live-world/stand-ins.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const ANNOUNCED = /(http:\/\/127\.0\.0\.1:\d+)\/v2\/data-manifest\n/;

export interface LiveStart {
  /** The data folder. */
  readonly dir: string;
  /** The address announced once something is published. @throws Error if the program ends first */
  readonly address: Promise<string>;
  stop(): Promise<void>;
}

export interface LiveStartOptions extends Pick<StandIns, 'hosts'> {
  /** The section `sources` of the configuration. */
  readonly sources: { readonly [id: string]: object };
  /** From the configuration; the shipped default if omitted. */
  readonly tick_cron?: string;
}

export function startLive({ hosts, sources, ...given }: LiveStartOptions): LiveStart {
  const dir = temporaryFolder('live');
  const config = join(dir, 'config.json');
  const settings = { profile: 'live', data_dir: join(dir, 'var'), port: 0, metrics_port: 0, ...given };
  writeFileSync(config, JSON.stringify({ ...settings, hosts, sources }));
  const args = ['platform/processes/main.ts', '--config', config, '--log-level', 'error'];
  const child = spawn(process.execPath, args, { cwd: PROJECT, stdio: ['ignore', 'pipe', 'inherit'] });
  return { dir: settings.data_dir, address: announced(child), stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function announced({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const [, address] = ANNOUNCED.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`it ended: ${text}`);
}

interface Status {
  readonly datasets: { readonly [id: string]: { readonly documents: number } };
  readonly sources: readonly { readonly id: string; readonly state: string }[];
}

export interface Standing {
  /** Datasets with documents. */
  readonly filled: ReadonlySet<string>;
  /** Sources that are being read. */
  readonly reading: ReadonlySet<string>;
}

/** The standing at this moment; empty while the server cannot provide it. */
export async function standingOf(address: string): Promise<Standing> {
  const response = await fetch(`${address}/v1/status`);
  const { datasets, sources } = response.ok
    ? ((await response.json()) as Status)
    : { datasets: {}, sources: [] };
  const filled = Object.entries(datasets).flatMap(([id, { documents }]) => (documents > 0 ? [id] : []));
  const reading = sources.flatMap(({ id, state }) => (state === 'reading' ? [id] : []));
  return { filled: new Set(filled), reading: new Set(reading) };
}

/** Sources that published data names as its origin; none while the server cannot provide them. */
export async function publishedSources(address: string): Promise<ReadonlySet<string>> {
  const response = await fetch(`${address}/v2/datasets`);
  if (!response.ok) return new Set();
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly sources: readonly { readonly id: string }[] }[];
  };
  return new Set(data.flatMap(({ sources }) => sources.map(({ id }) => id)));
}

/** A dataset of each family that a keyless source feeds. Forum posts are in the warehouse but not yet published. */
export const KEYLESS_FAMILIES = {
  oracles: 'oracle-pairs',
  lending: 'lending-markets',
  vaults: 'lending-vaults',
  development: 'development-scores',
  governance: 'governance',
  layer2: 'layer2-statistics',
  'network-a': 'network-a-network-statistics',
  'network-b': 'network-b-statistics',
  restaking: 'restaking-latest',
  yields: 'yield-opportunities',
  anomalies: 'anomaly-watch',
  mev: 'mev-sandwiches',
  relays: 'proposer-payments',
} as const;
