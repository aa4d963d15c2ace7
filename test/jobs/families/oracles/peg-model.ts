// A peg by its definition, observation by observation in exact integers: what the SQL models are held against.
export interface Answer {
  readonly at: number;
  /** In units of 10^-8 of the quote; the reference is 10^8. */
  readonly answer: number;
}

export interface PriceSource {
  /** Seconds an answer lasts: heartbeat and grace. */
  readonly lasts_s: number;
  readonly is_pool: boolean;
  /** What a pool holds, in whole coins, at all times; null if that is not known. */
  readonly pool_units: number | null;
  /** In order of time. */
  readonly answers: readonly Answer[];
}

export interface Observation {
  readonly at: number;
  /** Twice the centre, so that the mean of two stays an integer. */
  readonly twice: number;
  /** What each live source that carries a price says, by its place in the list. */
  readonly live: ReadonlyMap<number, number>;
  /** What each live pool of unknown depth says. */
  readonly unweighed: readonly number[];
  readonly covers_to: number;
}

export interface PegRules {
  readonly enter_bps: number;
  readonly exit_bps: number;
  readonly is_downside_only: boolean;
  readonly agreement: 'any' | 'centre' | 'majority' | 'all';
  readonly is_disagreement_reported: boolean;
  readonly confirm_observations: number;
  readonly confirm_spacing_s: number;
  readonly immediate_multiple: number;
  readonly recovery_hold_s: number;
  readonly recovery_min_observed_fraction: number;
}

export interface PoolRules {
  readonly pool_min_depth: number;
  readonly pool_full_depth: number;
}

export interface Edge {
  readonly at: number;
  readonly what: 'start' | 'end' | 'recovered';
  /** Of a start. */
  readonly severity?: 'high' | 'warn';
}

const REFERENCE = 100_000_000;

/** Millionths: the whole for an oracle or a venue, the share of the full depth for a pool that is deep enough. */
function weightOf({ is_pool, pool_units }: PriceSource, answer: number, rules: PoolRules): number {
  if (!is_pool) return 1_000_000;
  const depth = pool_units === null ? 0 : (pool_units * answer) / REFERENCE;
  if (depth < rules.pool_min_depth || pool_units === null) return 0;
  return Math.min(1_000_000, Math.max(1, Math.round((depth / rules.pool_full_depth) * 1_000_000)));
}

/** The centre at every answer: several at one second count from the last of their source, so that no order of sources matters. */
export function centres(sources: readonly PriceSource[], rules: PoolRules): readonly Observation[] {
  const placed = sources.map(({ answers }) =>
    answers.map((one, i) => ({
      ...one,
      after: answers.filter((other, k) => k > i && other.at === one.at).length,
    })),
  );
  const keys = new Set(placed.flat().map(({ at, after }) => `${at}/${after}`));
  const instants = [...keys].map((key) => key.split('/').map(Number) as [number, number]);
  return instants
    .toSorted(([a, i], [b, k]) => a - b || k - i)
    .flatMap(([at, after]) => {
      const unweighed: number[] = [];
      const carriers = placed.flatMap((list, i) => {
        const source = sources[i];
        const one = list.findLast((one) => one.at < at || (one.at === at && one.after >= after));
        if (one === undefined || source === undefined || one.at + source.lasts_s < at) return [];
        const weight = weightOf(source, one.answer, rules);
        if (source.is_pool && source.pool_units === null) unweighed.push(one.answer);
        const isOwn = one.at === at && one.after === after;
        return weight === 0 ? [] : [{ i, ...one, weight, isOwn, covers_to: one.at + source.lasts_s }];
      });
      const isPriced = carriers.some(({ i }) => !sources[i]?.is_pool) || carriers.length > 1;
      if (!isPriced || !carriers.some(({ isOwn }) => isOwn)) return [];
      const live = new Map(carriers.map(({ i, answer }) => [i, answer]));
      const covers_to = Math.max(...carriers.map((one) => one.covers_to));
      return [{ at, twice: twiceCentre(carriers), live, unweighed, covers_to }];
    });
}

function twiceCentre(carriers: readonly { readonly answer: number; readonly weight: number }[]): number {
  const ordered = carriers.toSorted((a, b) => a.answer - b.answer);
  const total = ordered.reduce((sum, { weight }) => sum + weight, 0);
  const reaches = (isReached: (upTo: number) => boolean) => {
    let upTo = 0;
    const found = ordered.find(({ weight }) => {
      upTo += weight;
      return isReached(upTo);
    });
    return found?.answer ?? 0;
  };
  return reaches((upTo) => 2 * upTo >= total) + reaches((upTo) => 2 * upTo > total);
}

interface Run {
  readonly zone: string;
  readonly since: number;
  readonly count: number;
}

const longer = (run: Run, zone: string, at: number): Run =>
  run.zone === zone ? { ...run, count: run.count + 1 } : { zone, since: at, count: 1 };

interface Standing {
  /** 1: depegged, contested throughout; 2: its sources agreed. */
  readonly level: number;
  readonly isDoubted: boolean;
}

interface Judgement {
  readonly zone: string;
  readonly worst: string;
  readonly isConfirmed: boolean;
  readonly isWorstConfirmed: boolean;
  readonly isAgreed: boolean;
  readonly isSingle: boolean;
}

const isBeyond = (twice: number, rules: PegRules) => zoneOf(twice, rules) === 'beyond';

