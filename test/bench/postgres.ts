// A private PostgreSQL in a temporary folder, with one table of events and the indexes that replay needs. Undefined where there is none.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const ROOTS = ['/usr/lib/postgresql', '/usr/local/lib/postgresql', '/opt/homebrew/opt'];
const UNPRIVILEGED = ['postgres', 'nobody'];

export interface PageFilter {
  readonly type?: string;
  readonly subject?: string;
}

export interface Postgres {
  /** Where rows are written for `load`: id, type, subject, envelope, tab-separated. */
  readonly copyFile: string;
  load(): Promise<void>;
  /** Up to 1,000 events after `since` as one JSON array. */
  page(since: string, filter: PageFilter): Promise<Buffer>;
  stop(): Promise<void>;
}

function binaries(): string | undefined {
  const versions = ROOTS.filter((root) => existsSync(root)).flatMap((root) =>
    readdirSync(root).map((name) => join(root, name, 'bin')),
  );
  return versions.toSorted().findLast((bin) => existsSync(join(bin, 'initdb')));
}

/** PostgreSQL refuses to run as root; anyone else runs it as themselves. */
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
  return user === undefined
    ? []
    : [
        'setpriv',
        '--reuid',
        user,
        '--regid',
        String(execFileSync('id', ['-g', user])).trim(),
        '--clear-groups',
      ];
}

const SETTINGS = [
  'shared_buffers=1GB',
  'fsync=off',
  'listen_addresses=',
  'max_wal_size=8GB',
  'autovacuum=off',
];

/** Makes a cluster in `dir` and starts its server, as a user that PostgreSQL accepts. */
function startCluster(bin: string, dir: string): ChildProcess {
  const prefix = unprivileged();
  const run = (program: string, args: readonly string[]) => {
    const [command = '', ...rest] = [...prefix, join(bin, program), ...args];
    return [command, rest] as const;
  };
  const data = join(dir, 'data');
  execFileSync(...run('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale']), {
    stdio: 'ignore',
  });
  const options = SETTINGS.flatMap((setting) => ['-c', setting]);
  return spawn(...run('postgres', ['-D', data, '-k', dir, ...options]), { stdio: 'ignore' });
}

const STATEMENTS = (copyFile: string) => [
  'create table event (id text collate "C" not null, type text not null, subject_id text not null, envelope text not null)',
  `copy event from '${copyFile}' with (format csv, delimiter E'\\t', quote E'\\b')`,
  'alter table event add primary key (id)',
  'create index on event (type, id)',
  'create index on event (subject_id, id)',
  'vacuum (analyze) event',
];

export async function startPostgres(): Promise<Postgres | undefined> {
  const bin = binaries();
  if (bin === undefined) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'pg-'));
  await chmod(dir, 0o777);
  const child = startCluster(bin, dir);
  const client = await connected(dir);
  const copyFile = join(dir, 'rows.tsv');
  return {
    copyFile,
    async load() {
      await chmod(copyFile, 0o644);
      for (const statement of STATEMENTS(copyFile)) await client.query(statement);
      await rm(copyFile);
    },
    page: (since, filter) => readPage(client, since, filter),
    async stop() {
      await client.end();
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function readPage(client: pg.Client, since: string, { type, subject }: PageFilter): Promise<Buffer> {
  const conditions = ['id > $1', ...(type ? ['type = $2'] : []), ...(subject ? ['subject_id = $2'] : [])];
  const text = `select envelope from event where ${conditions.join(' and ')} order by id limit 1000`;
  const values = [since, ...(type ? [type] : []), ...(subject ? [subject] : [])];
  const { rows } = await client.query<[string]>({ name: conditions.join(), text, values, rowMode: 'array' });
  return Buffer.from(`[${rows.map(([envelope]) => envelope).join(',')}]`);
}

async function connected(host: string): Promise<pg.Client> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ host, user: 'bench', database: 'postgres' });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
