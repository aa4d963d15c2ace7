// nginx serving one file, as a reference for the serving benchmark. Its processes' CPU time is read from /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Child } from './load.ts';
import { freePort } from '../support/free-port.ts';

const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];

const configuration = (dir: string, port: number) => `
daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; keepalive_requests 100000000; default_type application/json;
  client_body_temp_path ${dir}/t1; proxy_temp_path ${dir}/t2; fastcgi_temp_path ${dir}/t3; uwsgi_temp_path ${dir}/t4; scgi_temp_path ${dir}/t5;
  server { listen 127.0.0.1:${port}; root ${dir}/root; }
}`;

/** Undefined when nginx is not installed. */
export async function startNginx(path: string, body: Buffer): Promise<Child | undefined> {
  const binary = FOLDERS.map((folder) => join(folder, 'nginx')).find((candidate) => existsSync(candidate));
  if (binary === undefined) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const file = join(dir, 'root', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
  await writeFile(join(dir, 'nginx.conf'), `user root;${configuration(dir, port)}`);
  const child = spawn(binary, ['-c', join(dir, 'nginx.conf'), '-p', dir], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url + path, child);
  return {
    url,
    headers: {},
    usage: async () => ({ cpu_seconds: await cpuSecondsOfGroup(child.pid ?? 0), rss_bytes: 0 }),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isUp = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nginx exited with ${child.exitCode}`);
}

/** CPU time of a process and its children, from the nanoseconds of `schedstat`: a tick of `stat` is a tenth of a short measurement. */
async function cpuSecondsOfGroup(pid: number): Promise<number> {
  let nanoseconds = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (Number(name) !== pid && Number(parent) !== pid) continue;
    nanoseconds += Number.parseInt(await readFile(`/proc/${name}/schedstat`, 'utf8'), 10);
  }
  return nanoseconds / 1e9;
}
