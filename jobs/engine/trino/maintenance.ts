// Keeps tables small: every change adds files and metadata, which are compacted and expired after a while.
import type { Lake } from './lake.ts';

/** Number of changes after which the files of a table are compacted. */
const COMMITS = 50;
/** Leaves replaced files to readers in the middle of a table; also the shortest time that Trino allows by default. */
const KEEP = '7d';

/** Compacts the files of a table that has been changed often. */
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
