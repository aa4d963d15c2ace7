// What the row of a subject itself says about its freshness and gates. A member that is missing or unknown never passes.

export const CHECK_VERDICTS = ['pass', 'caution', 'fail'] as const;

export interface Check {
  readonly check: string;
  readonly verdict: (typeof CHECK_VERDICTS)[number];
  readonly detail: string;
}

export const pass = (check: string, detail: string): Check => ({ check, verdict: 'pass', detail });
export const caution = (check: string, detail: string): Check => ({ check, verdict: 'caution', detail });
export const fail = (check: string, detail: string): Check => ({ check, verdict: 'fail', detail });

export const SUBJECT_KINDS = {
  peg: { dataset: 'pegs', form: 'peg:<chain>:<asset_name>', separator: '|' },
  feed: { dataset: 'feeds', form: 'feed:<chain>:<feed_address>', separator: '|' },
  market: { dataset: 'lending-markets', form: 'market:<chain>:<market_id>', separator: '|' },
  yield: { dataset: 'yield-opportunities', form: 'yield:<id>', separator: null },
  score: { dataset: 'overall-receipts', form: 'score:<protocol>', separator: null },
  dataset: { dataset: null, form: 'dataset:<id>', separator: null },
} as const;
export type SubjectKind = keyof typeof SUBJECT_KINDS;

type Row = Readonly<Record<string, unknown>>;

export function rowChecks(kind: SubjectKind, row: unknown): readonly Check[] {
  const checked = kind === 'score' && Array.isArray(row) ? row[0] : row;
  if (typeof checked !== 'object' || checked === null) return [fail('subject', 'The subject has no row.')];
  return BY_KIND[kind](checked as Row);
}

const BY_KIND: Readonly<Record<SubjectKind, (row: Row) => readonly Check[]>> = {
  peg: (row) => [
    state(row, 'source_status', 'live'),
    known(row, 'price'),
    state(row, 'state', 'pegged', ['depegged', 'disputed']),
    ...none(row, 'doubts'),
    ...flag(row, 'is_disputed'),
  ],
  feed: (row) => [state(row, 'status', 'fresh'), known(row, 'price'), ...none(row, 'doubts')],
  market: (row) => [
    state(row, 'state_status', 'fresh'),
    state(row, 'oracle_status', 'fresh'),
    ...flag(row, 'is_oracle_disputed'),
    row['is_classified'] === true
      ? pass('is_classified', 'The market has a classification.')
      : caution('is_classified', 'The market has no classification.'),
  ],
  yield: (row) => {
    const gate = (row['qualityGate'] ?? {}) as { readonly verdict?: unknown; readonly warnings?: unknown };
    return [
      gate.verdict === 'pass'
        ? pass('row_gate', 'All inputs of the opportunity are there.')
        : (gate.verdict === 'warn' ? caution : fail)(
            'row_gate',
            `Inputs in doubt: ${String(gate.warnings)}.`,
          ),
      ...none(row, 'flags'),
    ];
  },
  score: (row) => [known(row, 'score')],
  dataset: () => [],
};

/** `tolerated`: values about the risk, not about the data. */
function state(row: Row, name: string, wanted: string, tolerated: readonly string[] = []): Check {
  const value = row[name];
  if (value === wanted) return pass(name, `${name} is ${wanted}.`);
  const isTolerated = typeof value === 'string' && tolerated.includes(value);
  return (isTolerated ? caution : fail)(name, `${name} is ${String(value ?? 'unknown')}.`);
}

const known = (row: Row, name: string): Check =>
  (row[name] ?? null) === null ? fail(name, `${name} is unknown.`) : pass(name, `${name} is known.`);

function none(row: Row, name: string): readonly Check[] {
  const list = row[name];
  if (!Array.isArray(list)) return [fail(name, `${name} is unknown.`)];
  return list.length === 0 ? [pass(name, `No ${name}.`)] : [caution(name, `${name}: ${list.join(', ')}.`)];
}

/** Null where nothing can be compared: no doubt, but no confirmation either. */
function flag(row: Row, name: string): readonly Check[] {
  const value = row[name];
  if (value === false) return [pass(name, `${name} is false.`)];
  return [caution(name, `${name} is ${String(value ?? 'unknown')}.`)];
}
