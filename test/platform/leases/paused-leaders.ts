// Pauses a leader at any moment until after the takeover, and then lets it continue: nothing that it does may become visible.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('leader-worker.ts', import.meta.url));
const LEASE_MS = 600;
const PATIENCE_MS = 60_000;

interface Line {
  readonly term?: number;
  readonly count?: number;
  readonly refused?: string;
}

export interface PausedLeader {
  /** The error that refused the paused leader. */
  readonly words: string;
  /** Whether the folder has shown the next leader's state ever since that leader took over. */
  readonly isClean: boolean;
  /** From the pause to the first publication of the next leader. */
  readonly takeoverMs: number;
}

export interface PausePlace {
  readonly url: string;
  readonly dir: string;
  readonly trial: number;
  /** How long the leader publishes before it is paused. */
  readonly afterMs: number;
  /** Whether the leader never checks that it still leads, so that only the folder refuses it. */
  readonly isBlind: boolean;
}

class Host {
  readonly lines: Line[] = [];
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;

  constructor(args: readonly string[]) {
    this.process = spawn(process.execPath, [WORKER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.ended = once(this.process, 'exit');
    if (this.process.stdout !== null)
      createInterface(this.process.stdout).on('line', (line) => this.lines.push(JSON.parse(line)));
  }

  get term(): number | undefined {
    return this.lines.find(({ term }) => term !== undefined)?.term;
  }

  get refusal(): string | undefined {
    return this.lines.find(({ refused }) => refused !== undefined)?.refused;
  }
}

/** One trial, in a folder and under a lease of its own. */
export async function pauseLeader({ url, dir, trial, afterMs, isBlind }: PausePlace): Promise<PausedLeader> {
  const folder = mkdtempSync(join(dir, 'paused-'));
  const start = (name: string) =>
    new Host([url, folder, `${name}-${trial}`, String(LEASE_MS), isBlind ? 'blind' : '']);
  const first = start('first');
  let second: Host | undefined;
  try {
    await until(() => first.term !== undefined, 'the first leader publishes');
    second = start('second');
    const next = second;
    await wait(afterMs);
    first.process.kill('SIGSTOP');
    const pausedMs = performance.now();
    await until(() => next.term !== undefined, 'the second leader publishes');
    const takeoverMs = performance.now() - pausedMs;
    const seen: number[] = [];
    first.process.kill('SIGCONT');
    await until(() => {
      seen.push(JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')).term);
      return first.refusal !== undefined;
    }, 'the first leader is refused');
    await first.ended;
    seen.push(JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')).term);
    return { words: first.refusal ?? '', isClean: seen.every((term) => term === next.term), takeoverMs };
  } finally {
    for (const host of [first, second]) host?.process.kill('SIGKILL');
    await Promise.all([first.ended, second?.ended]);
  }
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (const endMs = performance.now() + PATIENCE_MS; !isTrue(); ) {
    if (performance.now() > endMs) throw new Error(`Timed out waiting until ${what}.`);
    await wait(5);
  }
}
