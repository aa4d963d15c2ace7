// The oracle of a market as the pages read it, and its states. Only an oracle of which everything is judged and nothing is missing holds.

export interface OracleLeg {
  readonly leg_index: number;
  readonly parent_index: number | null;
  readonly is_standby: boolean;
  readonly side: 'base' | 'quote';
  readonly role: 'feed' | 'vault';
  readonly contract: string;
  readonly kind: string;
  readonly kind_by: string;
  readonly from_symbol: string | null;
  readonly to_symbol: string | null;
  readonly rate: number | null;
  readonly unread_reason: string | null;
  readonly answered_at: number | null;
  readonly cap: string | null;
}

export interface OracleAssumption {
  readonly id: string;
  readonly kind: string;
  readonly statement: string;
  readonly tested_by: string | null;
  readonly gap_bps: number | null;
  readonly effective_enter_bps: number | null;
  readonly is_broken: boolean | null;
  readonly since_at: number | null;
}

export interface OraclePath {
  readonly chain: string;
  readonly market_id: string;
  readonly protocol: string | null;
  readonly name: string | null;
  readonly oracle_address: string | null;
  readonly kind: string | null;
  readonly kind_by: string | null;
  readonly verdict: 'verified' | 'unverified' | 'unknown' | 'wrong';
  readonly path_status: string | null;
  readonly base_symbol: string | null;
  readonly quote_symbol: string | null;
  readonly left_over: string | null;
  readonly missing: string | null;
  readonly failed_checks: readonly string[];
  readonly scale_error_exponent: number | null;
  readonly legs: readonly OracleLeg[];
  readonly standby_address: string | null;
  readonly assumptions: readonly OracleAssumption[];
  readonly is_broken: boolean | null;
  readonly broken_since_at: number | null;
  readonly changeable_by: readonly {
    readonly contract: string;
    readonly address: string;
    readonly how: string | null;
    readonly delay_s: number | null;
  }[];
  readonly price: string | null;
  readonly market_price: string | null;
  readonly gap_bps: number | null;
  readonly sources: number | null;
  readonly debt_usd: number | null;
  readonly unrealised_bad_debt_low_usd: number | null;
  readonly unrealised_bad_debt_high_usd: number | null;
  readonly unjust_liquidation_usd: number | null;
  readonly unjust_liquidation_high_usd: number | null;
  readonly phantom_interest_usd_day: number | null;
  readonly gaps: readonly string[];
  readonly doubts: readonly string[];
  readonly path_at: number | null;
  readonly observed_at: number | null;
}

/** Worst first. `not_judged`: an assumption that nothing can contradict or confirm, or a figure that is missing. */
export const ORACLE_STATES = [
  'wrong',
  'broken',
  'path_unknown',
  'unverified',
  'not_judged',
  'doubted',
  'holds',
] as const;
export type OracleState = (typeof ORACLE_STATES)[number];

type Judgement = Pick<OraclePath, 'verdict' | 'is_broken' | 'gaps' | 'doubts'>;

/** All that apply; `holds` only if nothing else does. */
export function statesOf({ verdict, is_broken, gaps, doubts }: Judgement): readonly OracleState[] {
  const found: readonly (readonly [OracleState, boolean])[] = [
    ['wrong', verdict === 'wrong'],
    ['broken', is_broken === true],
    ['path_unknown', verdict === 'unknown'],
    ['unverified', verdict === 'unverified'],
    ['not_judged', is_broken === null || gaps.length > 0],
    ['doubted', doubts.length > 0],
  ];
  const own = found.filter(([, applies]) => applies).map(([state]) => state);
  return own.length === 0 ? ['holds'] : own;
}

type PriceSides = Pick<OraclePath, 'quote_symbol' | 'legs'>;

/** Whether too much of what is assumed makes the price of the collateral too high; otherwise it makes it too low. */
export function raisesPrice({ quote_symbol, legs }: PriceSides, { id, kind }: OracleAssumption): boolean {
  if (kind === 'equality' || kind === 'constant') return id.split('=', 1)[0] !== quote_symbol;
  const contract = id.slice(id.indexOf(':') + 1);
  return legs.find((leg) => leg.contract === contract)?.side !== 'quote';
}

/** Whether lenders bear the error of an assumption; undefined without a price gap. */
export const costsLenders = (path: PriceSides, assumption: OracleAssumption): boolean | undefined =>
  assumption.gap_bps === null ? undefined : assumption.gap_bps > 0 === raisesPrice(path, assumption);

