// `npm start`: runs the jobs (schedule) and the server as two processes under one command, prints what is published and what to try,
// and stops both on Ctrl-C, on SIGTERM, and when npm itself ends. The two share nothing but files.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSettings, SettingsError } from '../schemas/load-settings.ts';
import { SETTINGS } from '../schemas/settings.ts';
import { stopSignal } from './stop-signal.ts';

const PROGRAMS = { server: '../server/main.ts', jobs: '../jobs/main.ts' } as const;
/** A tick that takes longer is cut off; the next start completes it. */
const STOP_GRACE_MS = 5_000;
const POLL_MS = 100;

interface Status {
  readonly version: string;
  readonly as_of: string;
  readonly datasets: { readonly [id: string]: { readonly documents: number } };
  readonly events: { readonly published: number };
}

const flags = process.argv.slice(2);
const tick = tickFlags();
const children = new Map<string, ChildProcess>();
let stopping = false;

/** Somebody watches the demo: it ticks every minute unless a tick is configured. Wrong settings are reported by the programs. */
function tickFlags(): readonly string[] {
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const dotEnv = existsSync('.env') ? readFile('.env') : undefined;
  try {
    const { settings } = loadSettings({ argv: flags, env: process.env, dotEnv, readFile });
    const isConfigured = SETTINGS.some(
      ({ name, default: usual }) => name.startsWith('tick_') && String(settings[name]) !== String(usual),
    );
    if (settings.profile !== 'demo' || isConfigured) return [];
    return ['--tick-cron', '* * * * *', '--tick-seconds', '60'];
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

function start(name: keyof typeof PROGRAMS, args: readonly string[]): ChildProcess {
  const program = fileURLToPath(new URL(PROGRAMS[name], import.meta.url));
  const child = spawn(process.execPath, [program, ...args, ...flags, ...tick], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.set(name, child);
  child.once('exit', (code, signal) => {
    children.delete(name);
    if (!stopping) {
      process.stderr.write(`${name} ended (${signal ?? `exit code ${code}`}); stopping the rest.\n`);
      stop(code === 0 ? 1 : (code ?? 1));
    }
  });
  return child;
}

function stop(exitCode: number): void {
  if (stopping) return;
  stopping = true;
  process.exitCode = exitCode;
  for (const child of children.values()) child.kill('SIGTERM');
  setTimeout(() => {
    for (const child of children.values()) child.kill('SIGKILL');
  }, STOP_GRACE_MS).unref();
}

/** Waits until a version other than `known` is served. */
async function published(address: string, known?: string): Promise<Status> {
  for (;;) {
    if (stopping) throw new Error('stopped before anything was published');
    const answer = await fetch(`${address}/v1/ready`).catch(() => null);
    const version = answer?.ok ? ((await answer.json()) as Pick<Status, 'version'>).version : known;
    if (version !== known) return (await (await fetch(`${address}/v1/status`)).json()) as Status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The first version of an empty folder holds what needs little. */
const MORE_FOLLOWS =
  '  Feeds and markets are here; the other families and the events follow within half a minute.\n';

const everything = ({ version, datasets, events }: Status): string =>
  `\n  Everything is here: version ${version}, ${Object.keys(datasets).length} datasets, ${events.published} events in the log.\n`;

interface Started {
  readonly address: string;
  readonly keys: readonly { readonly key: string; readonly plan: string }[];
}

function describe({ address, keys }: Started, status: Status): string {
  const datasets = Object.entries(status.datasets).map(([id, { documents }]) => `${id} (${documents})`);
  return [
    '',
    `  Published version ${status.version}, data as of ${status.as_of}`,
    `  Datasets: ${datasets.join(', ')}; events in the log: ${status.events.published}`,
    '',
    ...keysToTry(keys),
    '  Try:',
    `    curl ${address}/v2/data-manifest`,
    `    curl ${bearer(keys)}'${address}/v2/data-manifest/coverage?limit=5'`,
    `    curl ${bearer(keys)}'${address}/v2/events/replay?type=peg.depeg.start'`,
    '',
    `  Watch:     ${address}/${fragment(keys)}`,
    `  Reference: ${address}/docs`,
    '',
    ...(status.events.published === 0 ? [MORE_FOLLOWS] : []),
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}

/** The demo makes a key of each plan at every start, which ends the former ones. */
const keysToTry = (keys: Started['keys']): readonly string[] =>
  keys.length === 0
    ? []
    : ['  Keys, until the next start:', ...keys.map(({ plan, key }) => `    ${plan.padEnd(10)} ${key}`), ''];

/** No server is sent what stands behind the `#`. */
const fragment = (keys: Started['keys']): string => {
  const key = keys.find(({ plan }) => plan === 'team')?.key;
  return key === undefined ? '' : `#key=${key}`;
};

const bearer = (keys: Started['keys']): string =>
  `-H 'Authorization: Bearer ${keys.find(({ plan }) => plan === 'team')?.key ?? '<API_KEY>'}' `;

void stopSignal(process).then(() => stop(0));
const server = start('server', []);
start('jobs', ['schedule']);
server.once('message', (message: Started) => {
  published(message.address)
    .then(async (status) => {
      process.stdout.write(`${describe(message, status)}\n`);
      if (status.events.published > 0) return;
      process.stdout.write(`${everything(await published(message.address, status.version))}\n`);
    })
    .catch((error: Error) => {
      if (stopping) return;
      process.stderr.write(`${error.message}\n`);
      stop(1);
    });
});
