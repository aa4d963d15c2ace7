// Each folder of an installation in turn is full, read-only or gone while the jobs tick and a server serves and takes changes: messages name the
// folder, nothing that was acknowledged is lost, and both go on without a restart once it is repaired. Folders are small file systems, which
// only root may mount.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COUNTS } from '../reliability/counts.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { endProcess } from '../support/end-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { logOf, until } from '../operations/backup/running-installation.ts';
import { ProgramRuns } from './run-program.ts';

vi.setConfig({ testTimeout: 300_000 });

const FOLDERS = ['data', 'snapshots', 'ops'] as const;
const TROUBLES = ['full', 'read-only', 'gone'] as const;
type Folder = (typeof FOLDERS)[number];
type Trouble = (typeof TROUBLES)[number];
const SIZE_MIB = 160;
const MIB = 1_048_576;
/** Makes the log of the store grow. */
const PADDING = 200;

const CONFIG = {
  profile: 'files',
  policy: { oracle: { is_untracked_reported: true } },
  sources: {
    rounds: {
      table: 'feed_round',
      path: 'rounds.csv',
      format: 'csv',
      name: 'Rounds',
      fields: {
        chain: { value: 'ethereum' },
        feed_address: { value: '0x00000000000000000000000000000000000000f1' },
        round_id: 'id',
        answer: 'answer',
        decimals: { value: 8 },
        updated_at: { from: 'at', time: 'unix_s' },
      },
    },
  },
};

function mounted(): string | undefined {
  const cwd = temporaryFolder('failing');
  try {
    for (const folder of FOLDERS) {
      const disk = join(cwd, `disk-${folder}`);
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'none', disk], { stdio: 'ignore' });
      mkdirSync(join(disk, folder));
    }
    return cwd;
  } catch {
    return undefined;
  }
}

const cwd = process.platform === 'linux' ? mounted() : undefined;
const SKIPPED = cwd === undefined ? ' (skipped: this user may not mount a file system)' : '';
const diskOf = (folder: Folder): string => join(cwd ?? '', `disk-${folder}`);
const pathOf = (folder: Folder): string => join(diskOf(folder), folder);

/** Leaves no byte. */
function fill(disk: string): void {
  for (let size = MIB; size >= 1; size = Math.floor(size / 8)) {
    try {
      for (;;) appendFileSync(join(disk, 'filler'), Buffer.alloc(size));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
}

/** Returns what repairs it. */
function harm(folder: Folder, trouble: Trouble): () => void {
  const disk = diskOf(folder);
  if (trouble === 'full') {
    fill(disk);
    return () => rmSync(join(disk, 'filler'));
  }
  if (trouble === 'gone') {
    renameSync(pathOf(folder), `${pathOf(folder)}.away`);
    return () => {
      // The engine makes its folder for temporary files whenever it needs one; nothing else may begin under the name.
      const made = existsSync(pathOf(folder)) ? readdirSync(pathOf(folder), { recursive: true }) : [];
      expect(made, `${folder} was begun again while it was gone`).toEqual(made.length === 0 ? [] : ['tmp']);
      rmSync(pathOf(folder), { recursive: true, force: true });
      renameSync(`${pathOf(folder)}.away`, pathOf(folder));
    };
  }
  // Files that are open for writing keep a file system from being mounted read-only: a bind of itself can be.
  execFileSync('mount', ['--bind', disk, disk]);
  execFileSync('mount', ['-o', 'remount,bind,ro', disk]);
  return () => void execFileSync('umount', ['-l', disk]);
}

class Service {
  readonly programs = new ProgramRuns({ cwd: cwd ?? '', settings: [] });
  acknowledged = '';
  url = '';
  output = '';
  key = '';
  rows = 0;
  #id = '';
  #changes = 0;
  readonly #children: ChildProcess[] = [];

  readonly flags = [
    ...['--config', 'my.json', '--data-dir', pathOf('data'), '--snapshot-dir', pathOf('snapshots')],
    ...['--ops-store', join(pathOf('ops'), 'ops.sqlite'), '--seal-key-file', join(pathOf('ops'), 'seal.key')],
  ];

  grow(): void {
    this.rows += 1;
    const at = Math.floor(Date.now() / 1000) - 50_000 + this.rows;
    appendFileSync(join(cwd ?? '', 'rounds.csv'), `${this.rows},0,${at}\n`);
  }

  async start(): Promise<void> {
    writeFileSync(join(cwd ?? '', 'my.json'), JSON.stringify(CONFIG));
    writeFileSync(join(cwd ?? '', 'rounds.csv'), 'id,answer,at\n');
    this.grow();
    const ran = await this.programs.run('jobs', 'run', ...this.flags);
    expect(ran.code, ran.err).toBe(0);
    const made = await this.programs.run(
      'keys',
      'create',
      '--org',
      'a',
      '--plan',
      'enterprise',
      '--json',
      ...this.flags,
    );
    this.key = (JSON.parse(made.out) as { readonly key: string }).key;
    this.#spawn('server/main.ts', ['--port', '0', '--metrics-port', '0', '--webhooks-allow-loopback']);
    this.#spawn('jobs/main.ts', ['schedule', '--tick-cron', '* * * * * *', '--tick-seconds', '1']);
    await until('the start', () => /"url":"([^"]+)"/.test(this.output));
    this.url = /"url":"([^"]+)"/.exec(this.output)?.[1] ?? '';
    await until('the first version', async () => (await fetch(`${this.url}/v1/ready`)).ok);
    await this.subscribe();
  }

  #spawn(program: string, args: readonly string[]): void {
    const path = fileURLToPath(new URL(`../../${program}`, import.meta.url));
    const child = spawn(process.execPath, [path, ...args, ...this.flags], {
      cwd,
      env: bareEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.#children.push(child);
  }

  isRunning = (): boolean =>
    this.#children.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null);

  async #webhook(method: string, path: string, body?: object) {
    const headers = { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const reply = await fetch(`${this.url}/v2/webhooks${path}`, sent);
    const { data } = (await reply.json()) as {
      readonly data?: { readonly id: string; readonly description: string };
    };
    return { status: reply.status, data };
  }

  async subscribe(): Promise<void> {
    const { data } = await this.#webhook('POST', '', {
      url: 'http://127.0.0.1:9/',
      events: ['oracle.stale'],
    });
    this.#id = data?.id ?? '';
  }

  /** A change of the store; the last one that is acknowledged is noted. */
  async change(): Promise<number> {
    this.#changes += 1;
    const description = `change ${this.#changes} ${'x'.repeat(PADDING)}`;
    const { status } = await this.#webhook('PATCH', `/${this.#id}`, { description });
    if (status === 200) this.acknowledged = description;
    return status;
  }

  description = async (): Promise<string | undefined> =>
    (await this.#webhook('GET', `/${this.#id}`)).data?.description;

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => endProcess(child, 'SIGTERM')));
  }
}

