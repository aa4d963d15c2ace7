// Whether the image and the chart can be built, started and run as deploy/ says: `npm run test:deploy`. Builds the image from deploy/Containerfile, looks at what is
// in it, starts deploy/compose/one-machine.yaml with a proxy, sends the requests of the README through it, and replaces and stops programs.
// Needs root on Debian with buildah, podman, runc, mmdebstrap, caddy and containernetworking-plugins, PyPI, and Helm or Go.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkChart } from './chart.ts';
import { buildBaseImages, containerTools, missingTools } from './container-tools.ts';
import { freePort } from '../../support/free-port.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_IMAGE_MB = 700;
const START_MS = 120_000;
const SERVICES = ['jobs', 'what-if', 'server', 'backup', 'proxy'];

const failures: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'image-'));
const tools = containerTools(folder);
const podman = (...args: readonly string[]): string => tools.run('podman', ['--log-level=error', ...args]);

function check(name: string, holds: boolean, detail = ''): void {
  console.info(`${holds ? 'ok  ' : 'FAIL'} ${name}${holds || detail === '' ? '' : `: ${detail}`}`);
  if (!holds) failures.push(name);
}

/** The image as deploy/Containerfile defines it, from this working copy. */
function buildImage(): void {
  buildBaseImages(tools, folder);
  const file = join(PROJECT, 'deploy/Containerfile');
  // The format of Docker keeps the health check, which that of OCI has not.
  const options = ['--pull-never', '--network=host', '--format=docker', '-f', file, '-t', 'risk'];
  tools.run('buildah', ['bud', ...options, PROJECT]);
}

function checkImage(): void {
  const inImage = (command: string) =>
    tools.attempt('podman', ['--log-level=error', 'run', '--rm', '--entrypoint', 'sh', 'risk', '-c', command])
      .output;
  check('its user is 10001', /^10001$/m.test(inImage('id -u')), inImage('id -u'));
  check('its Node is the one of the base', inImage('node --version').startsWith('v24.'));
  check('it has no package `node`', inImage('ls node_modules/node').includes('No such file'));
  check('it has no tests and no repository', !/^(test|\.git)$/m.test(inImage('ls -A')));
  check('its programs cannot be changed', inImage('touch /app/x').includes('Permission denied'));
  const megabytes = Number(podman('image', 'inspect', 'risk', '--format', '{{.Size}}')) / 1e6;
  check(`it takes at most ${MAX_IMAGE_MB} MB`, megabytes <= MAX_IMAGE_MB, `${megabytes.toFixed(0)} MB`);
}

/** The compose file for one machine, with the demo world and free ports. Returns the address of the proxy. */
async function composeFolder(): Promise<{ readonly home: string; readonly address: string }> {
  const home = join(folder, 'one');
  mkdirSync(home);
  const port = await freePort();
  const [compose, caddyfile] = ['compose/one-machine.yaml', 'caddy/Caddyfile'].map((name) =>
    readFileSync(join(PROJECT, 'deploy', name), 'utf8'),
  ) as [string, string];
  writeFileSync(join(home, 'compose.yaml'), compose.replace("'80:80', '443:443'", `'${port}:80'`));
  writeFileSync(
    join(home, 'Caddyfile'),
    caddyfile.replace(/^risk\.example/m, ':80').replace('127.0.0.1:8080', 'server:8080'),
  );
  writeFileSync(join(home, 'my.json'), JSON.stringify({ profile: 'demo', demo_days: 2 }));
  return { home, address: `http://127.0.0.1:${port}` };
}

const statusOf = async (url: string, key?: string): Promise<number> =>
  fetch(url, { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } }).then(
    (response) => response.arrayBuffer().then(() => response.status),
    () => 0,
  );

async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const giveUpMs = Date.now() + START_MS; Date.now() < giveUpMs; await wait(500))
    if (await holds()) return true;
  return false;
}

/** Addresses of the first block of requests of the README. */
const readmeRequests = (): readonly string[] =>
  [
    ...readFileSync(join(PROJECT, 'README.md'), 'utf8').matchAll(
      /^curl .*http:\/\/127\.0\.0\.1:8080([^'\s]*)/gm,
    ),
  ]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('/simulator/'));

async function checkRequests(address: string): Promise<void> {
  check(
    'the proxy answers once a version is published',
    await until(async () => (await statusOf(`${address}/v2/data-manifest`)) === 200),
  );
  const created = podman(
    'exec',
    'one_server_1',
    'node',
    'server/keys.ts',
    'create',
    '--org',
    'acme',
    '--plan',
    'team',
  );
  const key = /rk_\w+/.exec(created)?.[0] ?? '';
  const requests = readmeRequests();
  check('the README has requests', requests.length > 5);
  for (const path of requests)
    check(`README: ${path}`, await until(async () => (await statusOf(`${address}${path}`, key)) === 200));
}

async function checkPrograms(address: string): Promise<void> {
  const exec = (service: string, ...command: readonly string[]) =>
    tools.attempt('podman', ['--log-level=error', 'exec', `one_${service}_1`, ...command]);
  check('the server is healthy', tools.attempt('podman', ['healthcheck', 'run', 'one_server_1']).code === 0);
  check('the jobs are healthy', tools.attempt('podman', ['healthcheck', 'run', 'one_jobs_1']).code === 0);
  const doctor = exec('jobs', 'node', 'operations/doctor.ts', '--port', '0');
  check('the doctor finds nothing critical', doctor.output.includes('0 critical'), doctor.output);
  check(
    'a backup is made once there is a version',
    await until(() => podman('logs', 'one_backup_1').includes('events')),
  );
  const backup = exec('backup', 'node', 'operations/backup.ts', '--to', '/backups');
  check('a backup has a version', /^Backup \S+ in \/backups: version /m.test(backup.output), backup.output);
  podman('restart', '-t', '20', 'one_server_1');
  const isBack = await until(async () => (await statusOf(`${address}/v1/ready`)) === 200);
  check('a server that was replaced answers again, behind the same proxy', isBack);
}

/** Everything stops within its grace period, with the code of a program that ended by itself. */
function checkStop(): void {
  for (const service of SERVICES.filter((name) => name !== 'backup')) {
    podman('stop', '-t', '30', `one_${service}_1`);
    const code = podman('inspect', `one_${service}_1`, '--format', '{{.State.ExitCode}}').trim();
    check(`${service} stops by itself`, code === '0', `exit code ${code}`);
  }
}

async function main(): Promise<void> {
  tools.run('python3', ['-m', 'venv', join(folder, 'python')]);
  const python = join(folder, 'python/bin');
  tools.run(join(python, 'pip'), ['install', '-q', 'podman-compose']);
  checkChart({ check, tools, project: PROJECT, folder, python });
  buildImage();
  checkImage();
  const { home, address } = await composeFolder();
  const compose = (...args: readonly string[]) => tools.run(join(python, 'podman-compose'), args, home);
  compose('up', '-d', '--no-build');
  try {
    await checkRequests(address);
    await checkPrograms(address);
    checkStop();
  } finally {
    compose('down', '-t', '10', '-v');
  }
}

const missing = missingTools();
if (missing.length > 0) {
  console.error(`NOT CHECKED: images cannot be built here without ${missing.join(', ')}.`);
  process.exitCode = 1;
} else {
  try {
    await main();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (failures.length > 0) {
    console.error(`${failures.length} failed: ${failures.join('; ')}`);
    process.exitCode = 1;
  }
}