/** What each observation says about the price and about its farthest source. */
function judge(observations: readonly Observation[], rules: PegRules): readonly Judgement[] {
  let run: Run = { zone: '', since: 0, count: 0 };
  let worstRun = run;
  return observations.map((observation, i) => {
    const { at, live, unweighed, twice } = observation;
    const zones = [...live.values()].map((answer) => zoneOf(2 * answer, rules));
    const beyond = zones.filter((zone) => zone === 'beyond').length;
    const worst = beyond > 0 ? 'beyond' : zones.every((zone) => zone === 'inside') ? 'inside' : 'between';
    const zone = judgedZone(observation, beyond, rules);
    const isContradicted =
      live.size === 1 && unweighed.some((answer) => isBeyond(2 * answer, rules) !== isBeyond(twice, rules));
    run = longer(run, zone, at);
    worstRun = longer(worstRun, worst, at);
    const isLong = ({ count, since }: Run) =>
      count >= rules.confirm_observations &&
      (rules.confirm_observations === 1 || at - since >= rules.confirm_spacing_s);
    const isFar = zone === 'beyond' && reach(observation, rules) >= rules.immediate_multiple;
    const isSwitch = i > 0 && !sameKeys(live, observations[i - 1]?.live);
    return {
      zone,
      worst,
      isConfirmed: !isSwitch && (isFar || isLong(run)),
      isWorstConfirmed: !isSwitch && isLong(worstRun),
      isAgreed: beyond === live.size && !isContradicted,
      isSingle: live.size === 1,
    };
  });
}

function next(before: Standing, judged: Judgement, rules: PegRules): Standing {
  const { zone, worst, isConfirmed, isWorstConfirmed, isAgreed, isSingle } = judged;
  let { level, isDoubted } = before;
  if (zone === 'inside' && isConfirmed && worst !== 'beyond' && level > 0) [level, isDoubted] = [0, false];
  if (isWorstConfirmed && worst === 'inside') isDoubted = false;
  if (isWorstConfirmed && worst === 'beyond' && rules.is_disagreement_reported) isDoubted = true;
  if (zone === 'beyond' && isConfirmed && !isAgreed) level = Math.max(level, 1);
  if (zone === 'beyond' && isConfirmed && isAgreed && (before.level === 0 || !isSingle)) level = 2;
  return { level, isDoubted };
}

const isOff = ({ level, isDoubted }: Standing) => level > 0 || isDoubted;

/** Edges up to and including `last`. */
export function pegEdges(
  observations: readonly Observation[],
  rules: PegRules,
  last: number,
): readonly Edge[] {
  const edges: Edge[] = [];
  const judgements = judge(observations, rules);
  let standing: Standing = { level: 0, isDoubted: false };
  let stay = null as number | null;
  let isOpen = false;
  for (const [i, judged] of judgements.entries()) {
    const { at = 0, covers_to = 0 } = observations[i] ?? {};
    const before = standing;
    standing = next(before, judged, rules);
    if (isOff(standing) && (!isOff(before) || (standing.level === 2 && before.level < 2))) {
      edges.push({ at, what: 'start', severity: standing.level === 2 ? 'high' : 'warn' });
      [isOpen, stay] = [false, null];
    } else if (isOff(before) && !isOff(standing)) {
      edges.push({ at, what: 'end' });
      [isOpen, stay] = [true, at];
    } else stay = !isOff(standing) && judged.zone === 'inside' ? (stay ?? at) : null;
    const until = observations[i + 1]?.at ?? last + 1;
    if (!isOpen || stay === null || until <= at) continue;
    const due = stay + rules.recovery_hold_s;
    const enough = rules.recovery_min_observed_fraction * rules.recovery_hold_s;
    const isDue = due >= at && due <= Math.min(until - 1, covers_to);
    const recovered = isDue ? due : at > due ? at : null;
    if (recovered === null || covered(observations, recovered - rules.recovery_hold_s, recovered) < enough)
      continue;
    edges.push({ at: recovered, what: 'recovered' });
    isOpen = false;
  }
  return edges;
}

/** Zone of the observed price, as far as the policy requires sources to be beyond the band with it. */
function judgedZone({ twice, live }: Observation, beyond: number, rules: PegRules): string {
  if (rules.agreement === 'any') {
    const farthest = Math.max(...[...live.values()].map((answer) => distance(2 * answer, rules)));
    return zoneAt(farthest, rules);
  }
  const zone = zoneOf(twice, rules);
  const required = { centre: 0, majority: Math.floor(live.size / 2) + 1, all: live.size }[rules.agreement];
  return zone === 'beyond' && beyond < required ? 'between' : zone;
}

/** How many times the band the judged price is away. */
function reach({ twice, live }: Observation, rules: PegRules): number {
  const prices = rules.agreement === 'any' ? [...live.values()].map((answer) => 2 * answer) : [twice];
  return Math.max(...prices.map((price) => distance(price, rules))) / (rules.enter_bps * REFERENCE);
}

const sameKeys = (a: ReadonlyMap<number, number>, b?: ReadonlyMap<number, number>) =>
  a.size === b?.size && [...a.keys()].every((key) => b.has(key));

/** Seconds of [from, to) that a live source covers. */
function covered(observations: readonly Observation[], from: number, to: number): number {
  return observations.reduce((sum, { at, covers_to }, i) => {
    const until = Math.min(covers_to + 1, observations[i + 1]?.at ?? Infinity, to);
    return sum + Math.max(0, until - Math.max(at, from));
  }, 0);
}

/** Distance that counts, times 10^4 × 10^8. */
function distance(twice: number, { is_downside_only }: PegRules): number {
  const below = REFERENCE - twice / 2;
  return (is_downside_only ? Math.max(below, 0) : Math.abs(below)) * 10_000;
}

const zoneOf = (twice: number, rules: PegRules): string => zoneAt(distance(twice, rules), rules);

function zoneAt(far: number, rules: PegRules): string {
  if (far >= rules.enter_bps * REFERENCE) return 'beyond';
  return far <= rules.exit_bps * REFERENCE ? 'inside' : 'between';
}
