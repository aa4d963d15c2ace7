// Ends queries that an earlier process left running on Trino, before the state of the tables is read: they could still change it later.
import { EngineError } from '../errors.ts';
import type { TrinoClient } from './client.ts';

type Client = Pick<TrinoClient, 'run' | 'name'>;

interface Left {
  readonly client: Client;
  /** Source under which Trino lists the queries of the jobs. */
  readonly source: string;
  readonly wait: (ms: number) => Promise<void>;
}

const PAUSE_MS = 1_000;
const TRIES = 30;
/** Time by which a commit that was under way when its query was ended has arrived, even if Trino is under load. */
const COMMIT_MS = 5_000;

/** Resolves once these queries can no longer change a table. @throws EngineError when they do not end */
export async function endLeftQueries({ client, source, wait }: Left): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const ids = await runningOf(client, source);
    if (ids.length === 0) return wait(COMMIT_MS);
    for (const id of ids) await end(client, id);
    await wait(PAUSE_MS);
  }
  throw new EngineError(
    `Queries that an earlier process left running on ${client.name} do not end: kill them there.`,
  );
}

const IS_RUNNING = `state not in ('FINISHED', 'FAILED')`;

async function runningOf(client: Client, source: string): Promise<readonly string[]> {
  const { rows } = await client.run(
    `select query_id from system.runtime.queries where source = '${source}' and ${IS_RUNNING} and query not like '%system.runtime.queries%'`,
  );
  return rows.map(([id]) => String(id));
}

/** Trino refuses to kill a query that has ended in the meantime, which is no failure. */
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
