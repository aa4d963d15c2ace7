// The files in deploy/ name settings, programs and files that exist, and the units are as confined as the documentation says.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { matchesGlob, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROGRAMS } from '../docs/programs.ts';
import { SETTINGS } from '../../platform/settings/settings.ts';
import { DEADLINES } from '../../server/http/protocol-errors.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${PROJECT}deploy/${path}`, 'utf8');
const KNOWN = new Set(['CONFIG', ...SETTINGS.map(({ name }) => name.toUpperCase())]);
/** Of the drivers, of Node, and of other images. */
const FOREIGN = /^(AWS_|PG|POSTGRES_|MINIO_|MC_HOST_|NODE_|MALLOC_|BACKUP_TO$)/;
const unknownSettings = (names: readonly string[]) =>
  names.filter((name) => !KNOWN.has(name) && !FOREIGN.test(name));

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly read_only?: boolean;
  readonly image: string;
}

interface Mounting extends Service {
  readonly volumes?: readonly string[];
}

describe.each(['one-machine.yaml', 'distributed.yaml'])('compose/%s', (file) => {
  const { services } = parse(read(`compose/${file}`), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  const own = Object.entries(services).filter(([, { image }]) => image === 'risk');

  test('sets only settings that exist', () => {
    expect(own.length).toBeGreaterThan(3);
    for (const [name, { environment = {} }] of own)
      expect(unknownSettings(Object.keys(environment)), name).toEqual([]);
  });

  test('starts programs that exist, with a read-only root', () => {
    for (const [name, { command = ['server/main.ts'], read_only }] of own) {
      const [program = ''] = command.join(' ').match(/[a-z-]+\/[a-z-]+\.ts/) ?? [];
      expect(existsSync(`${PROJECT}${program}`), `${name}: ${program}`).toBe(true);
      expect(read_only, name).toBe(true);
    }
  });
});

/** A server of a compose file or a unit: where it listens for metrics, and its network. */
const isServer = ({ command = ['server/main.ts'] }: Service): boolean => command.includes('server/main.ts');

describe.each(['one-machine.yaml', 'distributed.yaml'])('compose/%s has what a server needs', (file) => {
  const { services } = parse(read(`compose/${file}`), { merge: true }) as {
    readonly services: Readonly<Record<string, Mounting>>;
  };
  const servers = Object.entries(services).filter(([, one]) => one.image === 'risk' && isServer(one));

  test('metrics, each on a port of its own where servers share a network', () => {
    const ports = servers.map(([, { environment }]) => environment?.['METRICS_PORT'] ?? 9464);
    expect(new Set(ports).size).toBe(servers.length);
    expect(ports).not.toContain(0);
  });

  test('a process for simulations on its data folder, without which they are refused', () => {
    const folderOf = ({ volumes = [] }: Mounting) => volumes.find((volume) => volume.endsWith(':/data'));
    const helped = Object.values(services)
      .filter(({ command }) => command?.includes('what-if'))
      .map(folderOf);
    expect(servers.length).toBeGreaterThan(0);
    expect(helped.toSorted()).toEqual(servers.map(([, server]) => folderOf(server)).toSorted());
  });

  test('what operators put next to it reaches neither an image nor a repository', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? []),
    );
    const paths = [...new Set(['.env', ...mounted])].map((name) => `deploy/compose/${name}`);
    expect(paths.filter((path) => !isLeftOut(path))).toEqual([]);
    const own = paths.filter((path) => !existsSync(`${PROJECT}${path}`));
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', ...own], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n').toSorted()).toEqual(own.toSorted());
  });
});

