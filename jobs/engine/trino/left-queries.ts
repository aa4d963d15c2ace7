// Queries that an earlier process left running on Trino: they end before the state of the tables is read, or they would change it afterwards.
import { EngineError } from '../errors.ts';
import type { TrinoClient } from './client.ts';

type Client = Pick<TrinoClient, 'run' | 'name'>;

interface Left {
  readonly client: Client;
  /** By which Trino lists the queries of the jobs. */
  readonly source: string;
  readonly wait: (ms: number) => Promise<void>;
}

const PAUSE_MS = 1_000;
const TRIES = 30;
/** A commit that was under way when its query was ended, by us or by its own process, has arrived by then, also in a loaded Trino. */
const COMMIT_MS = 5_000;

/** Resolves once nothing that they do can change a table any more. @throws EngineError when they do not end */
export async function endLeftQueries({ client, source, wait }: Left): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const ids = await runningOf(client, source);
    if (ids.length === 0) return wait(COMMIT_MS);
    for (const id of ids) await end(client, id);
    await wait(PAUSE_MS);
  }
  throw new EngineError(`queries that an earlier process left on ${client.name} do not end: end them there`);
}

const IS_RUNNING = `state not in ('FINISHED', 'FAILED')`;

async function runningOf(client: Client, source: string): Promise<readonly string[]> {
  const { rows } = await client.run(
    `select query_id from system.runtime.queries where source = '${source}' and ${IS_RUNNING} and query not like '%system.runtime.queries%'`,
  );
  return rows.map(([id]) => String(id));
}

/** Trino refuses to end a query that ended meanwhile. */
async function end(client: Client, id: string): Promise<void> {
  try {
    await client.run(`call system.runtime.kill_query(query_id => '${id}', message => 'its process ended')`);
  } catch (error) {
    const { rows } = await client.run(
      `select 1 from system.runtime.queries where query_id = '${id}' and ${IS_RUNNING}`,
    );
    if (rows.length > 0) throw error;
  }
}
