// A whole installation as real processes: PostgreSQL, three servers behind nginx, and two job hosts, on the stores that it is given.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openOpsStore } from '../../server/store/open-store.ts';
import type { OpsStore } from '../../server/store/store.ts';
import { segmentPath } from '../../snapshots/layout.ts';
import { openVersion, readPointer } from '../../snapshots/read.ts';
import { freePort } from '../support/free-port.ts';
import type { LoggedEvent } from '../support/pipeline-world.ts';
import { startNginx } from './nginx.ts';
import type { ProcessSettings } from './compose-file.ts';
import { HOSTS, type Host, type Stores } from './stores.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const SERVERS = 3;

/** Messages with which servers log that they start, and stop, counting limits without the others. */
const ALONE = 'limits cannot be counted with the other servers';
const TOGETHER = 'limits are counted with the other servers again';

export class Cluster {
  readonly dir: string;
  readonly stores: Stores;
  readonly ops: OpsStore;
  readonly ports: readonly number[];
  readonly proxy: string;
  readonly #servers: ChildProcess[] = [];
  readonly #hosts = new Map<Host, ChildProcess>();
  #nginx: ChildProcess | undefined;

  private constructor(dir: string, stores: Stores, ops: OpsStore, ports: readonly number[]) {
    this.dir = dir;
    this.stores = stores;
    this.ops = ops;
    this.ports = ports.slice(1);
    this.proxy = `http://127.0.0.1:${ports[0]}`;
  }

  /** Ready once all servers serve a version. `dir`: folder for logs and for the files of each process. */
  static async start(dir: string, stores: Stores): Promise<Cluster> {
    const { store: ops } = await openOpsStore({
      settings: { ops_store: stores.opsStore, seal_key_file: stores.sealKeyFile },
      owner: 'cluster-test',
      randomBytes,
      steadyMs: () => performance.now(),
      wait: (ms) => wait(ms),
      onSealKeyMade: () => undefined,
    });
    const ports = [];
    for (let index = 0; index <= SERVERS; index++) ports.push(await freePort());
    const cluster = new Cluster(dir, stores, ops, ports);
    for (const host of HOSTS) cluster.startHost(host);
    for (let index = 0; index < SERVERS; index++) cluster.startServer(index);
    cluster.#nginx = startNginx(dir, Number(new URL(cluster.proxy).port), cluster.ports);
    await cluster.until('all servers are ready', async () => {
      const ready = await Promise.all(cluster.ports.map((_, index) => cluster.isReady(index)));
      return ready.every((isReady) => isReady);
    });
    return cluster;
  }

  serverUrl = (index: number): string => `http://127.0.0.1:${this.ports[index]}`;

  startServer(index: number): void {
    const listening = ['--port', String(this.ports[index]), '--metrics-port', '0'];
    const args = ['server/main.ts', ...listening];
    this.#servers[index] = this.#start(`server-${index}`, this.stores.server(index), args);
  }

  startHost(host: Host): void {
    const { tickSeconds } = this.stores;
    const demo = ['--demo-days', '2', '--tick-seconds', String(tickSeconds)];
    const cron = ['--tick-cron', `*/${tickSeconds} * * * * *`];
    const args = ['jobs/main.ts', 'schedule', ...demo, ...cron];
    this.#hosts.set(host, this.#start(`host-${host}`, this.stores.jobs(host), args));
  }

  async endServer(index: number, signal: NodeJS.Signals): Promise<void> {
    await ended(this.#servers[index], signal);
  }

  async endHost(host: Host, signal: NodeJS.Signals): Promise<void> {
    await ended(this.#hosts.get(host), signal);
  }

  /** The host that led last; undefined before any host has led. */
  get leader(): Host | undefined {
    const terms = HOSTS.map((host) => ({ host, term: this.#termOf(host) }));
    return terms.filter(({ term }) => term > 0).sort((x, y) => y.term - x.term)[0]?.host;
  }

  /** Whether the process of a host runs. */
  isRunning(host: Host): boolean {
    const child = this.#hosts.get(host);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Id of the published version; '' before the first. */
  async version(): Promise<string> {
    return (await readPointer(this.stores.published))?.version ?? '';
  }

  /** The event log as published, in order. */
  async events(): Promise<readonly LoggedEvent[]> {
    const { published } = this.stores;
    const version = await this.version();
    if (version === '') return [];
    const { manifest } = await openVersion(published, version);
    const segments = await Promise.all(
      manifest.events.segments.map(({ name }) => published.get(segmentPath(name))),
    );
    const lines = segments.flatMap((bytes) => String(bytes ?? '').split('\n'));
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LoggedEvent);
  }

  async isReady(index: number): Promise<boolean> {
    try {
      return (await fetch(`${this.serverUrl(index)}/v1/ready`)).ok;
    } catch {
      return false;
    }
  }

  /** How often a server began to count limits alone because PostgreSQL did not respond in time. */
  timesAlone(): number {
    return this.#serverLogs().reduce((sum, log) => sum + log.split(ALONE).length - 1, 0);
  }

  /** Whether no server counts limits alone now. */
  countsTogether(): boolean {
    return this.#serverLogs().every((log) => log.lastIndexOf(TOGETHER) >= log.lastIndexOf(ALONE));
  }

  #serverLogs(): readonly string[] {
    const names = this.ports.slice(0, SERVERS).map((_, index) => `server-${index}.log`);
    return names.map((name) => readFileSync(join(this.dir, name), 'utf8'));
  }

  /** The output of `jobs -- verify`. @throws when it finds anything */
  verify(): string {
    const { flags, env } = this.stores.jobs(this.leader ?? 'a');
    return String(
      execFileSync(process.execPath, ['jobs/main.ts', 'verify', ...flags], {
        cwd: PROJECT,
        env: { ...process.env, ...env },
      }),
    );
  }

  /** Resolves to the milliseconds that it took. */
  async until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<number> {
    const startMs = performance.now();
    while (!(await isTrue())) {
      if (performance.now() - startMs > this.stores.patienceMs)
        throw new Error(`Timed out waiting until ${what}.`);
      await wait(20);
    }
    return Math.round(performance.now() - startMs);
  }

  async stop(): Promise<void> {
    const all = [...this.#servers, ...this.#hosts.values(), this.#nginx];
    await Promise.all(all.map((child) => ended(child, 'SIGTERM')));
    await this.ops.close();
    await this.stores.stop();
  }

  #termOf(host: Host): number {
    const file = join(this.stores.workDir(host), 'warehouse.term');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) : 0;
  }

  #start(name: string, { flags, env }: ProcessSettings, args: readonly string[]): ChildProcess {
    const log = join(this.dir, `${name}.log`);
    const command = `exec "$0" "$@" >>"${log}" 2>&1`;
    const all = ['--disable-warning=ExperimentalWarning', ...args, ...flags];
    return spawn('sh', ['-c', command, process.execPath, ...all], {
      cwd: PROJECT,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
  }
}

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