/** On a full disk, changes succeed as long as the log of the store has room that it has used before. */
async function expectChangesOrRefusals(service: Service, trouble: Trouble): Promise<void> {
  const statuses = new Set<number>();
  for (let n = 0; n < 10; n++) statuses.add(await service.change());
  expect([...statuses].filter((status) => status !== 503 && (trouble === 'gone' || status !== 200))).toEqual(
    [],
  );
}

async function expectSurvived(service: Service, folder: Folder, trouble: Trouble): Promise<void> {
  const from = service.output.length;
  const repair = harm(folder, trouble);
  service.grow();
  try {
    if (folder === 'ops') await expectChangesOrRefusals(service, trouble);
    else
      await until(`a message about ${folder} ${trouble}`, () =>
        service.output.slice(from).includes(pathOf(folder)),
      );
    // What was published is served meanwhile.
    expect((await fetch(`${service.url}/v2/data-manifest`)).status).toBe(200);
  } finally {
    repair();
  }
  service.grow();
  const isWhole = async () => (await logOf(pathOf('snapshots'))).length === service.rows;
  await until('all events', isWhole);
  await until('an accepted change', async () => (await service.change()) === 200);
  expect(service.isRunning(), service.output.slice(-2_000)).toBe(true);
}

test.skipIf(cwd === undefined)(
  `folders that are full, read-only or gone lose nothing, and need no restart once repaired${SKIPPED}`,
  async () => {
    const service = new Service();
    onTestFinished(async () => {
      await service.stop();
      for (const folder of FOLDERS) execFileSync('umount', ['-l', diskOf(folder)]);
    });
    await service.start();
    const all = TROUBLES.flatMap((trouble) => FOLDERS.map((folder) => ({ folder, trouble })));
    // Each folder and each trouble once; all pairs for a release.
    for (const { folder, trouble } of all.filter((_, index) => index % COUNTS.failingFolderStep === 0))
      await expectSurvived(service, folder, trouble);
    const log = await logOf(pathOf('snapshots'));
    expect(new Set(log.map(({ key }) => key)).size).toBe(service.rows);
    expect(await service.description()).toBe(service.acknowledged);
    const verified = await service.programs.run('jobs', 'verify', ...service.flags);
    expect(verified.code, verified.out).toBe(0);
  },
);
