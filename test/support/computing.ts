// Computes models without a pipeline, as a run does: models with unchanged inputs are skipped.
import type { DuckDbWarehouse } from '../../jobs/engine/duckdb/warehouse.ts';
import type { Row } from '../../jobs/engine/rows.ts';
import type { PipelineContext } from '../../jobs/pipeline/context.ts';
import { computeModels } from '../../jobs/pipeline/run/compute.ts';
import { jsonReporter } from '../../jobs/pipeline/run/report.ts';

const nowMs = () => 0;
const reporter = jsonReporter({ write: () => {}, nowMs, level: 'silent' });

const CHANGE = /^\s*(?:delete from|update|insert into) (\S+)/;

/** Runs a statement. Whatever depends on a table that it changes is recomputed. */
export async function rowsOf({ db, versions }: DuckDbWarehouse, sql: string): Promise<readonly Row[]> {
  const rows = await db.rows(sql);
  const changed = CHANGE.exec(sql)?.[1];
  if (changed !== undefined) await versions.bump([changed]);
  return rows;
}

type Tables = Pick<PipelineContext, 'warehouse' | 'models'>;

export const computeIn = (tables: Tables, window: Parameters<typeof computeModels>[1]): Promise<void> =>
  computeModels({ ...tables, domains: [], nowMs, reporter }, window);
