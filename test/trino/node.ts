// One node of Trino on this machine: a process with 3 GB that can be killed and started again at its port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Installed {
  /** Folder of the unpacked server. */
  readonly home: string;
  readonly java: string;
}

/** Properties of each catalogue, by name. */
export type Catalogs = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface NodeOptions {
  readonly installed: Installed;
  readonly catalogs: Catalogs;
  readonly id: string;
  readonly port: number;
  /** Address of the coordinator, which this node is if the port is its own. */
  readonly coordinator: string;
  /** Whether queries are left to other nodes. */
  readonly isIdle: boolean;
}

const STOP_TIMEOUT_MS = 5_000;
const LINES_SHOWN = 30;

const JVM_FLAGS = [
  '-Xmx3G',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dfile.encoding=UTF-8',
  '-Duser.timezone=UTC',
  '-Djdk.attach.allowAttachSelf=true',
  '-XX:+EnableDynamicAgentLoading',
  '--enable-native-access=ALL-UNNAMED',
  '--add-modules=jdk.incubator.vector',
];

export class TrinoNode {
  readonly #installed: Installed;
  readonly #folder = mkdtempSync(join(tmpdir(), 'trino-run-'));
  #process: ChildProcess;

  /** Starts the node. */
  constructor(options: NodeOptions) {
    this.#installed = options.installed;
    writeSettings(this.#folder, options);
    this.#process = this.#spawn();
  }

  get isRunning(): boolean {
    return isRunning(this.#process);
  }

  /** Kills the node without a shutdown. */
  async kill(): Promise<void> {
    await ended(this.#process, 'SIGKILL');
  }

  /** Starts a killed node again. */
  start(): void {
    if (!this.isRunning) this.#process = this.#spawn();
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended(this.#process, 'SIGTERM');
    clearTimeout(timer);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Why the node ended, with the end of its log; undefined while it runs. */
  ended(): string | undefined {
    if (this.isRunning) return undefined;
    const { exitCode, signalCode } = this.#process;
    return `exit code ${exitCode}, signal ${signalCode}; the end of its log:\n${this.logEnd()}`;
  }

  logEnd(): string {
    return readFileSync(this.#logFile, 'utf8').split('\n').slice(-LINES_SHOWN).join('\n');
  }

  get #logFile(): string {
    return join(this.#folder, 'server.log');
  }

  #spawn(): ChildProcess {
    const { home, java } = this.#installed;
    const log = openSync(this.#logFile, 'a');
    const files = [
      `-Dconfig=${join(this.#folder, 'config.properties')}`,
      `-Dcatalog.config-dir=${join(this.#folder, 'catalog')}`,
    ];
    const program = ['-cp', join(home, 'lib', '*'), 'io.trino.server.TrinoServer'];
    return spawn(join(java, 'bin', 'java'), [...JVM_FLAGS, ...files, ...program], {
      cwd: home,
      stdio: ['ignore', log, log],
    });
  }
}

const isRunning = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

function writeSettings(folder: string, { id, port, coordinator, isIdle, catalogs }: NodeOptions): void {
  const isCoordinator = new URL(coordinator).port === String(port);
  const config = {
    'node.environment': 'cases',
    'node.id': id,
    coordinator: String(isCoordinator),
    ...(isCoordinator ? { 'node-scheduler.include-coordinator': String(!isIdle) } : {}),
    'http-server.http.port': String(port),
    'discovery.uri': coordinator,
    'catalog.config-dir': join(folder, 'catalog'),
    'plugin.dir': 'plugin',
    'query.max-memory': '1GB',
    'query.max-memory-per-node': '1GB',
  };
  const lines = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
  mkdirSync(join(folder, 'catalog'));
  writeFileSync(join(folder, 'config.properties'), lines(config));
  for (const [name, properties] of Object.entries(catalogs))
    writeFileSync(join(folder, 'catalog', `${name}.properties`), lines(properties));
}
