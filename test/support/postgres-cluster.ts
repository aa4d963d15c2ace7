// A private PostgreSQL in a temporary folder, on a local port. Undefined if PostgreSQL is not installed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { prepared } from './run-folder.ts';

const ROOTS = ['/usr/lib/postgresql', '/usr/local/lib/postgresql', '/opt/homebrew/opt'];
const UNPRIVILEGED = ['postgres', 'nobody'];
const USER = 'tester';
const PATIENCE_MS = 30_000;

export interface Cluster {
  readonly dir: string;
  /** Without a password. */
  readonly url: string;
  readonly port: number;
  /** Restarts the server on the same data. `kill`: without a shutdown. */
  restart(kill?: boolean): Promise<void>;
  /** Stops the server until the next `restart`. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs. */
export function postgresPrograms(): string | undefined {
  const versions = ROOTS.filter((root) => existsSync(root)).flatMap((root) =>
    readdirSync(root).map((name) => join(root, name, 'bin')),
  );
  return versions.toSorted().findLast((bin) => existsSync(join(bin, 'initdb')));
}

/** `settings`: `name=value`, as in postgresql.conf. */
export async function startCluster(settings: readonly string[]): Promise<Cluster | undefined> {
  const bin = postgresPrograms();
  if (bin === undefined) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'pg-'));
  await chmod(dir, 0o777);
  const data = join(dir, 'data');
  const empty = await prepared('postgres', (folder) => initialize(bin, folder));
  // With their owner, who is not the one that runs the tests.
  execFileSync('cp', ['-a', join(empty, 'data'), data]);
  const port = await freePort();
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  const all = [...settings, 'listen_addresses=127.0.0.1', `port=${port}`];
  const start = () =>
    startServer(join(bin, 'postgres'), [...['-D', data, '-k', dir], ...all.flatMap((one) => ['-c', one])]);
  let server = start();
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const cluster: Cluster = {
    dir,
    url,
    port,
    async restart(kill = false) {
      await end(kill ? 'SIGQUIT' : 'SIGINT');
      server = start();
      await (await connectedTo(cluster)).end();
    },
    halt: () => end('SIGINT'),
    async stop() {
      await end('SIGINT');
      await rm(dir, { recursive: true, force: true });
    },
  };
  await (await connectedTo(cluster)).end();
  return cluster;
}

async function initialize(bin: string, folder: string): Promise<void> {
  await chmod(folder, 0o777);
  const [program = '', ...args] = [...unprivileged(), join(bin, 'initdb')];
  const init = [
    '-D',
    join(folder, 'data'),
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ];
  execFileSync(program, [...args, ...init], { stdio: 'ignore' });
}

/** Returns a client once the server responds. */
export async function connectedTo({ url }: Pick<Cluster, 'url'>): Promise<pg.Client> {
  for (const deadlineMs = performance.now() + PATIENCE_MS; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function startServer(program: string, args: readonly string[]): ChildProcess {
  const [command = '', ...rest] = [...unprivileged(), program, ...args];
  return spawn(command, rest, { stdio: 'ignore' });
}

/** PostgreSQL refuses to run as root; any other user runs it directly. */
function unprivileged(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const user = UNPRIVILEGED.find((name) => {
    try {
      execFileSync('id', [name], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  if (user === undefined) return [];
  const group = String(execFileSync('id', ['-g', user])).trim();
  return ['setpriv', '--reuid', user, '--regid', group, '--clear-groups'];
}
