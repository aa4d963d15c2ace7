// A dataset's confidence, computed from its inputs, and the verdict of its quality gate, from the checks that ran (decision 41). Pure
// functions.
import { counted, isOrAre } from '../../../platform/base/plural.ts';
import { type Confidence, NO_SOURCE, type QualityGate } from '../../../schemas/provenance.ts';
import { definePolicy, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';
import type { RawTable } from '../../define/raw-table.ts';
import type { Doubt } from './audit.ts';

export interface InputFacts {
  /** Number of sources that deliver to the tables the dataset depends on. */
  readonly expected: number;
  /** Number of these sources that have delivered and did not fail in this run. */
  readonly used: number;
  readonly rows_in: number;
  readonly rows_quarantined: number;
  /** Sources that failed in this run, with the reason. */
  readonly failures: readonly string[];
  /** The dataset needs sources, and no table of its own family has one; tables of other families may. */
  readonly is_unsourced?: boolean;
  /** The dataset's own tables without a source, when others of its `of` own tables have one. */
  readonly unsourced?: { readonly tables: readonly string[]; readonly of: number };
  /** Warnings of audits. */
  readonly doubts?: readonly Doubt[];
}

/** For a dataset that the pipeline itself writes. */
export const NO_INPUTS: InputFacts = {
  expected: 0,
  used: 0,
  rows_in: 0,
  rows_quarantined: 0,
  failures: [],
};

export type Check = QualityGate['checks'][number];

/** Reason given for tables without a source next to others that have one. */
export const noSourceFor = (tables: readonly string[]) => `${NO_SOURCE} for ${tables.join(', ')}`;

const HIGH = 0.8;
const MEDIUM = 0.5;

/** Share of inputs present, and of tables that have any, lowered by the share of quarantined rows and by audit warnings. */
export function confidenceOf({
  expected,
  used,
  rows_in,
  rows_quarantined,
  failures,
  doubts = [],
  is_unsourced = false,
  unsourced = { tables: [], of: 1 },
}: InputFacts): Confidence {
  const delivered = expected === 0 ? 1 : used / expected;
  const present = is_unsourced ? 0 : delivered * (1 - unsourced.tables.length / unsourced.of);
  const sound = rows_in === 0 ? 1 : 1 - rows_quarantined / rows_in;
  const certain = doubts.reduce((share, { weight }) => share * (1 - weight), 1);
  const score = Math.round(present * sound * certain * 10_000) / 10_000;
  const reasons = [
    ...(is_unsourced ? [NO_SOURCE] : []),
    ...(unsourced.tables.length > 0 ? [noSourceFor(unsourced.tables)] : []),
    ...(used < expected ? [`${expected - used} of ${expected} sources gave nothing`] : []),
    ...(rows_quarantined > 0
      ? [`${rows_quarantined} of ${counted(rows_in, 'row')} ${isOrAre(rows_quarantined)} in quarantine`]
      : []),
    ...failures,
    ...doubts.map(({ reason }) => reason),
  ];
  return {
    score,
    level: score >= HIGH ? 'high' : score >= MEDIUM ? 'medium' : 'low',
    inputs_used: used,
    inputs_expected: expected,
    reasons,
  };
}

const RANK = { not_evaluated: 0, pass: 1, warn: 2, fail: 3 } as const;

/**
 * The worst verdict of the checks; `not_evaluated` if there are none. Without a source there is nothing that could pass or warn: then only a
 * failed check counts.
 */
export function gateOf(
  checks: readonly Check[],
  evaluatedAt: string,
  policyVersion: string,
  { is_unsourced = false }: Pick<InputFacts, 'is_unsourced'> = {},
): QualityGate {
  const worst = checks.reduce<Check['verdict'] | null>(
    (so_far, { verdict }) => (so_far === null || RANK[verdict] > RANK[so_far] ? verdict : so_far),
    null,
  );
  const isEvaluated = worst !== null && (!is_unsourced || worst === 'fail');
  return {
    verdict: isEvaluated ? worst : 'not_evaluated',
    checks: [...checks],
    evaluated_at: checks.length === 0 ? null : evaluatedAt,
    policy_version: policyVersion,
  };
}

const schemaFor = (maxAges: { readonly [table: string]: number }) =>
  Strict({
    bad_rows_min_sample: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      default: 200,
      description:
        'Minimum rows of a batch for its bad rows to hold a subject back (decision 60); in a smaller batch they only warn',
    }),
    source_max_age_s: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
      Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Maximum age, seconds' }),
      {
        default: maxAges,
        additionalProperties: false,
        expected: 'a map from raw tables to seconds',
        description:
          'Maximum age of the newest row by raw table, seconds; a table that is not listed is never stale',
      },
    ),
  });

/** The policy of the quality gate. The maximum ages of raw tables are declared where the tables are defined (decision 41). */
export type QualityPolicy = ValuesOf<ReturnType<typeof schemaFor>>;

export function qualityPolicyOf(tables: readonly RawTable[]) {
  const maxAges = tables.flatMap(({ name, maxAgeSeconds }) =>
    maxAgeSeconds === null ? [] : [[name, maxAgeSeconds] as const],
  );
  return definePolicy({ section: 'quality', schema: schemaFor(Object.fromEntries(maxAges)) });
}
