// The gate's checks for rows that never arrived: the rows known to be missing, and the tables for which that cannot be determined.

import type { RawTable } from '../../define/raw-table.ts';
import { allAtOnce } from '../../engine/at-once.ts';
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
  context: Pick<PipelineContext, 'domains' | 'sources' | 'results' | 'warehouse'>,
  now: number,
): Promise<Missing> {
  const { results, domains, sources } = context;
  const tables = domains.flatMap((domain) => domain.raw);
  const found = await allAtOnce(results.atOnce, tables, async (raw) => {
    const rows = await missingRows(context, raw, now);
    const subjects: string[] = [];
    for (const source of sources.filter(({ table }) => table === raw.name))
      subjects.push(...(await missingSubjects(results, source, raw)));
    return { name: raw.name, rows, subjects };
  });
  return {
    rows: new Map(found.flatMap(({ name, rows }) => (rows === null ? [] : [[name, rows] as const]))),
    subjects: new Map(
      found.flatMap(({ name, subjects }) => (subjects.length === 0 ? [] : [[name, subjects] as const])),
    ),
  };
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
