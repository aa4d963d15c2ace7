// Reads a repository: after the first reading, only what is new since the commit at which the last one ended. Rows name their table.
import { join } from 'node:path';
import { NetFault } from '../http/net-fault.ts';
import { filled } from '../http/template.ts';
import { secondsOf } from '../fetch/live-source.ts';
import type { PageReading } from '../fetch/recording-store.ts';
import type { Reader } from '../fetch/reader.ts';
import { tablesIn } from '../fetch/recording.ts';
import { readRepository } from './read-repository.ts';
import { GitFault } from './run-git.ts';

const FOLDER = 'repositories';

/** The values of `each` are the repository as owner/name, and what it belongs to. */
export const readGit: Reader = async function* (source, { partition }, { now, folder, git }, earlier) {
  const { request } = source;
  if (request?.git === undefined) throw new Error(`Source ${source.id} reads no repository.`);
  const { repository = '', name, kind } = partition.params;
  const at = now();
  const since = Math.floor(at) - secondsOf(request.git.history);
  const state = (await earlier.state()) as { readonly head: string } | null;
  const plan = {
    repository: repository.toLowerCase(),
    url: filled(request.url, partition.params),
    copy: join(folder.dir, FOLDER, `${repository.replaceAll('/', '~')}.git`),
    since,
    path: git.path,
    pseudonymKey: git.pseudonymKey(),
  };
  const reading = await readRepository(plan, state?.head ?? null).catch((error: unknown) => {
    throw error instanceof GitFault ? new NetFault('network', error.message, { cause: error }) : error;
  });
  const entry = { repository: plan.repository, name, kind, observed_at: since };
  const rows = [
    ...(state === null && name !== undefined ? [{ table: 'development_repository', ...entry }] : []),
    ...reading.commits.map((row) => ({ table: 'development_commit', ...row })),
    ...reading.releases.map((row) => ({ table: 'development_release', ...row })),
  ];
  yield { ...pageOf(rows, plan.url), as_of: at, state: { head: reading.head } };
  return reading.holdsEarlier
    ? `commit ${reading.head}`
    : `commit ${reading.head}; the history was rewritten since ${state?.head}`;
};

const pageOf = (rows: readonly object[], url: string): Omit<PageReading, 'as_of'> => ({
  body: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  records: rows,
  server_time: null,
  facts: {
    records: rows.length,
    ...tablesIn(rows),
    status: 200,
    request: { method: 'GET', url, body: null },
    headers: { 'content-type': 'application/x-ndjson' },
  },
});
