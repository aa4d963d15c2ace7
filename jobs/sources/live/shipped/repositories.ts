// Repositories of protocols, read with git itself: no key, no API limit, and every commit.
import type { LiveSection } from '../fetch/section.ts';
import { same } from './ethereum.ts';

const mapped = (table: string, name: string, fields: readonly string[]): LiveSection => ({
  table,
  recordings_of: 'repositories',
  name,
  license: 'facts',
  format: 'ndjson',
  where: { table },
  fields: same(...fields),
});

export const REPOSITORIES: { readonly [id: string]: LiveSection } = {
  repositories: {
    table: 'development_repository',
    name: 'Repositories of protocols',
    license: 'facts',
    request: { url: 'https://github.com/{repository}.git', git: { history: '365d' } },
    each: [
      { repository: 'aave-dao/aave-v3-origin', name: 'Aave', kind: 'protocol' },
      { repository: 'compound-finance/comet', name: 'Compound', kind: 'protocol' },
      { repository: 'morpho-org/morpho-blue', name: 'Morpho', kind: 'protocol' },
      { repository: 'Uniswap/v4-core', name: 'Uniswap', kind: 'protocol' },
    ],
    every: '1h',
    // After the first reading, only what is new is delivered.
    guards: { min_records: 0, min_share: 0 },
    format: 'ndjson',
    where: { table: 'development_repository' },
    fields: same('repository', 'name', 'kind', 'observed_at'),
  },
  'repository-commits': mapped('development_commit', 'Commits of protocols', [
    ...['repository', 'commit_id', 'author', 'is_bot', 'committed_at', 'parents'],
    ...['files_changed', 'insertions', 'deletions'],
  ]),
  'repository-releases': mapped('development_release', 'Tags of protocols', [
    ...['repository', 'tag', 'is_bot', 'released_at'],
  ]),
};
