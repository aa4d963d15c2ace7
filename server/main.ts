// The server's entry point, which serves or exports the static mirror. Owns settings, clock, randomness, signals and process exit;
// everything else receives them as arguments.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { counted, isOrAre } from '../platform/base/plural.ts';
import { withCommands } from '../platform/command-line/command-for.ts';
import { readCommandLine } from '../platform/command-line/command-line.ts';
import { programUsage } from '../platform/command-line/help.ts';
import { tolerateClosedPipe } from '../platform/command-line/print-lines.ts';
import { SERVER } from '../platform/command-line/server-commands.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import {
  FolderError,
  hasTables,
  readInstallation,
  refuseOtherProfile,
} from '../platform/processes/data-folder.ts';
import { every, type StopReason, stopSignal } from '../platform/processes/stop-signal.ts';
import { FailingDiskError, refuseUnwritable } from '../platform/processes/writable-folder.ts';
import { umaskOf } from '../platform/settings/file-access.ts';
import { type LoadedSettings, loadSettings, SettingsError } from '../platform/settings/load-settings.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { nodeDisk } from '../platform/storage/disk.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { S3SettingsError } from '../platform/storage/s3/location.ts';
import { openObjectStore } from '../platform/storage/s3/open-store.ts';
import { StoreError } from '../platform/storage/s3/store-error.ts';
import { openTraces, type Traces } from '../platform/tracing/open-traces.ts';
import { WHAT_IF_SOCKET } from '../schemas/what-if.ts';
import { POINTER_FILE } from '../snapshots/layout.ts';
import { startServer } from './app.ts';
import type { ServerDeps } from './deps.ts';
import { exportMirror } from './export.ts';
import { requestIdMaker } from './http/request-gate.ts';
import { demoKeys } from './keys/demo.ts';
import { type Log, openLog } from './log.ts';
import { copyStore } from './store/copy/copy-store.ts';
import { type OpenedStore, openOpsStore } from './store/open-store.ts';
import { storeFolder } from './store/own-folder.ts';
import type { Sealer } from './store/seal.ts';
import type { OpsStore } from './store/store.ts';
import { createResolve } from './webhooks/address-guard.ts';
import { legacySignatureOf } from './webhooks/sign.ts';
import type { WebhookOptions } from './webhooks/webhooks.ts';

/**
 * Small buffers share a pool of this size, and each that a cache keeps, keeps the whole. With 64 KB, the default, entries of a few hundred
 * bytes took 178 MB under load.
 */
Buffer.poolSize = 8_192;
/** Otherwise, on a machine with much memory, the heap grows to four times what is in use before all of it is collected. */
setFlagsFromString('--heap-growing-percent=100');

const EXIT_WRONG_USE = 2;
const EXIT_CANNOT_SERVE = 1;
/** Time for load balancers to notice that the server is no longer ready. */
const LINGER_MS = 500;

const readText = (path: string) => readFileSync(path, 'utf8');
const packageVersion = (): string => JSON.parse(readText(`${import.meta.dirname}/../package.json`)).version;

function commandOrExit() {
  try {
    const line = readCommandLine(SERVER, process.argv.slice(2));
    if (line.help !== null) {
      console.log(line.help);
      return process.exit(0);
    }
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const loaded = loadSettings({ flags: line.settings, env: process.env, dotEnv, readFile: readText });
    for (const warning of loaded.warnings) console.error(warning);
    if (line.command.name !== 'export') refuseUnwritable(storeFolder(loaded.settings), String(process.pid));
    refuseDemoProfile(loaded);
    return { loaded, command: line.command };
  } catch (error) {
    if (error instanceof FailingDiskError) {
      console.error(error.message);
      return process.exit(EXIT_CANNOT_SERVE);
    }
    if (!(error instanceof SettingsError || error instanceof FolderError || error instanceof UsageError))
      throw error;
    console.error(error.message);
    if (error instanceof UsageError) console.error(`\n${programUsage(SERVER)}`);
    return process.exit(EXIT_WRONG_USE);
  }
}

/** Under the profile `demo`, the default, a server of real data would issue demo keys. Its other settings may differ from those of the jobs. */
function refuseDemoProfile(loaded: LoadedSettings): void {
  const known = readInstallation(loaded.settings.data_dir, packageVersion());
  if (known === null || !hasTables(join(loaded.settings.data_dir, 'landing'))) return;
  const settings = { ...loaded.settings, adopt_config: true };
  const caller = { program: packageVersion(), invocation: SERVER.invocation, argv: process.argv.slice(2) };
  refuseOtherProfile(known, { ...loaded, settings }, caller);
}

