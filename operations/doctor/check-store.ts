// The ops store: whether it is there, whole and of a known format, whether its key fits, and whether deliveries wait. And who leads the jobs.
import { existsSync } from 'node:fs';
import { leaderOf } from '../../platform/leases/leader.ts';
import { isPostgres } from '../../platform/postgres/pg-pool.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { AuditAnchor } from '../../server/store/audit-anchor.ts';
import { inspectDatabase, inspectFile, type StoreFacts } from '../../server/store/inspect.ts';
import { makeSealer, sealKey } from '../../server/store/seal.ts';
import { StoreUnavailableError } from '../../server/store/store.ts';
import { critical, type Findings, notice, warning } from './finding.ts';

/** An open delivery that has been due for so long has no dispatcher. */
const OVERDUE_MS = 3_600_000;
const MAX_SKEW_MS = 2_000;
/** Twice the time that a lease lasts. */
const LEAD_MS = 30_000;
const RESTORE =
  'Restore it from a backup: `npm run restore` into a scratch folder, and copy the folder of the store from there.';
const ACCEPT = `${RESTORE} Or accept it with the command \`audit --accept\` of the keys.`;

export interface StoreContext {
  readonly settings: Settings;
  readonly nowMs: number;
}

export async function checkStore(context: StoreContext): Promise<Findings> {
  return isPostgres(context.settings.ops_store) ? inDatabase(context) : inFile(context);
}

async function inFile({ settings, nowMs }: StoreContext): Promise<Findings> {
  const { ops_store: path, seal_key_file: key } = settings;
  const hasKey = existsSync(key);
  if (!existsSync(path) && hasKey)
    return [critical(`the store ${path} is missing, although its key ${key} exists.`, RESTORE)];
  if (!existsSync(path))
    return [
      notice(
        `there is no store ${path}: no server has run with these settings.`,
        'Nothing, if the servers run elsewhere.',
      ),
    ];
  if (!hasKey)
    return [
      critical(`the seal key ${key} of the store is missing: no secret in the store can be read.`, RESTORE),
    ];
  try {
    const facts = inspectFile(path);
    if (facts.damage !== null) return [critical(`the store ${path} is damaged: ${facts.damage}.`, RESTORE)];
    return [...headFindings(facts, path, key), ...commonFindings(facts, path, nowMs)];
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return [critical(error.message, RESTORE)];
  }
}

/** The server refuses a store that is older than the last head of its audit log. */
function headFindings({ last_entry: last }: StoreFacts, path: string, key: string): Findings {
  const none = () => new Uint8Array();
  const sealer = makeSealer(sealKey({ file: key, randomBytes: none, onMade: () => undefined }), none);
  const head = new AuditAnchor(path, sealer).read();
  if (head === undefined)
    return [critical(`${path}-audit-head is missing: servers refuse the store.`, ACCEPT)];
  if (last === null || head.seq <= last) return [];
  return [
    critical(
      `the store ${path} is an older copy: its audit log ends with entry ${last}, and there was an entry ${head.seq}.`,
      ACCEPT,
    ),
  ];
}

function commonFindings(facts: StoreFacts, name: string, nowMs: number): Findings {
  const { format, known_format: known, oldest_due_ms: due } = facts;
  if (format !== null && format < known)
    return [
      notice(
        `the store ${name} has format ${format} of ${known}.`,
        'The next server of this version upgrades it.',
      ),
    ];
  if (due === null || nowMs - due < OVERDUE_MS) return [];
  return [
    critical(
      `webhook deliveries have been due since ${new Date(due).toISOString()}: no server makes them.`,
      'Start a server, and look in its log for `this process dispatches webhooks`.',
    ),
  ];
}

async function inDatabase({ settings, nowMs }: StoreContext): Promise<Findings> {
  const facts = await inspectDatabase(settings.ops_store);
  const { format, known_format: known, clock_ms } = facts;
  if (format === null)
    return [notice('the database of the store is empty.', 'The first server creates its tables.')];
  if (format > known)
    return [
      critical(
        `the store has format ${format}, and this version knows formats up to ${known}.`,
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
  return [...skewFindings(clock_ms ?? nowMs, nowMs), ...commonFindings(facts, 'in the database', nowMs)];
}

function skewFindings(theirMs: number, nowMs: number): Findings {
  const skew = nowMs - theirMs;
  if (Math.abs(skew) <= MAX_SKEW_MS) return [];
  const side = skew > 0 ? 'ahead of' : 'behind';
  return [
    warning(
      `the clock of this machine is ${(Math.abs(skew) / 1000).toFixed(1)} s ${side} that of the database.`,
      'Synchronise both clocks (chrony, systemd-timesyncd).',
    ),
  ];
}

/** Who leads, if job hosts take turns. */
export async function checkLeases({ settings }: StoreContext): Promise<Findings> {
  if (settings.lease_store === '') return [];
  const leader = await leaderOf(settings.lease_store);
  if (leader?.holder && leader.age_ms < LEAD_MS) return [];
  const since =
    leader === null
      ? 'no job host has ever led'
      : `no job host has led for ${Math.floor(leader.age_ms / 1000)} s`;
  return [critical(`${since}.`, 'Start the jobs on a host, and read their log.')];
}