/** Of the context of a build: by a name in .dockerignore, or by one of any folder, which begins with two stars. */
function isLeftOut(path: string): boolean {
  const patterns = readFileSync(`${PROJECT}.dockerignore`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const parts = path.split('/');
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return prefixes.some((prefix) => patterns.some((pattern) => matchesGlob(prefix, pattern)));
}

test('proxies let go of idle connections before the servers close them', () => {
  const [, nginx] = /^ {2}keepalive_timeout (\d+)s;$/m.exec(read('nginx/risk.conf')) ?? [];
  const [, caddy] = /^\t+keepalive (\d+)s$/m.exec(read('caddy/Caddyfile')) ?? [];
  for (const seconds of [Number(nginx), Number(caddy)])
    expect(seconds * 1_000 + DEADLINES.checkEveryMs).toBeLessThan(DEADLINES.quietMs);
});

test('Caddy asks a server that is stopping at least four times before it stops accepting', () => {
  const [, interval] = /^\t+health_interval (\d+)ms$/m.exec(read('caddy/Caddyfile')) ?? [];
  const main = readFileSync(`${PROJECT}server/main.ts`, 'utf8');
  const [, linger] = /LINGER_MS = (\d+);/.exec(main) ?? [];
  expect(4 * Number(interval)).toBeLessThan(Number(linger));
  // The other policies of all versions look at all servers.
  expect(read('caddy/Caddyfile')).not.toMatch(/^\t+lb_policy round_robin/m);
});

test.each([
  [0, 0],
  [4, 0],
  [1, 1],
  [2, 1],
  [127, 1],
])('a doctor that ends with %i makes a job host %i', (code, health) => {
  for (const file of ['one-machine.yaml', 'distributed.yaml']) {
    const [, script = ''] = /\['CMD-SHELL', '(node operations.*)'\]/.exec(read(`compose/${file}`)) ?? [];
    const shell = script.replaceAll('$$', '$').replace(/^node [^;]+;/, `(exit ${code});`);
    expect(shell).toContain('exit');
    expect(spawnSync('sh', ['-c', shell]).status, file).toBe(health);
  }
});

test('nothing of an operator reaches an image from anywhere in a working copy', () => {
  for (const path of [
    '.env',
    'seal.key',
    'var/ops/ops.sqlite',
    'examples/.env',
    'examples/tls.pem',
    'x/var/a',
  ])
    expect(isLeftOut(path), path).toBe(true);
  for (const path of ['package.json', 'server/keys.ts', 'jobs/main.ts', 'docs/deploy.md'])
    expect(isLeftOut(path), path).toBe(false);
});

test('a server of a unit has metrics, on the port that the documentation names', () => {
  const unit = read('systemd/risk-server@.service');
  expect(unit).toMatch(/^ExecStart=.* --port %i --metrics-port 1%i$/m);
  expect(readFileSync(`${PROJECT}docs/monitoring.md`, 'utf8')).toContain('18080 of a server on 8080');
});

test('no probe of a job host waits for what only a leader writes', () => {
  const [, jobs = ''] =
    /define "risk\.jobs" -\}\}(.*?)\{\{- if \.Values\.backup/s.exec(read('helm/templates/_programs.tpl')) ??
    [];
  expect(jobs).toContain('jobs/main.ts, schedule');
  expect(jobs).not.toMatch(/Probe:/);
});

test('the chart gives the containers of a server pod no key but its own', () => {
  const [, ofOthers = ''] = read('helm/templates/_programs.tpl').split('define "risk.what-if"');
  expect(ofOthers).toContain('include "risk.seal-key"');
  expect(ofOthers).not.toMatch(/job-keys|risk-keys|author\.key|landing\.key|backup\.key/);
});

test('a server keeps its seal key in a folder that it may write', () => {
  const { services } = parse(read('compose/distributed.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service & { readonly volumes?: readonly string[] }>>;
  };
  const servers = Object.entries(services).filter(([, { environment }]) => environment?.['SEAL_KEY_FILE']);
  expect(servers.length).toBe(3);
  for (const [name, { environment, volumes = [] }] of servers) {
    const folder = posix.dirname(String(environment?.['SEAL_KEY_FILE']));
    expect(volumes, name).toContain(`${name}:${folder}`);
  }
  const helpers = read('helm/templates/_helpers.tpl');
  const [, key = ''] = /SEAL_KEY_FILE, value: (\S+) }/.exec(helpers) ?? [];
  expect(helpers).toContain(`mountPath: ${posix.dirname(key)} }`);
  expect(helpers).toContain(`mountPath: ${key}, subPath: seal.key, readOnly: true }`);
});

test('all job hosts have the same keys for names', () => {
  const { services } = parse(read('compose/distributed.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service & { readonly volumes?: readonly string[] }>>;
  };
  const hosts = Object.values(services).filter(({ environment }) => environment?.['LEASE_STORE']);
  expect(hosts.length).toBe(2);
  for (const { environment, volumes } of hosts) {
    const keys = [
      `./landing.key:${environment?.['LANDING_KEY_FILE']}:ro`,
      './author.key:/data/author.key:ro',
    ];
    expect(volumes).toEqual(expect.arrayContaining(keys));
  }
  const helpers = read('helm/templates/_helpers.tpl');
  expect(helpers).toContain('{ name: LANDING_KEY_FILE, value: /etc/risk-keys/landing.key }');
  expect(helpers).toContain('mountPath: /data/author.key, subPath: author.key, readOnly: true }');
});

test('the image copies files that exist, sets settings that exist, and leaves the package `node` out', () => {
  const text = read('Containerfile');
  const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  expect(copied.filter((path) => !existsSync(`${PROJECT}${path}`))).toEqual([]);
  const [, environment = ''] = /^ENV (.+)$/m.exec(text) ?? [];
  expect(unknownSettings(environment.split(' ').map((pair) => pair.split('=')[0] ?? ''))).toEqual([]);
  expect(text).toMatch(/npm ci --omit=dev --ignore-scripts/);
  expect(text).toMatch(/^USER 10001/m);
});

test('the chart sets settings that exist and starts programs that exist', () => {
  const folder = `${PROJECT}deploy/helm/templates/`;
  const text = readdirSync(folder)
    .map((name) => readFileSync(`${folder}${name}`, 'utf8'))
    .join('\n');
  const names = [...text.matchAll(/- \{ name: ([A-Z][A-Z_]+),/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(8);
  expect(unknownSettings(names)).toEqual([]);
  const programs = [...text.matchAll(/[a-z-]+\/[a-z-]+\.ts/g)].map(([path]) => path);
  expect(programs.length).toBeGreaterThan(4);
  expect(programs.filter((path) => !existsSync(`${PROJECT}${path}`))).toEqual([]);
});

const units = readdirSync(`${PROJECT}deploy/systemd`).filter((name) => name.endsWith('.service'));

test('every unit starts a program that exists, with a command and flags that it has', () => {
  for (const unit of units) {
    const [, program = '', rest = ''] =
      /^ExecStart=\/usr\/bin\/node \S+ (\S+\.ts) ?(.*)$/m.exec(read(`systemd/${unit}`)) ?? [];
    expect(existsSync(`${PROJECT}${program}`), unit).toBe(true);
    const names = new Set(
      PROGRAMS.flatMap(({ commands }) => Object.values(commands).flatMap(({ flags }) => Object.keys(flags))),
    );
    const flags = [...rest.matchAll(/--([a-z-]+)/g)].map(([, flag = '']) => flag);
    expect(
      flags.filter((flag) => !names.has(flag) && !KNOWN.has(flag.toUpperCase().replaceAll('-', '_'))),
      unit,
    ).toEqual([]);
  }
});

test('the guide starts every timer and every program, and stops them all before a restore', () => {
  const guide = readFileSync(`${PROJECT}docs/deploy.md`, 'utf8');
  const files = readdirSync(`${PROJECT}deploy/systemd`);
  const timers = files.filter((name) => name.endsWith('.timer'));
  const started = files
    .filter((name) => name.endsWith('.service') && !timers.includes(name.replace('.service', '.timer')))
    .map((name) => name.replace('@.', '@8080.').replace('.service', ''));
  const all = [...started, ...timers].toSorted();
  const listed = [...guide.matchAll(/^systemctl (?:enable --now|stop) (.+)$/gm)].map(([, names = '']) =>
    names.split(' ').toSorted(),
  );
  expect(listed).toEqual([all, all, all]);
});

test.skipIf(spawnSync('systemd-analyze', ['--version']).error !== undefined)(
  'systemd rates the exposure of every unit at most 2.5',
  () => {
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${PROJECT}deploy/systemd` };
    for (const unit of units) {
      const name = unit.replace('@.', '@8080.');
      const args = ['security', '--offline=true', '--threshold=25', name];
      const rated = execFileSync('systemd-analyze', args, {
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(Number(/exposure level for \S+ ([\d.]+)/.exec(rated)?.[1]), unit).toBeLessThanOrEqual(2.5);
    }
  },
);
