// The quality gate's checks of a dataset's inputs: which are missing and which are stale. Both only warn: the dataset is published from
// the remaining inputs. Pure.
import type { Receipt } from '../../ingest/receipts/receipt.ts';
import { type Check, type InputFacts, NO_SOURCE } from './quality.ts';

const SHOWN_PROBLEMS = 10;

export function check(name: string, problems: readonly string[], worst: 'warn' | 'fail' = 'fail'): Check {
  const more = problems.length > SHOWN_PROBLEMS ? ` and ${problems.length - SHOWN_PROBLEMS} more` : '';
  const detail = problems.length === 0 ? null : `${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}`;
  return { name, verdict: problems.length === 0 ? 'pass' : worst, detail };
}

export type Presence = Pick<InputFacts, 'expected' | 'failures' | 'is_configured'> & {
  /** Sources that did not fail but have never delivered anything, sorted. */
  readonly silent: readonly string[];
};

export function missingInputs({ expected, failures, silent, is_configured = false }: Presence): Check {
  const nothing = expected === 0 && !is_configured ? [NO_SOURCE] : [];
  const problems = [...nothing, ...failures, ...silent.map((id) => `${id} gave nothing`)];
  return check('every input is there', problems, 'warn');
}

export interface Ages {
  /** Logical time, Unix seconds. */
  readonly now: number;
  /** Seconds by raw table; tables without an entry are never stale. */
  readonly maxAges: { readonly [table: string]: number };
}

/** The newest row of a table decides, whichever source delivered it: an old file next to a live source is history. */
export function staleInputs(
  receipts: readonly Pick<Receipt, 'table' | 'last_time'>[],
  { now, maxAges }: Ages,
): Check {
  const newest = new Map<string, number>();
  for (const { table, last_time } of receipts)
    if (last_time !== null) newest.set(table, Math.max(last_time, newest.get(table) ?? 0));
  const problems = [...newest].flatMap(([table, at]) => {
    const limit = maxAges[table];
    if (limit === undefined || now - at <= limit) return [];
    return [`the newest row of ${table} is ${now - at} s old, ${limit} s are allowed`];
  });
  return check('no input is stale', problems.sort(), 'warn');
}
