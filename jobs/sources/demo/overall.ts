// What the overall score of the demo world needs in addition to the other domains: the scored protocols, their pools, security registry,
// operators and tokens. One protocol has just enough components, one too few, and one loses its pools every ninth day.

import { DAY_S } from '../../../platform/base/time.ts';
import type { Interval, Source } from '../../define/source.ts';
import { hash, signed } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Row, simulatedAs } from './scenario/simulated.ts';
import { OPERATORS, POOLS, PROTOCOLS, SECURITY, TOKENS } from './overall-facts.ts';

const SIX_HOURS_S = 21_600;
const MIN_DAYS = 9;
const SOURCE_NAME = 'generated';
/** Mixed into the seed of the demo world. */
const STREAM = 7_000;

export function overallDemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS));
  const { seed } = settings;
  const isNew = ({ from, to }: Interval) => from < start && start <= to;
  return [
    simulatedAs('overall-protocols', 'overall_protocol', (interval) =>
      isNew(interval) ? registry(start) : [],
    ),
    simulatedAs('overall-security', 'overall_security', (interval) =>
      isNew(interval) ? security(start) : [],
    ),
    simulatedAs('overall-pools', 'overall_pool', (interval) =>
      instants(interval, start, SIX_HOURS_S).flatMap((at) => pools(seed, { at, start })),
    ),
    simulatedAs('overall-operators', 'overall_operator', (interval) =>
      instants(interval, start, DAY_S).flatMap((at) => operators(seed, at)),
    ),
    simulatedAs('overall-tokens', 'overall_token', (interval) =>
      instants(interval, start, DAY_S).flatMap((at) => tokens(seed, at)),
    ),
  ];
}

/** Multiples of the step inside the interval, not before `start`. */
function instants({ from, to }: Interval, start: number, step: number): readonly number[] {
  const found: number[] = [];
  const after = Math.max(start - 1, from);
  for (let at = after - (after % step) + step; at <= to; at += step) found.push(at);
  return found;
}

const registry = (at: number): readonly Row[] => PROTOCOLS.map((row) => ({ ...row, observed_at: at }));

const security = (start: number): readonly Row[] =>
  SECURITY.map(([protocol, fact, title, days_before, severity = null]) => ({
    protocol,
    fact,
    title,
    happened_at: start - days_before * DAY_S,
    severity,
    source: SOURCE_NAME,
    checked_on: new Date(start * 1000).toISOString().slice(0, 10),
    observed_at: start,
  }));

function pools(seed: number, { at, start }: { readonly at: number; readonly start: number }): readonly Row[] {
  const day = Math.floor((at - start) / DAY_S);
  return POOLS.flatMap(([protocol, pool_id, tvl_usd, utilization], index) => {
    if (protocol === 'curve' && day % 9 === 4) return [];
    const own = hash(seed, STREAM + index);
    const level = 1 + 0.05 * signed(own, at / SIX_HOURS_S);
    const used = utilization === null ? null : Math.min(utilization * (1 + 0.08 * signed(own, at)), 1);
    const tvl = tvl_usd * level;
    return [
      {
        protocol,
        pool_id,
        tvl_usd: tvl,
        depth_usd: used === null ? tvl * 0.12 : tvl * (1 - used),
        utilization: used,
        observed_at: at,
      },
    ];
  });
}

/** The share of an operator decreases with its rank. */
const operators = (seed: number, at: number): readonly Row[] =>
  OPERATORS.flatMap(([protocol, count, slope], index) =>
    Array.from({ length: count }, (_, rank) => ({
      protocol,
      operator_id: `operator-${rank + 1}`,
      weight: (1_000 / (1 + rank * slope)) * (1 + 0.02 * signed(hash(seed, STREAM + 500 + index), at + rank)),
      observed_at: at,
    })),
  );

const tokens = (seed: number, at: number): readonly Row[] =>
  TOKENS.map(([protocol, top10, yield_usd, emission_share], index) => {
    const level = 1 + 0.03 * signed(hash(seed, STREAM + 800 + index), at / DAY_S);
    return {
      protocol,
      top10_share: top10 === null ? null : Math.min(top10 * level, 1),
      yield_usd: yield_usd * level,
      emissions_usd: yield_usd * emission_share,
      observed_at: at,
    };
  });