function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

tolerateClosedPipe(process.stdout);
const { loaded, command } = commandOrExit();
const { settings } = loaded;
const processId = randomBytes(6).toString('hex');
/** Reading the pointer in a folder takes a tenth of a millisecond; a bucket charges for each request. */
const POLL_MS = { folder: 50, bucket: 250 } as const;
const snapshots = snapshotsOrExit();
const log = logTo(process.stdout, settings.log_level);
// A mirror is for other programs to read.
if (command.name !== 'export') process.umask(umaskOf(settings));
if (command.name === 'export') await exportOnce(command.flags);
else if (command.name === 'copy-store') await copyStoreOnce(command.flags.to);
else await serve();

function logTo(stream: NodeJS.WriteStream, level: Settings['log_level']): Logger {
  const write = (text: string) => void stream.write(text);
  return openLog({ write, nowMs: Date.now, level, isTerminal: stream.isTTY });
}

/** Avoids building lines that are not written. */
function withoutDebug(full: Logger): Log {
  return {
    info: full.info.bind(full),
    warn: full.warn.bind(full),
    error: full.error.bind(full),
  };
}

function tracesOrExit(): Traces | undefined {
  try {
    return openTraces(settings, {
      nowMs: Date.now,
      steadyMs: () => performance.now(),
      random: Math.random,
      randomBytes,
      env: process.env,
      program: 'server',
      version: packageVersion(),
      instance: `server-${processId}`,
      warn: (message) => log.warn(message),
    });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    return process.exit(EXIT_WRONG_USE);
  }
}

type ExportFlags = Extract<typeof command, { readonly name: 'export' }>['flags'];

async function exportOnce({ out, plan: named }: ExportFlags): Promise<void> {
  const plan = named ?? null;
  try {
    const made = await exportMirror({
      disk: nodeDisk,
      snapshots,
      out: resolve(out),
      plan,
      address:
        settings.mirror_url === ''
          ? undefined
          : { url: settings.mirror_url, versions: settings.mirror_versions },
      serviceVersion: packageVersion(),
      log: logTo(process.stderr, 'warn'),
    });
    if (made.skipped.length > 0)
      console.error(
        `${counted(made.skipped.length, 'response')} cannot be exported, because a path with an encoded slash names no file: ${made.skipped[0]} is the first.`,
      );
    console.log(
      `${out}: ${counted(made.files, 'file')}, ${made.written.length} written, ${made.removed.length} removed; ${withheldNote(made.withheld, plan)}`,
    );
  } catch (error) {
    console.error(error instanceof Error ? withCommands(error.message, loaded) : error);
    process.exitCode = EXIT_CANNOT_SERVE;
  }
}

function withheldNote(withheld: number, plan: string | null): string {
  if (plan === null)
    return `only open responses are exported, without ${counted(withheld, 'response')} for callers with a key (--plan free adds the responses of that plan).`;
  return `${counted(withheld, 'response')} for higher plans than ${plan} ${isOrAre(withheld)} not exported.`;
}

async function copyStoreOnce(to: string): Promise<void> {
  const { ops_store: from, seal_key_file: sealKeyFile } = settings;
  try {
    const clock = { steadyMs: () => performance.now(), wait: (ms: number) => wait(ms) };
    const copied = await copyStore({ from, sealKeyFile, to, randomBytes, ...clock });
    console.log(
      `Copied and compared: ${copied.map(({ name, rows }) => `${counted(rows, 'row')} of ${name}`).join(', ')}.`,
    );
    console.log(
      `Next: set OPS_STORE=${to} on each server, copy ${resolve(sealKeyFile)} to each of them (SEAL_KEY_FILE), and start. ${from} is unchanged; do not start anything on it again.`,
    );
  } catch (error) {
    console.error(error instanceof Error ? withCommands(error.message, loaded) : error);
    process.exitCode = EXIT_CANNOT_SERVE;
  }
}

async function serve(): Promise<void> {
  const traces = tracesOrExit();
  await refuseUnreadable();
  const opened = await storeOrExit();
  const { store } = opened;
  try {
    const server = await startServer(serverDeps(opened, traces));
    // Who reads that it listens may stop it at once.
    const stopped = stopSignal(process);
    log.info({ url: server.url, snapshots: snapshots.nameOf('') }, 'listening');
    await reportToLauncher(server.url, store);
    const stop = (reason: StopReason) => {
      log.info({ reason }, 'stopping');
      void server
        .stop()
        .then(() => store.close())
        .then(() => log.info('stopped'));
    };
    void stopped.then(stop);
  } catch (error) {
    logFailedStart(error);
    await store.close();
    process.exitCode = EXIT_CANNOT_SERVE;
  }
}

