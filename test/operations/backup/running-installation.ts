// A whole installation as processes, under load: the jobs tick every second over a growing file of rounds, each of which is an event; a
// server delivers the events to a slow receiver. Used to take backups at any moment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLastGood } from '../../../snapshots/last-good.ts';
import { eventsAfter } from '../../../snapshots/segment.ts';
import { ProgramRuns } from '../../programs/run-program.ts';
import { bareEnvironment } from '../../support/bare-environment.ts';
import { endProcess } from '../../support/end-process.ts';
import { inFolder } from '../../support/in-folder.ts';

const programPath = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const FEED = '0x00000000000000000000000000000000000000f1';
const HEADER = 'id,answer,at';
/** So slow that most deliveries are open at any moment. */
const ANSWER_MS = 40;
/** Events before the subscription, which it does not get. */
export const ROWS_BEFORE = 3;
const PATIENCE_MS = 40_000;

const CONFIG = {
  policy: { oracle: { is_untracked_reported: true } },
  profile: 'files',
  sources: {
    rounds: {
      table: 'feed_round',
      path: 'rounds.csv',
      format: 'csv',
      name: 'Rounds',
      fields: {
        chain: { value: 'ethereum' },
        feed_address: { value: FEED },
        round_id: 'id',
        answer: 'answer',
        decimals: { value: 8 },
        updated_at: { from: 'at', time: 'unix_s' },
      },
    },
  },
};

export interface LoggedEvent {
  readonly id: string;
  readonly key: string;
  readonly text: string;
}

/** The log of a published folder. */
export async function logOf(snapshots: string): Promise<readonly LoggedEvent[]> {
  const { reader, damage } = await openLastGood(inFolder(snapshots));
  if (damage.length > 0) throw damage[0];
  const log: LoggedEvent[] = [];
  if (reader === null) return log;
  for await (const { key, envelope } of eventsAfter(reader.store, reader.manifest.events.segments, null)) {
    const text = envelope.toString();
    log.push({ id: (JSON.parse(text) as { event_id: string }).event_id, key, text });
  }
  return log;
}

/** Waits until the condition holds. @throws Error that names what did not happen */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen.`);
    await wait(50);
  }
}

/** Accepts every delivery, after a while, and counts the posts of each event. */
export class SlowReceiver {
  readonly posts = new Map<string, number>();
  readonly bodies = new Map<string, string>();
  readonly #server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { event_id: id } = JSON.parse(body) as { event_id: string };
    await wait(ANSWER_MS);
    this.posts.set(id, (this.posts.get(id) ?? 0) + 1);
    this.bodies.set(id, body);
    response.writeHead(204).end();
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export class RunningInstallation {
  readonly dir: string;
  readonly config: string;
  readonly programs: ProgramRuns;
  key = '';
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[] = [];
  #rows = 0;
  #growth: NodeJS.Timeout | undefined;

  /** `env`: in addition to a bare environment. */
  constructor(cwd: string, env: NodeJS.ProcessEnv = {}) {
    this.#cwd = cwd;
    this.#env = env;
    this.dir = join(cwd, 'mine');
    this.config = join(cwd, 'my.json');
    this.programs = new ProgramRuns({ cwd, env, settings: [] });
    writeFileSync(this.config, JSON.stringify(CONFIG));
    writeFileSync(join(cwd, 'rounds.csv'), `${HEADER}\n`);
    this.grow(ROWS_BEFORE);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rounds that were never positive, a second apart. */
  grow(count: number): void {
    const start = Math.floor(Date.now() / 1000) - 50_000;
    const from = this.#rows;
    this.#rows += count;
    const lines = Array.from(
      { length: count },
      (_, index) => `${from + index + 1},0,${start + from + index}`,
    );
    appendFileSync(join(this.#cwd, 'rounds.csv'), `${lines.join('\n')}\n`);
  }

  flags(dir = this.dir): readonly string[] {
    return ['--config', this.config, '--data-dir', dir];
  }

  /** Starts the jobs and a server, and subscribes the receiver. */
  async start(receiver: string): Promise<void> {
    const ran = await this.programs.run('jobs', 'run', ...this.flags());
    if (ran.code !== 0) throw new Error(ran.err);
    const made = ['--org', 'acme', '--plan', 'team', '--json', ...this.flags()];
    const { out } = await this.programs.run('keys', 'create', ...made);
    this.key = (JSON.parse(out) as { readonly key: string }).key;
    const url = await this.startServer(this.dir);
    const reply = await fetch(`${url}/v2/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver, events: ['oracle.feed.invalid'] }),
    });
    if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`);
    this.#spawn('jobs/main.ts', [
      'schedule',
      '--tick-cron',
      '* * * * * *',
      '--tick-seconds',
      '1',
      ...this.flags(),
    ]);
    this.#growth = setInterval(() => this.grow(2), 150);
  }

  async startServer(dir: string): Promise<string> {
    const ports = ['--port', '0', '--metrics-port', '0', '--webhooks-allow-loopback'];
    const child = this.#spawn('server/main.ts', [...this.flags(dir), ...ports]);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const urlIn = () => /"url":"([^"]+)"/.exec(output)?.[1];
    await until('the start of the server', () => urlIn() !== undefined || child.exitCode !== null);
    return urlIn() ?? '';
  }

  /** Ends the processes, as the loss of the host does. */
  async kill(): Promise<void> {
    clearInterval(this.#growth);
    await Promise.all(this.#children.splice(0).map((child) => endProcess(child, 'SIGKILL')));
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [programPath(program), ...args], {
      cwd: this.#cwd,
      env: { ...bareEnvironment(), ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.on('data', () => undefined);
    this.#children.push(child);
    return child;
  }
}
