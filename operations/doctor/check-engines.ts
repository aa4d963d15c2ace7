// The engines and services that the settings name: their versions, and whether they respond.
import { existsSync, readFileSync } from 'node:fs';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { critical, type Findings, notice, warning } from './finding.ts';

const MIN_NODE = 24;
const MIN_TRINO = 476;
const PATIENCE_MS = 3_000;

/** `node`: such as `v24.21.0`. `published`: engines that computed the newest version, such as `duckdb 1.5.5, trino 476`. */
export async function checkEngines(
  { node, root }: { readonly node: string; readonly root: string },
  published: string | null,
): Promise<Findings> {
  const major = Number(/^v(\d+)/.exec(node)?.[1]);
  const found: Findings[number][] = [];
  if (major < MIN_NODE)
    found.push(
      critical(
        `this is Node ${node}; the programs need ${MIN_NODE} or newer.`,
        'Start them with npm, which brings its own Node.',
      ),
    );
  const { version } = JSON.parse(readFileSync(`${root}/node_modules/@duckdb/node-api/package.json`, 'utf8'));
  const installed = String(version).split('-')[0] ?? '';
  const computed = /duckdb ([\d.]+)/.exec(published ?? '')?.[1];
  if (computed !== undefined && computed !== installed)
    found.push(
      notice(
        `DuckDB ${computed} computed the newest version, and ${installed} is installed.`,
        'The next run uses the installed one.',
      ),
    );
  return found;
}

export async function checkTrino(settings: Settings): Promise<Findings> {
  const isUsed = settings.warehouse === 'trino' || settings.placement.includes('trino');
  if (!isUsed) return [];
  const url = `${settings.trino_url}/v1/info`;
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const { nodeVersion, starting } = (await response.json()) as {
    nodeVersion?: { version?: string };
    starting?: boolean;
  };
  const version = Number.parseInt(nodeVersion?.version ?? '', 10);
  if (starting === true)
    return [warning(`Trino at ${settings.trino_url} is still starting.`, 'Wait for it.')];
  if (version < MIN_TRINO)
    return [critical(`Trino at ${settings.trino_url} is version ${version}.`, `Use ${MIN_TRINO} or newer.`)];
  return [];
}

/** Lists the top level, which needs the address, the credentials and a clock that is nearly right. */
export async function checkBucket(store: ObjectStore | null): Promise<Findings> {
  await store?.names('');
  return [];
}

/** A server on this host, which there is where its store is a file; another one is not known here. */
export async function checkServer({ host, port, ops_store: store }: Settings): Promise<Findings> {
  if (port === 0) return [];
  const url = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/v1/ready`;
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (status === 200) return [];
    return [
      critical(
        `the server at ${url} answers ${status}: it is not ready.`,
        `Read its answer (curl ${url}) and its log.`,
      ),
    ];
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError' ? 'does not answer in time' : 'does not answer';
    if (!isPostgres(store) && existsSync(store))
      return [
        critical(
          `a server at ${url} ${reason}, although its store ${store} is on this machine: no request is answered, and no webhook is sent.`,
          'Start it and read its log, or name its --host and --port; --port 0 if none is meant to run.',
        ),
      ];
    return [
      notice(
        `a server at ${url} ${reason}.`,
        'Start one, or name its --host and --port; nothing, if the servers run elsewhere.',
      ),
    ];
  }
}

export async function checkSafety(settings: Settings): Promise<Findings> {
  const { profile, webhooks_allow_loopback, host, trusted_proxies, anonymous_plan } = settings;
  const isOpen = !/^(127\.|::1$|localhost$)/.test(host);
  return [
    ...(webhooks_allow_loopback && profile !== 'demo'
      ? [
          warning(
            'webhooks may be sent to this machine (WEBHOOKS_ALLOW_LOOPBACK).',
            'Unset it outside development.',
          ),
        ]
      : []),
    ...(isOpen && profile === 'demo'
      ? [
          warning(
            `the server listens on ${host} with the profile demo, whose key is printed at every start.`,
            'Listen on 127.0.0.1, or use another profile.',
          ),
        ]
      : []),
    ...(isOpen && trusted_proxies === ''
      ? [
          notice(
            `the server listens on ${host} and trusts no proxy.`,
            'Behind a proxy, set TRUSTED_PROXIES: otherwise all clients share one address and its limits.',
          ),
        ]
      : []),
    ...(anonymous_plan === 'enterprise' || anonymous_plan === 'custom'
      ? [
          warning(
            `callers without a key have the plan ${anonymous_plan}.`,
            'Set ANONYMOUS_PLAN to none or free.',
          ),
        ]
      : []),
  ];
}
