// Programs of others in a folder of their own, which is removed afterwards: packages of npm, a Go module, a program of the distribution.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

export interface NpmFolder {
  readonly folder: string;
  /** `name version` of the packages that were asked for. */
  readonly versions: string;
}

/** @throws if the registry cannot be reached */
export async function installNpm(packages: readonly string[]): Promise<NpmFolder> {
  const folder = temporaryFolder('peers-npm');
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    maxBuffer: 1e8,
  });
  const versions = packages.map((name) => {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return `${name} ${(JSON.parse(text) as { version: string }).version}`;
  });
  return { folder, versions: versions.join(', ') };
}

/** Builds a command of a Go module; returns its path. @throws without Go, or if the module cannot be downloaded */
export async function installGo(module: string, command: string): Promise<string> {
  const folder = temporaryFolder('peers-go');
  await run('go', ['install', module], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' },
    maxBuffer: 1e8,
  });
  return join(folder, command);
}

/** Redis or Valkey of this machine, installed from the distribution if possible; its name. @throws if there is none */
export async function redisProgram(): Promise<string> {
  for (const program of ['valkey-server', 'redis-server']) {
    if (await isInstalled(program)) return program;
    await run('apt-get', ['install', '-y', '--no-install-recommends', program]).catch(() => undefined);
    if (await isInstalled(program)) return program;
  }
  throw new Error('neither valkey-server nor redis-server can be installed with apt-get');
}

const isInstalled = (program: string): Promise<boolean> =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );

/** Starts a server and waits until its port accepts connections. */
export async function startProgram(
  program: string,
  flags: readonly string[],
  port: number,
): Promise<ChildProcess> {
  const child = spawn(program, flags, { stdio: 'ignore', cwd: temporaryFolder('peers-run') });
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return child;
    await wait(50);
  }
  throw new Error(`${program} ended with ${child.exitCode}`);
}

export async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** CPU time of all threads, from hundredths of a second. */
export function cpuSecondsOf({ pid = 0 }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
