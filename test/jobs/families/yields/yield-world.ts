// Runs of the yield domain with the oracles whose pegs it reads and the lending whose markets it may be: over files, over the demo world, and over rows given one by one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../../../jobs/define/source.ts';
import { type RunOptions, run } from '../../../../jobs/pipeline/run/run.ts';
import { yields } from '../../../../jobs/families/yields/domain.ts';
import type { YieldOpportunity } from '../../../../schemas/yields.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { neededFor } from '../../../support/needed-models.ts';
import { inWorld } from '../../../support/pipeline-world.ts';
import { documentsOf, type FilesConfig } from '../../../support/published-files.ts';

export const DAY = 86_400;
/** 2026-03-10 */
export const TODAY = Date.UTC(2026, 2, 10) / 1000;
export const NOON = TODAY + 43_200;

export type Fields = Readonly<Record<string, Json>>;

/** The others have no datasets here: those of oracles need feeds. */
const DOMAINS = neededFor({ datasets: yields.datasets.map(({ id }) => id) });

export const runYields = (
  dir: string,
  { config, now, sources, options = {} }: YieldRun,
): Promise<readonly string[]> =>
  inWorld(
    dir,
    { ...(config === undefined ? {} : { config: { ...config } }), now, domains: DOMAINS },
    async (world) => {
      const outcome = await run(sources === undefined ? world : { ...world, sources }, {
        interval: { from: -1, to: now },
        gather: true,
        detect: 'nothing',
        publish: true,
        ...options,
      });
      return outcome.problems;
    },
  );

export interface YieldRun {
  readonly config?: FilesConfig;
  readonly now: number;
  readonly sources?: readonly Source[];
  readonly options?: Partial<RunOptions>;
}

/** A configuration over rows whose members bear the names of the raw fields. */
export function rowFiles(dir: string, tables: { readonly [table: string]: readonly Fields[] }): FilesConfig {
  const sources = Object.entries(tables).map(([table, rows]) => {
    writeFileSync(join(dir, `${table}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const names = [...new Set(rows.flatMap(Object.keys))];
    const fields = Object.fromEntries(names.map((name) => [name, { from: name, ...timeForm(name) }]));
    return [table, { table, path: `${table}.ndjson`, format: 'ndjson', name: table, fields }];
  });
  return { profile: 'files', sources: Object.fromEntries(sources) };
}

const timeForm = (name: string) => (name.endsWith('_at') ? { time: 'unix_s' } : {});

/** A pool of which everything is known. */
export const pool = (more: Fields = {}): Fields => ({
  pool_id: 'p1',
  project: 'Aave V3',
  chain_name: 'Ethereum',
  observed_at: NOON,
  asset: 'USDC',
  is_stablecoin: true,
  strategy: 'lending',
  tier: 2,
  tvl_usd: 1_000_000,
  available_liquidity_usd: 250_000,
  net_apy: 5,
  base_apy: 4,
  reward_apy: 1,
  track_record_days: 364,
  has_il_risk: false,
  exposure: 'single',
  withdrawal_state: 'instant',
  lockup_seconds: 0,
  ...more,
});

export const coin = (symbol: string, mechanism: string, more: Fields = {}): Fields => ({
  coin_id: `${symbol}-${mechanism}`,
  symbol,
  mechanism,
  observed_at: TODAY - 60 * DAY,
  ...more,
});

export const opportunitiesOf = (dir: string) => documentsOf<YieldOpportunity>(dir, 'yield-opportunities');
