// The inputs of a dataset in this run: which sources are expected, which delivered, which failed.
import { createHash } from 'node:crypto';
import { lowerBound } from '../../../platform/base/lower-bound.ts';
import { oncePer } from '../../../platform/base/once-per.ts';
import { isoOf } from '../../../platform/base/time.ts';
import type { Source } from '../../../schemas/provenance.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { contentsOf } from '../../ingest/receipts/receipts.ts';
import type { PipelineContext } from '../context.ts';
import type { Presence } from '../gate/input-checks.ts';
import type { InputFacts } from '../gate/quality.ts';
import type { RunDeliveries } from './publication.ts';
import type { TracedDataset } from '../models/lineage.ts';

export function inputFacts(
  { sources, domains }: Pick<PipelineContext, 'sources' | 'domains'>,
  dataset: TracedDataset,
  { receipts, gathered }: { readonly receipts: readonly Receipt[]; readonly gathered: RunDeliveries },
): Omit<InputFacts, 'rows_quarantined' | 'doubts'> & Presence {
  const failures = gathered.failures.filter(({ table }) => dataset.rests_on.includes(table));
  const delivered = new Set(receipts.map(({ source }) => source.id));
  const restedOn = sources.filter(({ table }) => dataset.rests_on.includes(table));
  const configured = restedOn.map(({ facts }) => facts.id);
  const expected = new Set([...configured, ...delivered]);
  const failed = new Set(failures.map(({ source }) => source));
  const sourced = new Set([...restedOn, ...receipts].map(({ table }) => table));
  const silent = [...expected].filter((id) => !delivered.has(id) && !failed.has(id));
  return {
    expected: expected.size,
    used: [...expected].filter((id) => delivered.has(id) && !failed.has(id)).length,
    silent: silent.sort(),
    rows_in: receipts.reduce((total, { rows_in, rows_filtered = 0 }) => total + rows_in - rows_filtered, 0),
    failures: failures.map(({ source, problem }) => `${source} failed: ${problem}`),
    ...sourcing(
      dataset,
      domains.flatMap(({ raw }) => raw),
      sourced,
    ),
  };
}

const sameFacts = (table: RawTable | undefined): readonly string[] =>
  [...(table?.alternatives ?? []), table?.supplements].filter((one) => one !== undefined);

/** A table without a source is missing, unless the dataset also reads an alternative table, with the same facts, that has a source. */
function sourcing(
  { own_tables, domain_tables }: TracedDataset,
  raw: readonly RawTable[],
  sourced: ReadonlySet<string>,
): Pick<InputFacts, 'is_unsourced' | 'unsourced'> {
  if (own_tables.length > 0 && own_tables.every((table) => !sourced.has(table)))
    return { is_unsourced: true };
  const alternativesOf = (table: string) => sameFacts(raw.find(({ name }) => name === table));
  const isThere = (table: string) =>
    [table, ...alternativesOf(table)].some((one) => domain_tables.includes(one) && sourced.has(one));
  const tables = domain_tables.filter((table) => !isThere(table));
  return { is_unsourced: false, unsourced: { tables, of: Math.max(1, domain_tables.length) } };
}

// The provenance of a dataset (decision 41): one entry per source, covering everything that the source has landed.

type ReceiptFacts = Pick<Receipt, 'source' | 'last_time' | 'fetched_at' | 'content_hash' | 'contents'>;

/**
 * Ordered by id. `tables`: the receipts of each table. An entry does not depend on the order in which the source's files were read. Most
 * sources deliver to one table, whose entries are reused until more rows land in it.
 */
export function sourcesOf(tables: readonly (readonly ReceiptFacts[])[]): readonly Source[] {
  const parts = tables.flatMap((receipts) => [...landedBySource(receipts)]);
  const bySource = Map.groupBy(parts, ([id]) => id);
  return [...bySource.values()].map(entryOfParts).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function entryOfParts(parts: readonly (readonly [string, readonly ReceiptFacts[]])[]): Source {
  const lists = parts.map(([, receipts]) => receipts);
  const [only] = lists.length === 1 ? lists : [];
  return only === undefined ? entryOfLists(lists) : entryOf(only);
}

const landedBySource = oncePer((receipts: readonly ReceiptFacts[]) =>
  Map.groupBy(receipts, ({ source }) => source.id),
);

const entryOf = oncePer((receipts: readonly ReceiptFacts[]) => entryOfLists([receipts]));

function entryOfLists(lists: readonly (readonly ReceiptFacts[])[]): Source {
  const receipts = lists.flat();
  const newest = receipts.reduce(
    (last, { last_time }) => Math.max(last, last_time ?? last),
    Number.NEGATIVE_INFINITY,
  );
  const fetchedAt = receipts.reduce(
    (last, { fetched_at }) => Math.max(last, fetched_at),
    Number.NEGATIVE_INFINITY,
  );
  const contents = unionOf(lists.map(contentsOfAll));
  const facts = receipts.findLast(({ fetched_at }) => fetched_at === fetchedAt) as ReceiptFacts;
  return {
    ...facts.source,
    block_number: null,
    observed_at: Number.isFinite(newest) ? isoOf(newest) : null,
    fetched_at: isoOf(fetchedAt),
    content_hash: combinedHash(contents),
    files: contents.length,
  };
}

/** Sorted, each once. */
type Contents = readonly string[];

/** What was known of a list of receipts when it was last asked for, by its first one: the list of a source grows at its end for a day. */
const known = new WeakMap<
  ReceiptFacts,
  { readonly receipts: readonly ReceiptFacts[]; readonly contents: Contents }
>();

const unionOf = (lists: readonly Contents[]): Contents => {
  const [only] = lists.length === 1 ? lists : [];
  return only ?? [...new Set(lists.flat())].sort();
};

/** A source that delivers every five minutes has a hundred thousand contents after a year, which are not sorted again for each delivery. */
function contentsOfAll(receipts: readonly ReceiptFacts[]): Contents {
  const [first] = receipts;
  if (first === undefined) return [];
  const last = known.get(first);
  const isLonger = last?.receipts.every((receipt, index) => receipts[index] === receipt) === true;
  const contents = isLonger
    ? withContents(last.contents, receipts.slice(last.receipts.length).flatMap(contentsOf))
    : [...new Set(receipts.flatMap(contentsOf))].sort();
  known.set(first, { receipts, contents });
  return contents;
}

function withContents(contents: Contents, added: Contents): Contents {
  const all = [...contents];
  for (const one of added) {
    const index = lowerBound(all.length, (at) => (all[at] ?? '') >= one);
    if (all[index] !== one) all.splice(index, 0, one);
  }
  return all;
}

/** The hash of a single file; for several, the hash of their sorted hashes, one per line. */
const combinedHash = (contents: readonly string[]): string | null =>
  contents.length <= 1
    ? (contents[0] ?? null)
    : createHash('sha256')
        .update(`${contents.join('\n')}\n`)
        .digest('hex');
