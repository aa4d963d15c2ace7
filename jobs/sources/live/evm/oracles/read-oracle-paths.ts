// The legs of oracles of markets at one block: what each answers, and what its answer follows from.
import type { Ask } from '../contract-call.ts';
import { type OracleFacts, recogniseOracles } from './oracle-kinds.ts';
import {
  type LegReading,
  legsFrom,
  type OracleLeg,
  type OraclePath,
  readLegs,
  sourcesOf,
} from './oracle-legs.ts';

/** An oracle that switches may name another one that does. */
const MAX_LEVELS = 5;

export interface OracleMarket {
  readonly id: string;
  readonly oracle: string;
  readonly tokens: OraclePath['tokens'];
}

export interface OraclePathsTask {
  readonly markets: readonly OracleMarket[];
  readonly factories: readonly string[];
}

export async function readOraclePaths(
  ask: Ask,
  { markets, factories }: OraclePathsTask,
): Promise<readonly OraclePath[]> {
  const facts = await factsOfAll(ask, [...new Set(markets.map(({ oracle }) => oracle))], factories);
  const reading = await readLegs(ask, [...facts.values()].flatMap(sourcesOf));
  return markets.flatMap((market) => {
    const own = facts.get(market.oracle);
    return own === undefined ? [] : [pathOf(market, { own, facts, reading })];
  });
}

/** Facts of the oracles and of those that they switch between. */
async function factsOfAll(
  ask: Ask,
  oracles: readonly string[],
  factories: readonly string[],
): Promise<ReadonlyMap<string, OracleFacts>> {
  const facts = new Map<string, OracleFacts>();
  let open = oracles;
  for (let level = 0; level < MAX_LEVELS && open.length > 0; level++) {
    for (const [oracle, own] of await recogniseOracles(ask, open, factories)) facts.set(oracle, own);
    const named = open.flatMap((oracle) => {
      const own = facts.get(oracle);
      return own?.kind === 'meta' ? [own.current, own.standby] : [];
    });
    open = [...new Set(named)].filter((oracle) => !facts.has(oracle));
  }
  return facts;
}

interface PathSources {
  readonly own: OracleFacts;
  readonly facts: ReadonlyMap<string, OracleFacts>;
  readonly reading: LegReading;
}

function pathOf({ id, oracle, tokens }: OracleMarket, { own, facts, reading }: PathSources): OraclePath {
  const inUse = usedBy(oracle, facts);
  const standby = own.kind === 'meta' ? own.standby : null;
  const fallback = standby === null ? null : usedBy(standby, facts);
  const legs = legsOf(inUse, { reading, first: 0 });
  const standing = legsOf(fallback, { reading, first: legs.length });
  return {
    marketId: id,
    oracle: own,
    inUse,
    standbyPrice: standby === null ? null : (facts.get(standby)?.price ?? null),
    legs: [
      ...legs.map((leg) => ({ ...leg, isStandby: false })),
      ...standing.map((leg) => ({ ...leg, isStandby: true })),
    ],
    tokens,
  };
}

/** The oracle over feeds that an oracle uses now; null for an unknown one, and for a circle. */
function usedBy(
  oracle: string,
  facts: ReadonlyMap<string, OracleFacts>,
  seen: readonly string[] = [],
): OraclePath['inUse'] {
  const own = facts.get(oracle);
  if (own === undefined || own.kind === 'unknown' || seen.includes(oracle)) return null;
  return own.kind === 'meta' ? usedBy(own.current, facts, [...seen, oracle]) : own;
}

/** Each leg, followed by those that it reads. */
function legsOf(
  used: OraclePath['inUse'],
  { reading, first }: { readonly reading: LegReading; readonly first: number },
): readonly OracleLeg[] {
  const legs: OracleLeg[] = [];
  for (const source of used === null ? [] : sourcesOf(used))
    legs.push(...legsFrom(source, { reading, first: first + legs.length }));
  return legs;
}
