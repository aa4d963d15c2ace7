// One reading of the oracles of markets at one block: what each answers, and the legs from which the answer follows.
import type { Ask } from '../contract-call.ts';
import { readTokens } from '../token-abi.ts';
import { readMarketParams } from '../vaults/market-state.ts';
import type { MarketParams } from '../vaults/cap-ids.ts';
import { type OracleFacts, recogniseOracles } from './oracle-kinds.ts';
import { legKey, type LegReading, type OracleLeg, type OraclePath, readLegs } from './oracle-legs.ts';

/** An oracle that switches may name another one that does. */
const MAX_LEVELS = 5;

export interface OraclePathsReading {
  readonly paths: readonly OraclePath[];
  readonly missing: readonly { readonly id: string; readonly why: string }[];
}

export interface OraclePathsTask {
  readonly morpho: string;
  readonly ids: readonly string[];
  readonly factories: readonly string[];
}

export async function readOraclePaths(
  ask: Ask,
  { morpho, ids, factories }: OraclePathsTask,
): Promise<OraclePathsReading> {
  const params = await readMarketParams(ask, { morpho, ids });
  const priced = [...params].filter(([, { oracle }]) => !isNone(oracle));
  const facts = await factsOfAll(ask, [...new Set(priced.map(([, { oracle }]) => oracle))], factories);
  const sources = [...facts.values()].flatMap((one) => ('sources' in one ? one.sources : []));
  const reading = await readLegs(ask, sources);
  const tokens = await readTokens(
    ask,
    priced.flatMap(([, { loanToken, collateralToken }]) => [loanToken, collateralToken]),
  );
  const pathOf = (marketId: string, { oracle, loanToken, collateralToken }: MarketParams): OraclePath[] => {
    const own = facts.get(oracle);
    if (own === undefined) return [];
    const inUse = usedBy(oracle, facts);
    const standby = own.kind === 'meta' ? own.standby : null;
    const fallback = standby === null ? null : usedBy(standby, facts);
    const legs = legsOf(inUse, { reading, first: 0, isStandby: false });
    return [
      {
        marketId,
        oracle: own,
        inUse,
        standbyPrice: standby === null ? null : (facts.get(standby)?.price ?? null),
        legs: [...legs, ...legsOf(fallback, { reading, first: legs.length, isStandby: true })],
        tokens: { loan: tokens.get(loanToken) ?? null, collateral: tokens.get(collateralToken) ?? null },
      },
    ];
  };
  return {
    paths: priced.flatMap(([id, own]) => pathOf(id, own)),
    missing: ids.filter((id) => !params.has(id)).map((id) => ({ id, why: 'no such market' })),
  };
}

const isNone = (address: string): boolean => /^0x0{40}$/.test(address);

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

/** Each leg, followed by the feed that it caps. */
function legsOf(
  used: OraclePath['inUse'],
  {
    reading,
    first,
    isStandby,
  }: { readonly reading: LegReading; readonly first: number; readonly isStandby: boolean },
): OraclePath['legs'] {
  const legs: (OracleLeg & { readonly isStandby: boolean })[] = [];
  for (const source of used?.sources ?? []) {
    const leg = reading.legs.get(legKey(source));
    if (leg === undefined) continue;
    const index = first + legs.length;
    const innerKey = reading.inner.get(legKey(source));
    const inner = innerKey === undefined ? undefined : reading.legs.get(innerKey);
    const value = inner?.value;
    const parameters =
      leg.kind === 'capo_stable' && value != null && leg.cap !== null
        ? { feed_value: value.toString(), cap: leg.cap.toString() }
        : leg.parameters;
    legs.push({ ...leg, parameters, source, parent: null, isStandby });
    if (inner === undefined || innerKey === undefined) continue;
    const below = { ...source, contract: innerKey.slice(0, -1) };
    legs.push({ ...inner, source: below, parent: index, isStandby });
  }
  return legs;
}
