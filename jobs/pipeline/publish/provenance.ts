// The provenance of a dataset (decision 41): one entry per source, over everything that it landed.
import { createHash } from 'node:crypto';
import type { Source } from '../../../schemas/provenance.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { contentsOf } from '../../ingest/receipts/receipts.ts';

export const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

type Landed = Pick<Receipt, 'source' | 'last_time' | 'fetched_at' | 'content_hash' | 'contents'>;

/** Ordered by id. An entry does not depend on the order in which the source's files were read. */
export function sourcesOf(receipts: readonly Landed[]): readonly Source[] {
  const bySource = Map.groupBy(receipts, ({ source }) => source.id);
  return [...bySource.values()].map(entryOf).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function entryOf(receipts: readonly Landed[]): Source {
  const newest = Math.max(...receipts.map(({ last_time }) => last_time ?? Number.NEGATIVE_INFINITY));
  const fetchedAt = Math.max(...receipts.map(({ fetched_at }) => fetched_at));
  const contents = [...new Set(receipts.flatMap(contentsOf))].sort();
  const facts = receipts.findLast(({ fetched_at }) => fetched_at === fetchedAt) as Landed;
  return {
    ...facts.source,
    block_number: null,
    observed_at: Number.isFinite(newest) ? isoOf(newest) : null,
    fetched_at: isoOf(fetchedAt),
    content_hash: combinedHash(contents),
    files: contents.length,
  };
}

/** The hash of a single file; for several, the hash of their sorted hashes, one per line. */
const combinedHash = (contents: readonly string[]): string | null =>
  contents.length <= 1
    ? (contents[0] ?? null)
    : createHash('sha256')
        .update(contents.map((hash) => `${hash}\n`).join(''))
        .digest('hex');
