// The inputs of a dataset in this run: which sources are expected, which delivered, which failed.
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import type { PipelineContext } from '../context.ts';
import type { Presence } from '../gate/input-checks.ts';
import type { InputFacts } from '../gate/quality.ts';
import type { Gathered } from '../run/gather.ts';
import type { TracedDataset } from '../models/lineage.ts';

interface Inputs {
  readonly receipts: readonly Receipt[];
  readonly gathered: Gathered;
}

export function inputFacts(
  { sources }: Pick<PipelineContext, 'sources'>,
  dataset: TracedDataset,
  { receipts, gathered }: Inputs,
): Omit<InputFacts, 'rows_quarantined' | 'doubts'> & Presence {
  const failures = gathered.failures.filter(({ table }) => dataset.rests_on.includes(table));
  const delivered = new Set(receipts.map(({ source }) => source.id));
  const restedOn = sources.filter(({ table }) => dataset.rests_on.includes(table));
  const configured = restedOn.map(({ facts }) => facts.id);
  const expected = new Set([...configured, ...delivered]);
  const failed = new Set(failures.map(({ source }) => source));
  const silent = [...expected].filter((id) => !delivered.has(id) && !failed.has(id));
  return {
    expected: expected.size,
    used: [...expected].filter((id) => delivered.has(id) && !failed.has(id)).length,
    silent: silent.sort(),
    rows_in: receipts.reduce((total, { rows_in, rows_filtered = 0 }) => total + rows_in - rows_filtered, 0),
    failures: failures.map(({ source, problem }) => `${source} failed: ${problem}`),
    is_unsourced:
      dataset.own_tables.length > 0 &&
      [...restedOn, ...receipts].every(({ table }) => !dataset.own_tables.includes(table)),
  };
}
