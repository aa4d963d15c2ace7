// Audits: queries that must answer no row. What they find stops the publication of the datasets that rest on the table.
import type { Engine, Row } from '../engine/engine.ts';
import type { Audit } from './model.ts';
import { type Parameters, renderParameters } from './model-text.ts';

export interface Finding {
  /** `obs.feed_round.audit` */
  readonly audit: string;
  readonly table: string;
  /** What should not be, in the audit's own words. */
  readonly about: string;
  /** The rows found, the first twenty. */
  readonly rows: readonly Row[];
}

const MOST_ROWS = 20;

/** Runs audits; answers those that found something. */
export async function runAudits(
  engine: Engine,
  audits: readonly Audit[],
  parameters: Parameters,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, table, about, sql } of audits) {
    const rows = await engine.rows(
      `select * from (${renderParameters(sql, parameters)}\n) limit ${MOST_ROWS}`,
    );
    if (rows.length > 0) findings.push({ audit: name, table, about, rows });
  }
  return findings;
}