function logFailedStart(error: unknown): void {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const location = `${settings.host}:${settings.port}`;
  if (syscall !== 'listen') log.fatal({ err: error }, 'cannot start');
  else if (code === 'EADDRINUSE')
    log.fatal(
      `cannot listen on ${location}: the port is in use; set PORT to another one, or stop the program that uses it`,
    );
  else log.fatal({ err: error }, `cannot listen on ${location}`);
}

function snapshotsOrExit(): ObjectStore {
  const effects = { nowMs: Date.now, random: Math.random, wait: (ms: number) => wait(ms) };
  try {
    const cache = {
      dir: join(settings.data_dir, 'snapshot-cache'),
      maxBytes: settings.snapshot_cache_mb * 1_048_576,
      onFault: (err: Error) => log.warn({ err }, 'published files are not cached on this disk'),
    };
    return openObjectStore(settings, { disk: nodeDisk, env: process.env, cache, ...effects });
  } catch (error) {
    if (!(error instanceof S3SettingsError)) throw error;
    console.error(error.message);
    return process.exit(EXIT_WRONG_USE);
  }
}

/** A store that is unreachable may come back; wrong credentials and a missing bucket need an operator. */
async function refuseUnreadable(): Promise<void> {
  try {
    await snapshots.get(POINTER_FILE);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.fault === 'network')
      return log.warn({ err: error }, 'the published versions cannot be read yet');
    log.fatal({ err: error }, 'cannot read the published versions');
    process.exit(EXIT_CANNOT_SERVE);
  }
}

async function storeOrExit(): ReturnType<typeof openOpsStore> {
  try {
    return await openOpsStore({
      settings,
      owner: `server-${processId}`,
      randomBytes,
      steadyMs: () => performance.now(),
      wait: (ms) => wait(ms),
      onSealKeyMade: (file) =>
        log.info({ file }, 'created a seal key for the store; keep it with every copy of the store'),
      onUpgraded: ({ from, to }) => log.info({ from, to }, 'the store was upgraded to a later format'),
    });
  } catch (error) {
    if (error instanceof Error) error.message = withCommands(error.message, loaded);
    log.fatal({ err: error }, 'cannot open the ops store');
    return process.exit(EXIT_CANNOT_SERVE);
  }
}

function listOf(text: string): readonly string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}

function serverDeps({ store, sealer, openCounts }: OpenedStore, traces: Traces | undefined): ServerDeps {
  const { metrics_host: host, metrics_port: port } = settings;
  return {
    snapshots,
    pollMs: settings.snapshot_store === '' ? POLL_MS.folder : POLL_MS.bucket,
    host: settings.host,
    port: settings.port,
    anonymousPlan: settings.anonymous_plan === 'none' ? null : settings.anonymous_plan,
    trustedProxies: listOf(settings.trusted_proxies),
    streamOrigins: settings.stream_origins === '*' ? undefined : listOf(settings.stream_origins),
    store,
    jointCounts: openCounts(),
    webhooks: webhookOptions(sealer),
    analytics: {
      workers: settings.analytics_workers || availableParallelism(),
      ...(settings.simulator_events ? { whatIfSocket: join(settings.data_dir, WHAT_IF_SOCKET) } : {}),
      isWarm: true,
    },
    docsUrl: settings.docs_url,
    serviceVersion: packageVersion(),
    nowMs: Date.now,
    steadyMs: () => performance.now(),
    makeRequestId: requestIdMaker(processId),
    readerId: `server-${processId}`,
    log: log.isLevelEnabled('debug') ? log : withoutDebug(log),
    deprecationHeader: settings.deprecation_header,
    metrics: port === 0 ? undefined : { host, port },
    traces,
    every,
    wait: (ms) => wait(ms, undefined, { ref: false }),
    lingerMs: LINGER_MS,
  };
}

function webhookOptions(sealer: Sealer): WebhookOptions {
  return {
    sealer,
    resolve: createResolve(),
    randomBytes,
    random: Math.random,
    after,
    isLoopbackAllowed: settings.webhooks_allow_loopback,
    legacySignature: legacySignatureOf(settings.webhook_legacy_signature_from),
  };
}

/** Reports the address of the service to the launcher, which prints it, and in the demo also keys to try. */
async function reportToLauncher(address: string, store: OpsStore): Promise<void> {
  if (process.send === undefined) return;
  const effects = { who: 'cli:start', nowMs: Date.now, randomBytes };
  const keys = settings.profile === 'demo' ? await demoKeys(store, effects) : [];
  process.send({ address, keys });
}
