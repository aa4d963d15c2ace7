// How refused rows affect a dataset (decision 60): a subject over the limit is held back on its own, and the check says what releases it;
// fewer refused rows, or a batch that is too small to judge, only cause a warning.
import { counted, wasOrWere } from '../../../platform/base/plural.ts';
import { CONFLICT_STORED } from '../../ingest/check/dedupe.ts';
import { JOIN_FAULT } from '../../ingest/read/where.ts';
import { isOverLimit } from '../../ingest/receipts/receipts.ts';
import type { PipelineContext } from '../context.ts';
import type { TracedDataset } from '../models/lineage.ts';
import type { DatasetHolds } from './dataset-holds.ts';
import type { Hold } from './holds.ts';
import { check } from './input-checks.ts';
import type { Check } from './quality.ts';
import type { RefusedBatchRows } from './still-refused.ts';

type Judge = Pick<PipelineContext, 'domains' | 'settings' | 'policy'>;

/** Refused rows over the limit, each with the hold that they cause, and the others. */
export interface RefusedRows {
  readonly holds: ReadonlyMap<RefusedBatchRows, Hold>;
  readonly all: readonly RefusedBatchRows[];
}

export function holdsOfRows(context: Judge, refused: readonly RefusedBatchRows[]): RefusedRows {
  const holds = new Map<RefusedBatchRows, Hold>();
  for (const one of refused) {
    const domain = context.domains.find(({ raw }) => raw.some(({ name }) => name === one.table));
    const raw = domain?.raw.find(({ name }) => name === one.table);
    if (domain === undefined || raw === undefined || !isOver(context, one)) continue;
    const { subject } = one;
    holds.set(one, {
      tables: [`landing.${one.table}`],
      domain: domain.id,
      check: CHECK,
      ...(subject === null
        ? { subject: null, reason: `${describe(one)}; ${release(one)}` }
        : {
            subject: new Map(raw.subject.map((field, index) => [field, subject[index] ?? ''])),
            reason: `${describe(one)}; held back: ${release(one)}`,
          }),
    });
  }
  return { holds, all: refused };
}

export interface BadRowVerdict {
  readonly check: Check;
  /** Rows that are missing from the tables that the dataset depends on. */
  readonly missing: number;
}

export function judgeBadRows(
  dataset: TracedDataset,
  { holds, all }: RefusedRows,
  { problems }: DatasetHolds,
): BadRowVerdict {
  const own = all.filter(({ table }) => dataset.rests_on.includes(table));
  const minor = own.filter((one) => {
    const hold = holds.get(one);
    return hold === undefined || !problems.some((problem) => problem.hold === hold);
  });
  const found = problems.filter(({ hold }) => hold.check === CHECK);
  const isWhole = found.some(({ kind }) => kind === 'whole');
  const messages = [...new Set(found.map(({ reason }) => reason)), ...summaries(minor)];
  return {
    check: check(CHECK, messages, isWhole ? 'fail' : 'warn'),
    missing: own.reduce((sum, { bad }) => sum + bad, 0),
  };
}

const CHECK = 'no row was refused';

/** A subject with fewer rows than the minimum sample is judged as if it had that many: one bad row in three is not a meaningful share. */
function isOver({ settings, policy }: Judge, { bad, rows, sample }: RefusedBatchRows): boolean {
  const minSample = policy.quality.bad_rows_min_sample;
  return sample >= minSample && isOverLimit(bad, Math.max(rows, minSample), settings.quarantine_limit_pct);
}

const subjectText = ({ subject }: RefusedBatchRows) =>
  subject === null ? 'unknown subject' : subject.join(' ');

const describe = (one: RefusedBatchRows) =>
  `${subjectText(one)}: ${one.bad} of ${counted(one.rows, 'row')} of ${one.table} from ${one.source} ${wasOrWere(one.bad)} refused (${one.reason})`;

/** A row without its counterpart cannot be redriven alone, and one that contradicts a landed row is refused again. */
function release({ batch, reason, source }: RefusedBatchRows): string {
  if (reason.startsWith(JOIN_FAULT))
    return 'deliver the file, or the one that it is joined with, again with the missing records, to release it';
  if (reason === CONFLICT_STORED)
    return `if the rows that landed first are wrong, correct the mapping of their source and run "reland --source NAME" for it (${source}, if it landed them itself), to release it`;
  return `deliver the rows again corrected, or run "quarantine redrive --batch ${batch}", to release it`;
}

const NAMED_SUBJECTS = 5;

/** One message per source and table. */
function summaries(refused: readonly RefusedBatchRows[]): string[] {
  const groups = Map.groupBy(refused, ({ table, source }) => `${table} from ${source}`);
  return [...groups].map(([where, all]) => {
    if (all.length === 1 && all[0] !== undefined) return describe(all[0]);
    const bad = all.reduce((sum, one) => sum + one.bad, 0);
    const names = [...new Set(all.map(subjectText))].sort();
    const more = names.length > NAMED_SUBJECTS ? ` and ${names.length - NAMED_SUBJECTS} more` : '';
    return `${counted(bad, 'row')} of ${where} ${wasOrWere(bad)} refused, of ${names.slice(0, NAMED_SUBJECTS).join(', ')}${more}`;
  });
}
