// Runs the one audit of a table over rows that a test provides.

import type { Domain } from '../../jobs/define/domain.ts';
import type { Parameters } from '../../jobs/engine/parameters.ts';
import { runAudits } from '../../jobs/pipeline/gate/audit.ts';
import { duckDbTarget, openScratchEngine, prepareCases } from './case-duckdb.ts';
import type { CaseRow } from './case-file.ts';
import { withEvents } from './with-events.ts';

export interface AuditBench {
  /** Rows that the audit of the table returns; `others` are the rows of other tables it reads. */
  found(
    table: string,
    rows: readonly CaseRow[],
    others?: Readonly<Record<string, readonly CaseRow[]>>,
  ): Promise<readonly CaseRow[]>;
  close(): Promise<void>;
}

/** `domains`: those whose audits run, and whose models they read. */
export async function openAuditBench(domains: readonly Domain[], window: Parameters): Promise<AuditBench> {
  const { set, catalogue } = await prepareCases(withEvents(domains));
  const engine = await openScratchEngine();
  return {
    async found(table, rows, others = {}) {
      for (const [name, own] of Object.entries({ ...others, [table]: rows }))
        await duckDbTarget(engine).fill(name, catalogue.tables(name), own);
      const audits = set.audits.filter((audit) => audit.table === table);
      if (audits.length !== 1) throw new Error(`${table} has ${audits.length} audits`);
      const findings = await runAudits(engine, audits, window);
      return findings.flatMap((finding) => finding.rows);
    },
    close: () => engine.close(),
  };
}
