// Fetches Trino from Maven into a cache folder and unpacks it there: the core server, the memory connector and the Iceberg connector, nothing else.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const TRINO_VERSION = '476';
const CONNECTORS = ['memory', 'iceberg'] as const;
const OLDEST_JAVA = 24;
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';

const run = promisify(execFile);

/** Says what is missing on this machine, for whoever started the run. */
export class NotAvailableError extends Error {
  override readonly name = 'NotAvailableError';
}

/** JAVA_HOME if it is new enough, otherwise the newest Java that the distribution has installed. */
export function findJava(javaHome: string | undefined, installed = '/usr/lib/jvm'): string {
  const homes = existsSync(installed) ? readdirSync(installed).map((name) => join(installed, name)) : [];
  const newest = homes.toSorted((a, b) => javaVersion(b) - javaVersion(a))[0];
  for (const home of [javaHome, newest]) {
    if (home !== undefined && javaVersion(home) >= OLDEST_JAVA) return home;
  }
  throw new NotAvailableError(
    `Trino ${TRINO_VERSION} needs Java ${OLDEST_JAVA} or newer: install one, or set JAVA_HOME`,
  );
}

function javaVersion(home: string): number {
  const release = join(home, 'release');
  if (!existsSync(release)) return 0;
  return Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] ?? 0);
}

/** Where servers are kept; a folder that outlives the run unless another one is named. */
export const trinoCache = (named: string | undefined): string => named ?? join(homedir(), '.cache', 'trino');

/** Resolves to the folder of an unpacked server; fetches it the first time. */
export async function installTrino(cacheDir: string, javaHome: string): Promise<string> {
  const home = join(cacheDir, `trino-${TRINO_VERSION}`);
  if (existsSync(home)) return home;
  mkdirSync(cacheDir, { recursive: true });
  const work = mkdtempSync(join(cacheDir, 'unpacking-'));
  try {
    await fetchArtifact(`io.trino:trino-server-core:${TRINO_VERSION}:tar.gz`, work);
    await run('tar', ['xzf', `trino-server-core-${TRINO_VERSION}.tar.gz`], { cwd: work });
    const server = join(work, `trino-server-core-${TRINO_VERSION}`);
    const plugins = join(server, 'plugin');
    rmSync(plugins, { recursive: true });
    mkdirSync(plugins);
    for (const name of CONNECTORS) {
      await fetchArtifact(`io.trino:trino-${name}:${TRINO_VERSION}:zip`, work);
      await run(join(javaHome, 'bin', 'jar'), ['xf', `trino-${name}-${TRINO_VERSION}.zip`], { cwd: work });
      renameSync(join(work, `trino-${name}-${TRINO_VERSION}`), join(plugins, name));
    }
    renameSync(server, home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return home;
}

async function fetchArtifact(artifact: string, outputDirectory: string): Promise<void> {
  console.log(`fetching ${artifact} …`);
  try {
    await run('mvn', [
      '-q',
      '-B',
      `${DEPENDENCY_PLUGIN}:copy`,
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${outputDirectory}`,
    ]);
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === 'ENOENT';
    const what = missing
      ? 'Maven (`mvn`) is not installed'
      : `Maven could not fetch it:\n${String((cause as { stdout?: unknown }).stdout ?? cause)}`;
    throw new NotAvailableError(`${artifact} is needed: ${what}`, { cause });
  }
}
