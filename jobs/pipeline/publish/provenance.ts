// The provenance of a dataset (decision 41): one entry per source, covering everything that the source has landed.
import { createHash } from 'node:crypto';
import { isoOf } from '../../../platform/base/time.ts';
import type { Source } from '../../../schemas/provenance.ts';
import { oncePer } from '../../../platform/base/once-per.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { contentsOf } from '../../ingest/receipts/receipts.ts';

type Landed = Pick<Receipt, 'source' | 'last_time' | 'fetched_at' | 'content_hash' | 'contents'>;

/**
 * Ordered by id. `tables`: the receipts of each table. An entry does not depend on the order in which the source's files were read. Most
 * sources deliver to one table, whose entries are reused until more rows land in it.
 */
export function sourcesOf(tables: readonly (readonly Landed[])[]): readonly Source[] {
  const parts = tables.flatMap((receipts) => [...landedBySource(receipts)]);
  const bySource = Map.groupBy(parts, ([id]) => id);
  return [...bySource.values()].map(entryOfParts).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function entryOfParts(parts: readonly (readonly [string, readonly Landed[]])[]): Source {
  const [first, ...more] = parts.map(([, receipts]) => receipts);
  return entryOf(
    first !== undefined && more.length === 0 ? first : parts.flatMap(([, receipts]) => receipts),
  );
}

const landedBySource = oncePer((receipts: readonly Landed[]) =>
  Map.groupBy(receipts, ({ source }) => source.id),
);

const entryOf = oncePer((receipts: readonly Landed[]): Source => {
  const newest = receipts.reduce(
    (last, { last_time }) => Math.max(last, last_time ?? last),
    Number.NEGATIVE_INFINITY,
  );
  const fetchedAt = receipts.reduce(
    (last, { fetched_at }) => Math.max(last, fetched_at),
    Number.NEGATIVE_INFINITY,
  );
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
});

/** The hash of a single file; for several, the hash of their sorted hashes, one per line. */
const combinedHash = (contents: readonly string[]): string | null =>
  contents.length <= 1
    ? (contents[0] ?? null)
    : createHash('sha256')
        .update(contents.map((hash) => `${hash}\n`).join(''))
        .digest('hex');
