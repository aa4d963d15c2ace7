// The shipped configurations of nginx and Caddy, with addresses, ports, certificates and folders of a test, and requests through them over TLS.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bareEnvironment } from '../support/bare-environment.ts';
import { endProcess } from '../support/end-process.ts';
import { freePort } from '../support/free-port.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const NAME = 'risk.example';

/** A key and a certificate of the name in the folder. */
export function makeCertificate(cwd: string): void {
  const certificate = [
    '-keyout',
    join(cwd, 'key.pem'),
    '-out',
    join(cwd, 'cert.pem'),
    '-subj',
    `/CN=${NAME}`,
  ];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...certificate],
    { stdio: 'ignore' },
  );
}

export interface ProxyPorts {
  readonly http: number;
  readonly https: number;
}

/** A proxy that runs, and all that it has logged. */
export interface RunningProxy extends ProxyPorts {
  readonly logged: () => string;
}

/** Servers, and the folder of files of the proxy: its certificate, the mirror and what it writes. */
export interface Upstreams {
  readonly cwd: string;
  readonly ports: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Asked {
  readonly headers?: Record<string, string>;
  /** The address of the client. */
  readonly from?: string;
  /** Sent with POST. */
  readonly body?: string;
}

export function ask(
  { https }: ProxyPorts,
  path: string,
  { headers = {}, from = '127.0.0.1', body: given }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = given === undefined ? 'GET' : 'POST';
    const address = { host: '127.0.0.1', port: https, path, localAddress: from };
    const options = { ...address, method, rejectUnauthorized: false };
    const sent = request(
      { ...options, servername: NAME, headers: { Host: NAME, ...headers } },
      async (response) => {
        const body = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      },
    );
    sent.once('error', reject);
    sent.end(given);
  });
}

async function untilServing(proxy: ProxyPorts): Promise<void> {
  while ((await ask(proxy, '/v1/ready').catch(() => null))?.status !== 200) await wait(50);
}

export async function startNginx({ cwd, ports }: Upstreams): Promise<RunningProxy> {
  const proxy = { http: await freePort(), https: await freePort() };
  const dir = join(cwd, 'nginx');
  mkdirSync(dir, { recursive: true });
  const site = readFileSync(join(PROJECT, 'deploy/nginx/risk.conf'), 'utf8')
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${proxy.http};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${proxy.https} ssl`)
    .replace(
      'server 127.0.0.1:8080 max_fails=0;',
      ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join('\n'),
    )
    // The folder for caches, which every system has; what is in it, nginx must be able to create.
    .replace('/var/cache/', `${dir}/`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${cwd}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${cwd}/key.pem;`)
    .replaceAll('/var/log/nginx/', `${dir}/`)
    .replace('/srv/risk/mirror/', `${cwd}/mirror/`);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join('\n');
  const main = `daemon off;\nuser root;\npid ${dir}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`;
  writeFileSync(join(dir, 'nginx.conf'), process.getuid?.() === 0 ? main : main.replace('user root;\n', ''));
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')];
  const child = spawn('nginx', args, { stdio: 'ignore' });
  onTestFinished(() => endProcess(child, 'SIGTERM'));
  await untilServing(proxy);
  return {
    ...proxy,
    logged: () => ['access.log', 'error.log'].map((name) => readFileSync(join(dir, name), 'utf8')).join('\n'),
  };
}

export async function startCaddy({ cwd, ports }: Upstreams): Promise<RunningProxy> {
  const proxy = { http: await freePort(), https: await freePort() };
  const site = readFileSync(join(PROJECT, 'deploy/caddy/Caddyfile'), 'utf8')
    .replace('127.0.0.1:8080', ports.map((port) => `127.0.0.1:${port}`).join(' '))
    .replace('/srv/risk/mirror', join(cwd, 'mirror'))
    .replace(`${NAME} {`, `${NAME} {\n\ttls ${cwd}/cert.pem ${cwd}/key.pem`);
  const options = `\tadmin off\n\thttp_port ${proxy.http}\n\thttps_port ${proxy.https}\n\tauto_https disable_certs\n`;
  writeFileSync(join(cwd, 'Caddyfile'), site.replace(/^\{\n/m, `{\n${options}`));
  const log = join(cwd, 'caddy.log');
  const child = spawn('caddy', ['run', '--config', join(cwd, 'Caddyfile'), '--adapter', 'caddyfile'], {
    env: { ...bareEnvironment(), HOME: cwd },
    stdio: ['ignore', 'ignore', openSync(log, 'w')],
  });
  onTestFinished(() => endProcess(child, 'SIGTERM'));
  await untilServing(proxy);
  return { ...proxy, logged: () => readFileSync(log, 'utf8') };
}

export const isThere = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;
