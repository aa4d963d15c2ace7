// The gate's checks for rows that never came: the rows known to be missing, and the tables for which that cannot be determined.

import type { RawTable } from '../../define/raw-table.ts';
import type { PipelineContext } from '../context.ts';
import type { Asked } from '../models/kept-results.ts';
import type { TracedDataset } from '../models/lineage.ts';
import type { Doubt } from './audit.ts';
import { missingSubjects } from './expected-subjects.ts';
import { check } from './input-checks.ts';
import { missingDays } from './missing-days.ts';
import { type MissingRows, missingRows } from './missing-rows.ts';
import type { Check } from './quality.ts';

/** Missing rows of each raw table. */
export interface Missing {
  readonly rows: ReadonlyMap<string, MissingRows>;
  readonly subjects: ReadonlyMap<string, readonly string[]>;
}

type GateContext = Pick<PipelineContext, 'domains' | 'sources'> & { readonly results: Asked };

export async function missingInputsOf(
  { results, domains, sources }: GateContext,
  now: number,
): Promise<Missing> {
  const rows = new Map<string, MissingRows>();
  const subjects = new Map<string, readonly string[]>();
  for (const raw of domains.flatMap((domain) => domain.raw)) {
    const found = await missingRows(results, raw, now);
    if (found !== null) rows.set(raw.name, found);
    const own: string[] = [];
    for (const source of sources.filter(({ table }) => table === raw.name))
      own.push(...(await missingSubjects(results, source, raw)));
    if (own.length > 0) subjects.set(raw.name, own);
  }
  return { rows, subjects };
}

export interface CompletenessVerdict {
  readonly checks: readonly Check[];
  readonly doubts: readonly Doubt[];
}

export async function judgeCompleteness(
  { results, domains, sources }: GateContext,
  dataset: TracedDataset,
  { missing, now }: { readonly missing: Missing; readonly now: number },
): Promise<CompletenessVerdict> {
  const tables = domains.flatMap(({ raw }) => raw).filter(({ name }) => dataset.rests_on.includes(name));
  const found = tables.flatMap(({ name }) => missing.rows.get(name) ?? []);
  const absent = tables.flatMap(({ name }) => missing.subjects.get(name) ?? []);
  const days = await missingDays(results, dataset, now);
  const isDelivered = ({ name }: RawTable) => sources.some(({ table }) => table === name);
  return {
    checks: [
      check('no row is missing', [...absent, ...found.flatMap(({ words }) => words)], 'warn'),
      ...(dataset.day === undefined ? [] : [check('every one of the seven days has a record', days, 'warn')]),
      ...tables.filter(isDelivered).flatMap(unknowable),
    ],
    doubts: found.map(({ words, weight }) => ({ reason: words[0] ?? '', weight })),
  };
}

/** What cannot be determined from a table's rows: the gate makes no claim about it. */
const unknowable = ({ name, completeness }: RawTable): readonly Check[] =>
  completeness.flatMap((way): Check[] =>
    way.by === 'nothing'
      ? [{ name: `${name} is complete`, verdict: 'not_evaluated', detail: way.because }]
      : [],
  );
