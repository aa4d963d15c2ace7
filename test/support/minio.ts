// A private MinIO in a temporary folder, on a local port. Undefined if MinIO is not installed: MINIO names the program, and without it the
// location where `go install` puts it is tried.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const PATIENCE_MS = 30_000;
const BUCKET = 'snapshots';

export interface Minio {
  readonly endpoint: string;
  readonly bucket: string;
  /** Credentials, in the form a program expects. */
  readonly env: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  /** Kills the server; its data remains for `start`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const minioProgram = (): string | undefined =>
  [process.env['MINIO'], join(homedir(), '.cache/minio/minio')].find(
    (path) => path !== undefined && existsSync(path),
  );

const USUAL = { bucket: BUCKET, user: 'tester', password: 'tester-secret' };

export async function startMinio({ bucket, user, password } = USUAL): Promise<Minio> {
  const program = minioProgram();
  if (program === undefined) throw new Error('MinIO is not installed.');
  const dir = await mkdtemp(join(tmpdir(), 'minio-'));
  await mkdir(join(dir, bucket));
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const env = { AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: password };
  let server: ChildProcess | undefined;
  const end = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const start = async () => {
    const args = ['server', dir, '--address', endpoint.slice('http://'.length), '--quiet'];
    const secrets = {
      MINIO_ROOT_USER: env.AWS_ACCESS_KEY_ID,
      MINIO_ROOT_PASSWORD: env.AWS_SECRET_ACCESS_KEY,
    };
    server = spawn(program, args, {
      stdio: 'ignore',
      env: { ...process.env, ...secrets, MINIO_BROWSER: 'off' },
    });
    await answering(endpoint);
  };
  await start();
  const stop = async () => {
    await end();
    await rm(dir, { recursive: true, force: true });
  };
  return { endpoint, bucket, env, kill: end, start, stop };
}

async function answering(endpoint: string): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await wait(50)) {
    const answer = await fetch(`${endpoint}/minio/health/cluster`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`MinIO did not respond at ${endpoint}.`);
}
