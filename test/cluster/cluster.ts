// A whole installation as real processes: PostgreSQL, three servers behind nginx, and two job hosts that share a folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openOpsStore } from '../../server/store/open-store.ts';
import type { OpsStore } from '../../server/store/store.ts';
import { type Cluster as Database, startCluster } from '../support/postgres-cluster.ts';
import { freePort } from '../support/free-port.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const SERVERS = 3;
export const HOSTS = ['a', 'b'] as const;
const TICK_S = 10;
const PATIENCE_MS = 120_000;

export type Host = (typeof HOSTS)[number];

export class Cluster {
  readonly dir: string;
  readonly database: Database;
  readonly store: OpsStore;
  readonly ports: readonly number[];
  readonly proxy: string;
  readonly #servers: ChildProcess[] = [];
  readonly #hosts = new Map<Host, ChildProcess>();
  #nginx: ChildProcess | undefined;

  private constructor(dir: string, database: Database, store: OpsStore, ports: readonly number[]) {
    this.dir = dir;
    this.database = database;
    this.store = store;
    this.ports = ports.slice(1);
    this.proxy = `http://127.0.0.1:${ports[0]}`;
  }

  /** `dir` is empty. Ready once all servers serve a version. */
  static async start(dir: string): Promise<Cluster> {
    const database = await startCluster([]);
    if (database === undefined) throw new Error('PostgreSQL is not installed (Debian: postgresql).');
    mkdirSync(join(dir, 'data'));
    const { store } = await openOpsStore({
      settings: { ops_store: database.url, seal_key_file: join(dir, 'data', 'seal.key') },
      owner: 'cluster-test',
      randomBytes,
      steadyMs: () => performance.now(),
      wait: (ms) => wait(ms),
      onSealKeyMade: () => undefined,
    });
    const ports = [];
    for (let index = 0; index <= SERVERS; index++) ports.push(await freePort());
    const cluster = new Cluster(dir, database, store, ports);
    for (const host of HOSTS) cluster.startHost(host);
    for (let index = 0; index < SERVERS; index++) cluster.startServer(index);
    cluster.#startNginx();
    await until('all servers are ready', async () => {
      const ready = await Promise.all(cluster.ports.map((_, index) => cluster.isReady(index)));
      return ready.every((isReady) => isReady);
    });
    return cluster;
  }

  serverUrl = (index: number): string => `http://127.0.0.1:${this.ports[index]}`;

  startServer(index: number): void {
    const flags = [
      '--port',
      String(this.ports[index]),
      '--metrics-port',
      '0',
      '--ops-store',
      this.database.url,
    ];
    const more = ['--seal-key-file', join(this.dir, 'data', 'seal.key'), '--trusted-proxies', '127.0.0.1'];
    this.#servers[index] = this.#start(`server-${index}`, ['server/main.ts', ...flags, ...more]);
  }

  startHost(host: Host): void {
    const flags = ['--work-dir', join(this.dir, `work-${host}`), '--lease-store', this.database.url];
    const demo = [
      '--demo-days',
      '2',
      '--tick-cron',
      `*/${TICK_S} * * * * *`,
      '--tick-seconds',
      String(TICK_S),
    ];
    this.#hosts.set(host, this.#start(`host-${host}`, ['jobs/main.ts', 'schedule', ...flags, ...demo]));
  }

  async endServer(index: number, signal: NodeJS.Signals): Promise<void> {
    await ended(this.#servers[index], signal);
  }

  async endHost(host: Host, signal: NodeJS.Signals): Promise<void> {
    await ended(this.#hosts.get(host), signal);
  }

  /** The host that led last; undefined before the first. */
  get leader(): Host | undefined {
    const terms = HOSTS.map((host) => ({ host, term: this.#termOf(host) }));
    return terms.filter(({ term }) => term > 0).sort((x, y) => y.term - x.term)[0]?.host;
  }

  /** Id of the published version; undefined before the first. */
  get version(): string | undefined {
    const pointer = join(this.dir, 'data', 'snapshots', 'current.json');
    return existsSync(pointer) ? JSON.parse(readFileSync(pointer, 'utf8')).version : undefined;
  }

  async isReady(index: number): Promise<boolean> {
    try {
      return (await fetch(`${this.serverUrl(index)}/v1/ready`)).ok;
    } catch {
      return false;
    }
  }

  /** What `jobs -- verify` says. @throws when it finds anything */
  verify(): string {
    return String(
      execFileSync(process.execPath, ['jobs/main.ts', 'verify', '--data-dir', join(this.dir, 'data')], {
        cwd: PROJECT,
      }),
    );
  }

  async stop(): Promise<void> {
    const all = [...this.#servers, ...this.#hosts.values(), this.#nginx];
    await Promise.all(all.map((child) => ended(child, 'SIGTERM')));
    await this.store.close();
    await this.database.stop();
  }

  #termOf(host: Host): number {
    const file = join(this.dir, `work-${host}`, 'warehouse.term');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) : 0;
  }

  #start(name: string, args: readonly string[]): ChildProcess {
    const log = join(this.dir, `${name}.log`);
    const command = `exec "$0" "$@" >>"${log}" 2>&1`;
    const all = ['--disable-warning=ExperimentalWarning', ...args, '--data-dir', join(this.dir, 'data')];
    return spawn('sh', ['-c', command, process.execPath, ...all], { cwd: PROJECT, stdio: 'ignore' });
  }

  #startNginx(): void {
    const file = join(this.dir, 'nginx.conf');
    writeFileSync(file, nginxConf(this.dir, Number(new URL(this.proxy).port), this.ports));
    this.#nginx = spawn('nginx', ['-p', this.dir, '-c', file, '-e', join(this.dir, 'nginx-error.log')], {
      stdio: 'ignore',
    });
  }
}

/** Requests that a server does not take go to the next one. */
const nginxConf = (dir: string, port: number, servers: readonly number[]): string => `
daemon off;
pid ${dir}/nginx.pid;
worker_processes 1;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${dir}/nginx-body;
  proxy_temp_path ${dir}/nginx-proxy;
  fastcgi_temp_path ${dir}/nginx-fastcgi;
  uwsgi_temp_path ${dir}/nginx-uwsgi;
  scgi_temp_path ${dir}/nginx-scgi;
  upstream servers {
${servers.map((server) => `    server 127.0.0.1:${server} max_fails=0;`).join('\n')}
  }
  map $http_upgrade $upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://servers;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrade;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_next_upstream error timeout http_503;
      proxy_connect_timeout 1s;
    }
  }
}
`;

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** Resolves with the milliseconds that it took. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<number> {
  const startMs = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - startMs > PATIENCE_MS) throw new Error(`It was not seen that ${what}.`);
    await wait(20);
  }
  return Math.round(performance.now() - startMs);
}
