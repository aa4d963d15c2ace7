// The programs of the soak: the server, the jobs by schedule and the detectors for simulations, as processes on one stepped clock.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readLedger } from '../../../jobs/pipeline/run/ledger.ts';
import { bareEnvironment } from '../../support/bare-environment.ts';
import { endProcess } from '../../support/end-process.ts';
import type { MemorySample, SteppedClock } from './stepped-clock.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const PRELOAD = new URL('./stepped-clock.ts', import.meta.url).href;
const TICK_MS = 300_000;
/** Time that a program has to arm its timer for the tick, which is skipped if it fires more than a second late. */
const AHEAD_MS = 500;
const REST_MS = 200;
const MAX_UNREST_MS = 120_000;
/** Timers that look at the clock every 20 ms take some. */
const MAX_CPU_TICKS_AT_REST = 4;
const MEGABYTE = 2 ** 20;

export const PROGRAMS = ['server', 'jobs', 'what-if'] as const;
export type ProgramName = (typeof PROGRAMS)[number];

export interface ProcessSize {
  readonly rss_mb: number;
  readonly descriptors: number;
}

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly err?: { readonly message: string };
}

/** Of one program; a line that is no JSON is an error. */
export interface ProgramLog {
  readonly errors: readonly string[];
  /** How often each warning was written. */
  readonly warnings: ReadonlyMap<string, number>;
}

export class SoakPrograms {
  readonly dir: string;
  readonly #clockFile: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #settings: readonly string[];
  readonly #children = new Map<ProgramName, ChildProcess>();
  readonly #errors: string[] = [];
  readonly #warnings = new Map<string, number>();
  #clock: SteppedClock = { offset_ms: 0, sample: 0 };

  /** `settings`: flags of all programs. */
  constructor(dir: string, settings: readonly string[]) {
    this.dir = join(dir, 'var');
    this.#clockFile = join(dir, 'clock.json');
    this.#settings = [...settings, '--data-dir', this.dir];
    this.#env = {
      ...bareEnvironment(),
      TMPDIR: dir,
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '262144',
      STEPPED_CLOCK: this.#clockFile,
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${PRELOAD}`,
    };
    this.#writeClock();
  }

  /** Unix milliseconds by the clock of the programs. */
  nowMs(): number {
    return Date.now() + this.#clock.offset_ms;
  }

  /** Goes on to just before the next tick, and returns the instant of that tick, Unix seconds. */
  step(): number {
    const next = Math.floor((this.nowMs() + AHEAD_MS) / TICK_MS + 1) * TICK_MS;
    this.#clock = { ...this.#clock, offset_ms: this.#clock.offset_ms + next - AHEAD_MS - this.nowMs() };
    this.#writeClock();
    return next / 1_000;
  }

  /** Asks all processes to collect and measure their memory; `memory` then has one sample more. */
  sampleMemory(): void {
    this.#clock = { ...this.#clock, sample: this.#clock.sample + 1 };
    this.#writeClock();
  }

  memory(name: ProgramName): readonly MemorySample[] {
    const file = `${this.#clockFile}.${this.#pid(name)}`;
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return lines.map((line) => JSON.parse(line) as MemorySample);
  }

  #writeClock(): void {
    writeFileSync(`${this.#clockFile}.new`, JSON.stringify(this.#clock));
    renameSync(`${this.#clockFile}.new`, this.#clockFile);
  }

  createKey(org: string): string {
    const args = ['server/keys.ts', 'create', '--org', org, '--plan', 'enterprise', '--json'];
    const out = execFileSync(process.execPath, [...args, '--data-dir', this.dir], {
      cwd: PROJECT,
      env: this.#env,
      encoding: 'utf8',
    });
    return (JSON.parse(out) as { readonly key: string }).key;
  }

  /** Resolves to the address of the server. */
  async start(): Promise<string> {
    const server = this.#start('server', ['server/main.ts'], ['ignore', 'pipe', 'pipe', 'ipc']);
    this.#start('jobs', ['--max-semi-space-size=4', 'jobs/main.ts', 'schedule']);
    this.#start('what-if', ['--max-semi-space-size=4', 'jobs/main.ts', 'what-if']);
    const ended = once(server, 'exit').then(() => {
      this.requireRunning();
      return [];
    });
    const [message] = await Promise.race([once(server, 'message'), ended]);
    return (message as { readonly address: string }).address;
  }

  /** @throws Error with the errors so far if a program has ended */
  requireRunning(): void {
    for (const [name, { exitCode, signalCode }] of this.#children)
      if (exitCode !== null || signalCode !== null)
        throw new Error(`${name} has ended:\n${this.#errors.join('\n')}`);
  }

  #start(name: ProgramName, args: readonly string[], stdio: StdioOptions = ['ignore', 'pipe', 'pipe']) {
    const child = spawn(process.execPath, [...args, ...this.#settings], {
      cwd: PROJECT,
      env: this.#env,
      stdio: [...stdio],
    });
    this.#children.set(name, child);
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#take(name, line));
    child.once('exit', (code, signal) => {
      if (this.#children.has(name)) this.#errors.push(`${name} ended with ${signal ?? `code ${code}`}`);
    });
    return child;
  }

  #take(name: ProgramName, line: string): void {
    const isJson = line.startsWith('{');
    const { level, msg, err }: LogLine = isJson
      ? (JSON.parse(line) as LogLine)
      : { level: 'error', msg: line };
    const text = `${name}: ${msg}${err === undefined ? '' : `: ${err.message}`}`;
    if (level === 'warn') this.#warnings.set(text, (this.#warnings.get(text) ?? 0) + 1);
    else if (level !== 'info') this.#errors.push(`${name}: ${line}`);
  }

  get log(): ProgramLog {
    return { errors: this.#errors, warnings: this.#warnings };
  }

  /** Whether the jobs have run up to this instant, Unix seconds. */
  hasTicked(instant: number): boolean {
    const { entries } = readLedger(join(this.dir, 'ledger.ndjson'));
    return entries.some(
      ({ job, state, interval }) => job === 'tick' && state === 'succeeded' && interval.to >= instant,
    );
  }

  /**
   * Waits until the jobs rest. After a tick they write and return memory, and a tick that becomes due meanwhile is skipped.
   * @throws Error if they do not
   */
  async atRest(): Promise<void> {
    let before = this.#cpuTicks('jobs');
    for (let waitedMs = 0; waitedMs < MAX_UNREST_MS; waitedMs += REST_MS) {
      await wait(REST_MS);
      this.requireRunning();
      const now = this.#cpuTicks('jobs');
      if (now - before <= MAX_CPU_TICKS_AT_REST) return;
      before = now;
    }
    throw new Error('the jobs do not rest after a tick');
  }

  /** Processor time of user and system, in hundredths of a second. */
  #cpuTicks(name: ProgramName): number {
    const stat = readFileSync(`/proc/${this.#pid(name)}/stat`, 'utf8');
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user ?? 0) + (system ?? 0);
  }

  size(name: ProgramName): ProcessSize {
    const pid = this.#pid(name);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
    return { rss_mb: (kilobytes * 1_024) / MEGABYTE, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  }

  #pid(name: ProgramName): number {
    const pid = this.#children.get(name)?.pid;
    if (pid === undefined) throw new Error(`${name} is not running`);
    return pid;
  }

  async stop(): Promise<void> {
    const children = [...this.#children.values()];
    this.#children.clear();
    await Promise.all(children.map((child) => endProcess(child, 'SIGTERM')));
  }
}

type StdioOptions = readonly ('ignore' | 'pipe' | 'ipc')[];
