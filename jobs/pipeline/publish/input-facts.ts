// The inputs of a dataset in this run: which sources are expected, which delivered, which failed.
import type { RawTable } from '../../define/raw-table.ts';
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import type { Presence } from '../gate/input-checks.ts';
import type { InputFacts } from '../gate/quality.ts';
import type { Gathered } from './publication.ts';
import type { TracedDataset } from '../models/lineage.ts';

export function inputFacts(
  { sources, domains }: Pick<PipelineContext, 'sources' | 'domains'>,
  dataset: TracedDataset,
  { receipts, gathered }: { readonly receipts: readonly Receipt[]; readonly gathered: Gathered },
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
