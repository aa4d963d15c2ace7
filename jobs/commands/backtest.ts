// `backtest`: compares what the models computed at each past midnight, from the data known at that time, with what then happened. The
// results land like the rows of any source. The schedule runs it once a night.
import { DAY_S, dayOf } from '../../platform/base/time.ts';
import type { BacktestRow, Moment } from '../backtests/backtest-rows.ts';
import { backtestPolicyOf, exitBacktestRows, riskBacktestRows } from '../backtests/compute.ts';
import type { ColumnsDelivery, SourceFacts } from '../define/source.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { lastTick } from '../pipeline/run/ledger.ts';
import type { ExitCode } from './exit-codes.ts';
import { runOnce } from './work.ts';

const BACKTESTS = [
  {
    table: 'risk_backtest',
    id: 'risk-backtest',
    name: 'Backtests of value at risk',
    rowsOf: riskBacktestRows,
  },
  { table: 'exit_backtest', id: 'exit-backtest', name: 'Backtests of exits', rowsOf: exitBacktestRows },
] as const;

/** Lands the backtests up to the midnight before the last tick, and publishes them with a run. */
export async function backtest(context: PipelineContext): Promise<ExitCode> {
  const at = lastTick(context.ledger.entries);
  if (at === null) await runOnce(context, null);
  await landBacktests(
    context,
    BACKTESTS.map(({ table }) => table),
  );
  return runOnce(context, null);
}

/** Lands the backtests of the last midnight that have not landed yet; the next tick publishes them. */
export async function nightlyBacktests(context: PipelineContext): Promise<void> {
  const at = lastTick(context.ledger.entries);
  if (at === null) return;
  const due: string[] = [];
  for (const { table } of BACKTESTS) {
    const rows = await context.warehouse.rows(`select max(as_of) as as_of from obs.${table}`);
    if (Number(rows[0]?.['as_of'] ?? -1) < dayOf(at)) due.push(table);
  }
  await landBacktests(context, due);
}

async function landBacktests(context: PipelineContext, tables: readonly string[]): Promise<void> {
  const at = lastTick(context.ledger.entries);
  if (at === null) return;
  const moment: Moment = { as_of: dayOf(at), computed_at: at };
  const policy = backtestPolicyOf(context.policy);
  for (const { table, id, name, rowsOf } of BACKTESTS.filter((one) => tables.includes(one.table))) {
    const startedMs = context.nowMs();
    const rows = await rowsOf(context.warehouse, moment, policy);
    const raw = context.domains.flatMap((domain) => domain.raw).find((one) => one.name === table);
    const [first] = rows;
    if (raw === undefined || first === undefined) continue;
    await context.ingest.land(raw, factsOf(context, { id, name }), columnsOf(rows, Object.keys(first)), {
      interval: { from: moment.as_of - DAY_S, to: moment.as_of },
      fetchedAt: at,
    });
    context.reporter.step('backtested', { table, rows: rows.length, ms: context.nowMs() - startedMs });
  }
}

const columnsOf = (rows: readonly BacktestRow[], names: readonly string[]): ColumnsDelivery => ({
  kind: 'columns',
  count: rows.length,
  columns: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)])),
});

/** Results derived from simulated data are marked as simulated too. */
function factsOf(
  { settings }: PipelineContext,
  { id, name }: { readonly id: string; readonly name: string },
): SourceFacts {
  const isDemo = settings.profile === 'demo';
  return {
    id: isDemo ? `demo-${id}` : id,
    kind: isDemo ? 'simulated' : 'derived',
    name: isDemo ? `Demo world (simulated): ${name}` : name,
    url: null,
    chain: null,
    license: null,
  };
}
