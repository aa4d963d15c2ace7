// How refused rows affect a dataset (decision 60): a subject over the limit is held back on its own, and the check says what releases it;
// fewer refused rows, or a batch that is too small to judge, only cause a warning.
import { counted, wasOrWere } from '../../../schemas/count-words.ts';
import type { Dataset } from '../../define/dataset.ts';
import { JOIN_FAULT } from '../../ingest/read/where.ts';
import { isOverLimit } from '../../ingest/receipts/receipts.ts';
import type { PipelineContext } from '../context.ts';
import type { TracedDataset } from '../models/lineage.ts';
import { check } from './input-checks.ts';
import type { Check } from './quality.ts';
import type { StillRefused } from './still-refused.ts';
import { type Place, placesOf } from './subjects.ts';

export interface HeldSubject {
  readonly place: Place;
  readonly reason: string;
}

export interface BadRowVerdict {
  readonly check: Check;
  readonly held: readonly HeldSubject[];
  /** Rows that are missing from the tables that the dataset depends on. */
  readonly missing: number;
}

type Judge = Pick<PipelineContext, 'warehouse' | 'domains' | 'settings' | 'policy'>;

export async function judgeBadRows(
  context: Judge,
  dataset: TracedDataset,
  refused: readonly StillRefused[],
): Promise<BadRowVerdict> {
  const own = refused.filter(({ table }) => dataset.rests_on.includes(table));
  const held: HeldSubject[] = [];
  const failed: string[] = [];
  const minor: StillRefused[] = [];
  for (const one of own) {
    if (!isOver(context, one)) minor.push(one);
    else if (one.subject === null) failed.push(`${describe(one)}; ${release(one)}`);
    else {
      const places = await placesIn(context, dataset, one);
      const reason = `${describe(one)}; held back: ${release(one)}`;
      held.push(...places.map((place) => ({ place, reason })));
      if (places.length === 0) minor.push(one);
    }
  }
  const warned = [...new Set(held.map(({ reason }) => reason)), ...summaries(minor)];
  return {
    check: check(CHECK, [...failed, ...warned], failed.length > 0 ? 'fail' : 'warn'),
    held,
    missing: own.reduce((sum, { bad }) => sum + bad, 0),
  };
}

const CHECK = 'no row was refused';

/** A subject with fewer rows than the minimum sample is judged as if it had that many: one bad row in three is not a meaningful share. */
function isOver({ settings, policy }: Judge, { bad, rows, sample }: StillRefused): boolean {
  const minSample = policy.quality.bad_rows_min_sample;
  return sample >= minSample && isOverLimit(bad, Math.max(rows, minSample), settings.quarantine_limit_pct);
}

function placesIn({ warehouse, domains }: Judge, dataset: Dataset, { table, subject }: StillRefused) {
  const raw = domains.flatMap((domain) => domain.raw).find(({ name }) => name === table);
  return raw === undefined || subject === null ? [] : placesOf(warehouse, dataset, { raw, values: subject });
}

const subjectWords = ({ subject }: StillRefused) =>
  subject === null ? 'unknown subject' : subject.join(' ');

const describe = (one: StillRefused) =>
  `${subjectWords(one)}: ${one.bad} of ${counted(one.rows, 'row')} of ${one.table} from ${one.source} ${wasOrWere(one.bad)} refused (${one.reason})`;

/** A row without its counterpart cannot be redriven alone. */
const release = ({ batch, reason }: StillRefused) =>
  reason.startsWith(JOIN_FAULT)
    ? 'deliver the file, or the one that it is joined with, again with the missing records, to release it'
    : `deliver the rows again corrected, or run "quarantine redrive --batch ${batch}", to release it`;

const NAMED_SUBJECTS = 5;

/** One message per source and table. */
function summaries(refused: readonly StillRefused[]): string[] {
  const groups = Map.groupBy(refused, ({ table, source }) => `${table} from ${source}`);
  return [...groups].map(([where, all]) => {
    if (all.length === 1 && all[0] !== undefined) return describe(all[0]);
    const bad = all.reduce((sum, one) => sum + one.bad, 0);
    const names = [...new Set(all.map(subjectWords))].sort();
    const more = names.length > NAMED_SUBJECTS ? ` and ${names.length - NAMED_SUBJECTS} more` : '';
    return `${counted(bad, 'row')} of ${where} ${wasOrWere(bad)} refused, of ${names.slice(0, NAMED_SUBJECTS).join(', ')}${more}`;
  });
}
