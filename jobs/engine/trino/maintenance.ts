// Keeps tables small: every change adds files and metadata, which are put together and given up after a while.
import type { Lake } from './lake.ts';

/** Changes of a table after which its files are put together. */
const COMMITS = 50;
/** For readers that are in the middle of a table; also the shortest time that Trino allows by default. */
const KEEP = '7d';

/** Puts the files of a table together when it has been changed often. */
export async function tidyTable({ client, states }: Lake, table: string): Promise<void> {
  if (states.commits(table) < COMMITS) return;
  await states.begin(table);
  for (const step of [
    'optimize',
    `expire_snapshots(retention_threshold => '${KEEP}')`,
    `remove_orphan_files(retention_threshold => '${KEEP}')`,
  ])
    await client.run(`alter table ${table} execute ${step}`);
  await states.tidied(table);
}
