// Gives the warehouse on Trino to one process, with a PostgreSQL lock that ends with its connection. If job hosts take turns, the leader
// also records its term: it terminates the connections of an earlier leader that hangs, whose writes the database then refuses (fence.sql).
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { makeClient } from '../../../platform/postgres/pg-pool.ts';
import { WarehouseBusyError, WarehouseLostError } from '../errors.ts';

/** The leader's term, if job hosts take turns; the number rises with each leader of an installation. */
export interface LeaderTerm {
  readonly installation: string;
  readonly number: number;
}

/** Application name of a leader's connections, by which a later leader finds and terminates them. */
const NAME = 'risk-warehouse';
/** PostgreSQL terminates a connection within milliseconds, even if its process hangs. */
const EVICTION_TRIES = 50;
const PAUSE_MS = 100;

/** Options of every connection of a process with this term. */
export const sessionOf = (term: LeaderTerm | null): Pick<pg.ClientConfig, 'application_name' | 'options'> =>
  term === null
    ? {}
    : {
        application_name: `${NAME} ${term.number}`,
        options: `-c warehouse.installation=${term.installation} -c warehouse.term=${term.number}`,
      };

export interface Hold {
  end(): Promise<void>;
}

/** The state tables must exist. @throws WarehouseBusyError while another process has it, WarehouseLostError */
export async function holdWarehouse(url: string, term: LeaderTerm | null): Promise<Hold> {
  const client = makeClient(url, sessionOf(term));
  // A lost connection is noticed by the next statement on the pool.
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (term === null) await lockAsOnly(client);
    else await lockAsLeader(client, term);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function lockAsOnly(client: pg.Client): Promise<void> {
  if (!(await isLocked(client))) throw busy();
}

async function lockAsLeader(client: pg.Client, term: LeaderTerm): Promise<void> {
  await refuseOutdated(client, term);
  await endEarlier(client, term);
  for (let tried = 1; !(await isLocked(client)); tried += 1) {
    if (tried >= EVICTION_TRIES) throw busy();
    await wait(PAUSE_MS);
    await refuseOutdated(client, term);
    await endEarlier(client, term);
  }
  await client.query('update meta.leader_term set installation = $1, number = $2', [
    term.installation,
    term.number,
  ]);
}

/** Terms are compared only within one installation; another installation has the warehouse as long as it has the lock. */
async function refuseOutdated(client: pg.Client, { installation, number }: LeaderTerm): Promise<void> {
  const { rows } = await client.query('select number from meta.leader_term where installation = $1', [
    installation,
  ]);
  const known = Number(rows[0]?.number ?? 0);
  if (known > number)
    throw new WarehouseLostError(
      `The warehouse on Trino is in term ${known}; term ${number} of this process is over.`,
    );
}

async function endEarlier(client: pg.Client, { installation, number }: LeaderTerm): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity, meta.leader_term t
     where datname = current_database() and usename = current_user and pid <> pg_backend_pid() and t.installation = $2
       and application_name ~ '^${NAME} [0-9]+$' and split_part(application_name, ' ', 2)::bigint < $1`,
    [number, installation],
  );
}

async function isLocked(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select pg_try_advisory_lock(hashtextextended('meta warehouse', 0)) as is_ours`,
  );
  return rows[0]?.is_ours === true;
}

const busy = () =>
  new WarehouseBusyError(
    'The warehouse on Trino is in use by another process: wait until it ends, or stop it.',
  );
