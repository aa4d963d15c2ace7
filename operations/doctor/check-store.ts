// The ops store, read without a lock: whether it is there, whole and of a known format, whether its key fits, and whether deliveries wait.
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { pgMigrationSteps } from '../../platform/postgres/pg-migrate.ts';
import { isPostgres, makeClient } from '../../platform/postgres/pg-pool.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { AuditAnchor } from '../../server/store/audit-anchor.ts';
import { makeSealer } from '../../server/store/seal.ts';
import { migrationSteps, stepOf } from '../../server/store/sqlite/migrate.ts';
import { storeErrorOf } from '../../server/store/sqlite/sqlite-errors.ts';
import { StoreUnavailableError } from '../../server/store/store.ts';
import { critical, type Findings, notice, warning } from './finding.ts';

const HOUR_MS = 3_600_000;
/** An open delivery that has been due for so long has no dispatcher. */
const OVERDUE_MS = HOUR_MS;
const MAX_SKEW_MS = 2_000;
const LEASE_MS = 15_000;
const RESTORE =
  'Restore it from a backup: `npm run restore` into a scratch folder, and copy the folder of the store from there.';

export interface StoreContext {
  readonly settings: Settings;
  readonly nowMs: number;
}

export async function checkStore(context: StoreContext): Promise<Findings> {
  return isPostgres(context.settings.ops_store) ? inDatabase(context) : inFile(context);
}

async function inFile({ settings, nowMs }: StoreContext): Promise<Findings> {
  const { ops_store: path, seal_key_file: key } = settings;
  if (!existsSync(path))
    return existsSync(key)
      ? [critical(`the store ${path} is missing, although its key ${key} exists.`, RESTORE)]
      : [
          notice(
            `there is no store ${path}: no server has run with these settings.`,
            'Nothing, if the servers run elsewhere.',
          ),
        ];
  if (!existsSync(key))
    return [
      critical(`the seal key ${key} of the store is missing: no secret in the store can be read.`, RESTORE),
    ];
  try {
    return fileFindings(path, key, nowMs);
  } catch (error) {
    const read = storeErrorOf(error, path);
    if (!(read instanceof StoreUnavailableError)) throw error;
    return [critical(read.message, RESTORE)];
  }
}

/** Without a log no process has the store open: SQLite then need not create the files that it shares among processes. */
function openForReading(path: string): DatabaseSync {
  const options = { readOnly: true, timeout: 1_000 };
  if (existsSync(`${path}-wal`)) return new DatabaseSync(path, options);
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, options);
}

function fileFindings(path: string, key: string, nowMs: number): Findings {
  const db = openForReading(path);
  try {
    const step = stepOf(db, path, migrationSteps().length);
    const whole = db.prepare('pragma quick_check(1)').get()?.['quick_check'];
    if (whole !== 'ok') return [critical(`the store ${path} is damaged: ${String(whole)}.`, RESTORE)];
    const older = step < migrationSteps().length;
    return [
      ...headFindings(db, path, key),
      ...(older
        ? [
            notice(
              `the store ${path} has format ${step} of ${migrationSteps().length}.`,
              'The next server of this version upgrades it.',
            ),
          ]
        : waiting(
            numberOf(db, 'select min(next_ms) as n from webhook_delivery where next_ms is not null'),
            nowMs,
          )),
    ];
  } finally {
    db.close();
  }
}

/** The server refuses a store that is older than the last head of its audit log. */
function headFindings(db: DatabaseSync, path: string, key: string): Findings {
  const sealer = makeSealer(Buffer.from(readFileSync(key, 'utf8').trim(), 'hex'), () => new Uint8Array());
  const head = new AuditAnchor(path, sealer).read();
  const seq = numberOf(db, 'select seq as n from audit_head') ?? 0;
  if (head === undefined)
    return [
      critical(
        `${path}-audit-head is missing: servers refuse the store.`,
        `${RESTORE} Or accept it with the command \`audit --accept\` of the keys.`,
      ),
    ];
  if (head.seq <= seq) return [];
  return [
    critical(
      `the store ${path} is an older copy: its audit log ends with entry ${seq}, and there was an entry ${head.seq}.`,
      `${RESTORE} Or accept it with the command \`audit --accept\` of the keys.`,
    ),
  ];
}

function numberOf(db: DatabaseSync, sql: string): number | null {
  const value = db.prepare(sql).get()?.['n'];
  return value === null || value === undefined ? null : Number(value);
}

function waiting(oldestMs: number | null, nowMs: number): Findings {
  if (oldestMs === null || nowMs - oldestMs < OVERDUE_MS) return [];
  const since = new Date(oldestMs).toISOString();
  return [
    critical(
      `webhook deliveries have been due since ${since}: no server makes them.`,
      'Start a server, and look in its log for `this process dispatches webhooks`.',
    ),
  ];
}

async function inDatabase({ settings, nowMs }: StoreContext): Promise<Findings> {
  const client = makeClient(settings.ops_store);
  await client.connect();
  try {
    const number = async (sql: string): Promise<number | null> => {
      const value = (await client.query(sql)).rows[0]?.n;
      return value === null || value === undefined ? null : Number(value);
    };
    const hasTables = (await client.query("select to_regclass('store_step') is not null as is_there")).rows[0]
      ?.is_there;
    if (hasTables !== true)
      return [notice('the database of the store is empty.', 'The first server creates its tables.')];
    const step = (await number('select step as n from store_step')) ?? 0;
    const known = pgMigrationSteps().length;
    if (step > known)
      return [
        critical(
          `the store has format ${step}, and this version knows formats up to ${known}.`,
          'Use the version that wrote it, or a later one.',
        ),
      ];
    if (!existsSync(settings.seal_key_file))
      return [
        critical(
          `${settings.seal_key_file} is missing on this host.`,
          'Copy the seal key of the installation to this path.',
        ),
      ];
    return [
      ...skewFindings(
        (await number('select extract(epoch from clock_timestamp()) * 1000 as n')) ?? nowMs,
        nowMs,
      ),
      ...(step < known
        ? []
        : waiting(
            await number('select min(next_ms) as n from webhook_delivery where next_ms is not null'),
            nowMs,
          )),
    ];
  } finally {
    await client.end();
  }
}

function skewFindings(theirMs: number, nowMs: number): Findings {
  const skew = nowMs - theirMs;
  if (Math.abs(skew) <= MAX_SKEW_MS) return [];
  return [
    warning(
      `the clock of this machine is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} that of the database.`,
      'Synchronise both clocks (chrony, systemd-timesyncd).',
    ),
  ];
}

/** Who leads, if job hosts take turns. */
export async function checkLeases({ settings, nowMs }: StoreContext): Promise<Findings> {
  if (settings.lease_store === '') return [];
  const client = makeClient(settings.lease_store);
  await client.connect();
  try {
    const { rows } = await client.query<{ holder: string; renewed_ms: number; now_ms: number }>(
      "select holder, renewed_ms, (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms from lease where name = 'lead'",
    );
    const [lead] = rows;
    const age = lead === undefined ? null : Number(lead.now_ms) - Number(lead.renewed_ms);
    if (lead !== undefined && lead.holder !== '' && age !== null && age < 2 * LEASE_MS) return [];
    const since =
      lead === undefined
        ? 'no job host has ever led'
        : `no job host has led since ${new Date(Number(lead.renewed_ms)).toISOString()}`;
    return [
      critical(
        `${since} (it is ${new Date(nowMs).toISOString()}).`,
        'Start the jobs on a host, and read their log.',
      ),
    ];
  } finally {
    await client.end();
  }
}
