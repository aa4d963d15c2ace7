// Audits: queries that must return no rows. A finding stops the publication of the datasets that depend on the table or, if the audit only
// warns, lowers their confidence.
import { mapAtOnce } from '../../../platform/base/tasks.ts';
import { type Parameters, renderParameters } from '../../engine/parameters.ts';
import type { Row } from '../../engine/rows.ts';
import { literal } from '../../engine/sql-text.ts';
import type { StateTable, Warehouse } from '../../engine/warehouse.ts';
import type { ResultSource } from '../../incremental/results.ts';
import type { Audit } from '../models/model.ts';

export interface Finding {
  /** `obs.feed_round.audit` */
  readonly audit: string;
  readonly table: string;
  readonly reaches: Audit['reaches'];
  /** The audit's own description of what it checks. */
  readonly about: string;
  /** The rows found, at most the first thousand. */
  readonly rows: readonly Row[];
  readonly verdict: Audit['verdict'];
  readonly domain: string;
  /** The audit with the parameters of this run. */
  readonly sql: string;
}

export const MAX_ROWS = 1_000;

/**
 * Runs audits; resolves to those that found something. `starts`: where the window of an audit begins if not with that of the run, by name.
 */
export async function runAudits(
  results: ResultSource,
  audits: readonly Audit[],
  window: Parameters,
  starts: ReadonlyMap<string, number> = new Map(),
): Promise<readonly Finding[]> {
  const findings = await mapAtOnce(results.atOnce ?? 1, audits, async (audit): Promise<Finding> => {
    const { name, table, reaches, about, verdict, domain } = audit;
    const parameters = { ...window, start: Math.min(window.start, starts.get(name) ?? window.start) };
    const sql = renderParameters(audit.sql, parameters);
    const rows = await results.rows(`select * from (${sql}\n) limit ${MAX_ROWS}`, { ...audit, parameters });
    return { audit: name, table, reaches, about, rows, verdict, domain, sql };
  });
  return findings.filter(({ rows }) => rows.length > 0);
}

/** Whether an audit applies to datasets that depend on the given tables. */
export const isAbout = ({ table, reaches }: Pick<Audit, 'table' | 'reaches'>, tables: ReadonlySet<string>) =>
  [table, ...reaches].some((one) => tables.has(one));

/** Why a dataset's confidence is lowered, and by how much: 0 not at all, 1 completely. */
export interface Doubt {
  readonly reason: string;
  readonly weight: number;
}

/** The warnings among the findings about the given tables. Throws when an audit does not return `reason` and `weight`. */
export function doubtsAbout(findings: readonly Finding[], tables: ReadonlySet<string>): readonly Doubt[] {
  const warnings = findings.filter((finding) => finding.verdict === 'warn' && isAbout(finding, tables));
  return warnings.flatMap(({ audit, rows }) => rows.map((row) => doubtOf(audit, row)));
}

function doubtOf(audit: string, { reason, weight }: Row): Doubt {
  if (typeof reason === 'string' && typeof weight === 'number' && weight >= 0 && weight <= 1)
    return { reason, weight };
  throw new Error(
    `${audit}.sql warns: return \`reason\` (text) and \`weight\` (a double from 0 to 1) in each row.`,
  );
}

const STARTS: StateTable = {
  name: 'meta.audit_start',
  columns: [
    { name: 'audit', type: 'VARCHAR' },
    { name: 'window_start', type: 'BIGINT' },
  ],
};

/**
 * Runs audits over the window, and those that found something before over all time since: what is wrong does not become right by passing
 * out of the window. Resolves to those that found something.
 */
export async function runStandingAudits(
  {
    results,
    warehouse: { state },
  }: { readonly results: ResultSource; readonly warehouse: Pick<Warehouse, 'state'> },
  audits: readonly Audit[],
  window: Parameters,
): Promise<readonly Finding[]> {
  await state.prepare(STARTS);
  const rows = await state.rows(`select audit, window_start from ${STARTS.name}`);
  const starts = new Map(rows.map((row) => [String(row['audit']), Number(row['window_start'])]));
  const findings = await runAudits(results, audits, window, starts);
  const open = new Set(findings.filter(({ verdict }) => verdict === 'fail').map(({ audit }) => audit));
  for (const { name } of audits) {
    const start = starts.get(name) ?? window.start;
    const wanted = open.has(name) ? Math.min(start, window.start) : undefined;
    if (wanted === starts.get(name)) continue;
    const stored = wanted === undefined ? [] : [{ audit: name, window_start: wanted }];
    await state.replace(STARTS, stored, `audit = ${literal(name)}`);
  }
  return findings;
}
