// One Trino server on this machine for the length of a run: 3 GB, one node, with the catalogues that it is given.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilActive } from './client.ts';
import { freePort } from '../support/free-port.ts';

export interface TrinoServer {
  /** `http://127.0.0.1:<port>` */
  readonly base: string;
  /** Why it ended, with the end of its log; undefined while it runs. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

/** Properties of each catalogue, by name. */
export type Catalogs = Readonly<Record<string, Readonly<Record<string, string>>>>;

const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 5_000;

const JVM_FLAGS = [
  '-Xmx3G',
  '-XX:+UseG1GC',
  '-XX:TieredStopAtLevel=1',
  '-Dfile.encoding=UTF-8',
  '-Duser.timezone=UTC',
  '-Djdk.attach.allowAttachSelf=true',
  '-XX:+EnableDynamicAgentLoading',
  '--enable-native-access=ALL-UNNAMED',
  '--add-modules=jdk.incubator.vector',
];

export interface Installed {
  /** Folder of the unpacked server. */
  readonly home: string;
  readonly java: string;
}

export async function startTrino({ home, java }: Installed, catalogs: Catalogs): Promise<TrinoServer> {
  const work = mkdtempSync(join(tmpdir(), 'trino-run-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  writeSettings(work, port, catalogs);
  const log = openSync(join(work, 'server.log'), 'w');
  const flags = [
    ...JVM_FLAGS,
    `-Dconfig=${join(work, 'config.properties')}`,
    `-Dcatalog.config-dir=${join(work, 'catalog')}`,
  ];
  const child = spawn(
    join(java, 'bin', 'java'),
    [...flags, '-cp', join(home, 'lib', '*'), 'io.trino.server.TrinoServer'],
    { cwd: home, stdio: ['ignore', log, log] },
  );
  const stop = async () => {
    await end(child);
    rmSync(work, { recursive: true, force: true });
  };
  try {
    await untilActive(base, {
      isAlive: () => child.exitCode === null && child.pid !== undefined,
      timeoutMs: START_TIMEOUT_MS,
    });
    return { base, stop, ended: () => (isRunning(child) ? undefined : endOfLog(work, child)) };
  } catch (cause) {
    const end = endOfLog(work, child);
    await stop();
    throw new Error(`Trino did not start; ${end}`, { cause });
  }
}

const LINES_SHOWN = 30;

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

function endOfLog(work: string, { exitCode, signalCode }: ChildProcess): string {
  const lines = readFileSync(join(work, 'server.log'), 'utf8').split('\n').slice(-LINES_SHOWN);
  return `exit code ${exitCode}, signal ${signalCode}; the end of its log:\n${lines.join('\n')}`;
}

function writeSettings(work: string, port: number, catalogs: Catalogs): void {
  const config = {
    'node.environment': 'cases',
    'node.id': 'cases',
    coordinator: 'true',
    'node-scheduler.include-coordinator': 'true',
    'http-server.http.port': String(port),
    'discovery.uri': `http://127.0.0.1:${port}`,
    'catalog.config-dir': join(work, 'catalog'),
    'plugin.dir': 'plugin',
    'query.max-memory': '1GB',
    'query.max-memory-per-node': '1GB',
  };
  const lines = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
  mkdirSync(join(work, 'catalog'));
  writeFileSync(join(work, 'config.properties'), lines(config));
  for (const [name, properties] of Object.entries(catalogs))
    writeFileSync(join(work, 'catalog', `${name}.properties`), lines(properties));
}

async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