type Losses = PriceSides &
  Pick<OraclePath, 'verdict' | 'assumptions' | 'unrealised_bad_debt_low_usd' | 'unjust_liquidation_usd'>;

/** As of the events: critical if debt is not covered; a price below the market alone warns. Undefined if nothing is known to be wrong. */
export function severityOf(path: Losses): 'critical' | 'high' | 'warn' | undefined {
  if (path.verdict === 'wrong') return 'critical';
  const broken = path.assumptions.filter(({ is_broken }) => is_broken === true);
  if (broken.length === 0) return undefined;
  if ((path.unrealised_bad_debt_low_usd ?? 0) > 0) return 'critical';
  const isOnlyBelow = broken.every((one) => costsLenders(path, one) === false);
  return isOnlyBelow && (path.unjust_liquidation_usd ?? 0) === 0 ? 'warn' : 'high';
}

/** Of one assumption, in the oracles that make it: the worst. */
export function severityIn(assumption: OracleAssumption, paths: readonly OraclePath[]): string {
  const found = paths.map((path) => severityOf({ ...path, verdict: 'verified', assumptions: [assumption] }));
  return (['critical', 'high', 'warn'] as const).find((one) => found.includes(one)) ?? 'high';
}

/** Position of the worst state, then of the largest known debt. */
export const worstFirst = (paths: readonly OraclePath[]): readonly OraclePath[] =>
  paths.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      (b.debt_usd ?? -1) - (a.debt_usd ?? -1) ||
      (a.market_id < b.market_id ? -1 : 1),
  );

const rankOf = (path: OraclePath): number => ORACLE_STATES.indexOf(statesOf(path)[0] ?? 'not_judged');

/** Where the value of an assumption comes from that no one measures: written into the contract. */
const HARD_CODED = new Set(['constant', 'equality', 'cap', 'discount']);
export const isHardCoded = ({ kind }: Pick<OracleAssumption, 'kind'>): boolean => HARD_CODED.has(kind);
/** Kinds of legs whose value follows from numbers in the contract. */
const FIXED_LEGS = new Set([
  'constant',
  'pendle_linear',
  'capo_rate',
  'capo_stable',
  'capo_eur',
  'capo_pendle',
]);
export const isFixedLeg = ({ kind }: Pick<OracleLeg, 'kind'>): boolean => FIXED_LEGS.has(kind);

export interface AssumptionUse {
  readonly chain: string;
  readonly assumption: OracleAssumption;
  /** Markets whose oracle makes it, of those that are listed. */
  readonly paths: readonly OraclePath[];
}

/** Assumptions of several oracles by chain and id: broken ones, then those that nothing judges, then by the number of markets. */
export function assumptionUses(paths: readonly OraclePath[]): readonly AssumptionUse[] {
  const found = new Map<string, AssumptionUse>();
  for (const path of paths)
    for (const assumption of path.assumptions) {
      const id = `${path.chain}|${assumption.id}`;
      const known = found.get(id);
      found.set(id, { chain: path.chain, assumption, paths: [...(known?.paths ?? []), path] });
    }
  const rank = ({ assumption }: AssumptionUse): number =>
    assumption.is_broken === true ? 0 : assumption.is_broken === null ? 1 : 2;
  return [...found.values()].toSorted(
    (a, b) =>
      rank(a) - rank(b) || b.paths.length - a.paths.length || (a.assumption.id < b.assumption.id ? -1 : 1),
  );
}

/** The debt of all listed markets; undefined if that of one is not known. */
export function debtOf(paths: readonly Pick<OraclePath, 'debt_usd'>[]): number | undefined {
  let sum = 0;
  for (const { debt_usd } of paths) {
    if (debt_usd === null) return undefined;
    sum += debt_usd;
  }
  return sum;
}

/** The most characters of a list of names that the service takes. */
const MAX_LIST_CHARACTERS = 1_000;

/** Market ids as lists that a request can have, in their order. */
export function idLists(ids: readonly string[]): readonly string[] {
  const lists: string[] = [];
  for (const id of ids) {
    const longer = [...lists.slice(-1), id].join(',');
    if (longer.length > MAX_LIST_CHARACTERS) lists.push(id);
    else lists.splice(-1, 1, longer);
  }
  return lists;
}
