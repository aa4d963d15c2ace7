// Runs the programs as processes and records which commands and flags ran.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PROGRAMS } from '../docs/programs.ts';
import { bareEnvironment } from '../support/bare-environment.ts';

export type ProgramName = 'start' | 'jobs' | 'server' | 'keys' | 'backup' | 'restore' | 'doctor';

const ENTRY_POINTS: Readonly<Record<ProgramName, string>> = {
  start: 'platform/processes/main.ts',
  jobs: 'jobs/main.ts',
  server: 'server/main.ts',
  keys: 'server/keys.ts',
  backup: 'operations/backup.ts',
  restore: 'operations/restore.ts',
  doctor: 'operations/doctor.ts',
};
const PATIENCE_MS = 50_000;

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  /** In addition to a bare environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Of every command, unless its own arguments name others. */
  readonly settings: readonly string[];
  /** The user that runs them, instead of this one. */
  readonly uid?: number;
}

export class ProgramRuns {
  /** `jobs run`, `jobs run --as-of`, … */
  readonly #covered = new Set<string>();
  readonly #options: ProgramOptions;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** Commands and flags that never ran, as `<program> <command> [--flag]`. */
  missing(): readonly string[] {
    return PROGRAMS.flatMap(({ name, commands }) =>
      Object.entries(commands).flatMap(([command, { flags }]) => [
        `${name} ${command}`,
        ...Object.keys(flags).map((flag) => `${name} ${command} --${flag}`),
      ]),
    ).filter((entry) => !this.#covered.has(entry));
  }

  /** Runs a command until it ends. `args` follow the command's name. */
  async run(program: ProgramName, command: string, ...args: readonly string[]): Promise<ProgramResult> {
    const { child, output } = this.#start(program, command, args);
    const [code] = await once(child, 'close');
    return { code, ...output };
  }

  /** Starts a command that runs until it is stopped, waits until its output shows that it works, sends SIGTERM and waits for its end. */
  async runUntil(
    isWorking: (output: string) => boolean,
    program: ProgramName,
    command: string,
    ...args: readonly string[]
  ): Promise<ProgramResult> {
    const { child, output } = this.#start(program, command, args);
    const closed = once(child, 'close');
    const deadline = performance.now() + PATIENCE_MS;
    while (!isWorking(output.out + output.err) && child.exitCode === null && performance.now() < deadline)
      await wait(20);
    child.kill('SIGTERM');
    const [code] = await closed;
    return { code, ...output };
  }

  #start(program: ProgramName, command: string, args: readonly string[]) {
    this.#note(program, command, args);
    const { cwd, env, settings, uid } = this.#options;
    const isDefault = PROGRAMS.some(
      ({ name, defaultCommand }) => name === program && defaultCommand === command,
    );
    const entry = fileURLToPath(new URL(`../../${ENTRY_POINTS[program]}`, import.meta.url));
    const words = isDefault ? [] : command.split(' ');
    const child: ChildProcess = spawn(process.execPath, [entry, ...words, ...settings, ...args], {
      cwd,
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const output = { out: '', err: '' };
    child.stdout?.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
    return { child, output };
  }

  #note(program: ProgramName, command: string, args: readonly string[]): void {
    const spec = PROGRAMS.find(({ name }) => name === program)?.commands[command];
    if (spec === undefined) throw new Error(`${program} has no command ${command}`);
    this.#covered.add(`${program} ${command}`);
    for (const flag of Object.keys(spec.flags))
      if (args.includes(`--${flag}`)) this.#covered.add(`${program} ${command} --${flag}`);
  }
}

/** Starts a server that ends with the test; resolves to its address. */
export function startServer(dataDir: string, config: string): Promise<string> {
  const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
  const flags = ['--config', config, '--data-dir', dataDir, '--port', '0', '--metrics-port', '0'];
  const child = spawn(process.execPath, [main, ...flags], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, url] = /"url":"([^"]+)"/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
  });
}
