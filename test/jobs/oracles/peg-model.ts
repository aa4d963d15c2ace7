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
  /** In order of time. */
  readonly answers: readonly Answer[];
}

export interface Observation {
  readonly at: number;
  /** Twice the median, so that the mean of two stays an integer. */
  readonly twice: number;
  /** What each live source says, by its place in the list. */
  readonly live: ReadonlyMap<number, number>;
  readonly covers_to: number;
}

export interface PegRules {
  readonly enter_bps: number;
  readonly exit_bps: number;
  readonly is_downside_only: boolean;
  readonly confirm_observations: number;
  readonly confirm_spacing_s: number;
  readonly immediate_multiple: number;
  readonly recovery_hold_s: number;
  readonly recovery_min_observed_fraction: number;
}

export interface Edge {
  readonly at: number;
  readonly what: 'start' | 'end' | 'recovered';
  /** Of a start. */
  readonly severity?: 'high' | 'warn';
}

const REFERENCE = 100_000_000;

/** The centre at every answer: several at one second count from the last of their source, so that no order of sources matters. */
export function centres(sources: readonly PriceSource[]): readonly Observation[] {
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
      const said = placed.map((list) =>
        list.findLast((one) => one.at < at || (one.at === at && one.after >= after)),
      );
      const heard = said.flatMap((one, i) => {
        const covers_to = one === undefined ? -1 : one.at + (sources[i]?.lasts_s ?? 0);
        return one === undefined || covers_to < at ? [] : [{ i, answer: one.answer, covers_to }];
      });
      if (heard.every(({ i }) => sources[i]?.is_pool)) return [];
      const values = heard.map(({ answer }) => answer).sort((a, b) => a - b);
      const [lower = 0, upper = 0] = [values[(values.length - 1) >> 1], values[values.length >> 1]];
      const live = new Map(heard.map(({ i, answer }) => [i, answer]));
      return [{ at, twice: lower + upper, live, covers_to: Math.max(...heard.map((one) => one.covers_to)) }];
    });
}

/** Edges up to and including `last`. */
export function pegEdges(
  observations: readonly Observation[],
  rules: PegRules,
  last: number,
): readonly Edge[] {
  const edges: Edge[] = [];
  let run = { zone: '', since: 0, count: 0 };
  let level = 0;
  let stay = null as number | null;
  let isOpen = false;
  for (const [i, { at, twice, live, covers_to }] of observations.entries()) {
    const zone = zoneOf(twice, rules);
    run = run.zone === zone ? { ...run, count: run.count + 1 } : { zone, since: at, count: 1 };
    const isLong = rules.confirm_observations === 1 || at - run.since >= rules.confirm_spacing_s;
    const isFar =
      zone === 'beyond' && distance(twice, rules) >= rules.enter_bps * rules.immediate_multiple * REFERENCE;
    const isSwitch = i > 0 && !sameKeys(live, observations[i - 1]?.live);
    const isConfirmed = !isSwitch && (isFar || (run.count >= rules.confirm_observations && isLong));
    const agreed = [...live.values()].every((answer) => zoneOf(2 * answer, rules) === 'beyond');
    const rises =
      zone === 'beyond' && isConfirmed && (level === 0 || (level === 1 && agreed && live.size > 1));
    if (rises) {
      edges.push({ at, what: 'start', severity: agreed ? 'high' : 'warn' });
      [level, isOpen, stay] = [agreed ? 2 : 1, false, null];
    } else if (level > 0 && zone === 'inside' && isConfirmed) {
      edges.push({ at, what: 'end' });
      [level, isOpen, stay] = [0, true, at];
    } else stay = level === 0 && zone === 'inside' ? (stay ?? at) : null;
    const until = observations[i + 1]?.at ?? last + 1;
    if (!isOpen || stay === null || until <= at) continue;
    const due = stay + rules.recovery_hold_s;
    const enough = rules.recovery_min_observed_fraction * rules.recovery_hold_s;
    const isDue = due >= at && due <= Math.min(until - 1, covers_to);
    const judged = isDue ? due : at > due ? at : null;
    if (judged === null || covered(observations, judged - rules.recovery_hold_s, judged) < enough) continue;
    edges.push({ at: judged, what: 'recovered' });
    isOpen = false;
  }
  return edges;
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

function zoneOf(twice: number, rules: PegRules): string {
  const far = distance(twice, rules);
  if (far >= rules.enter_bps * REFERENCE) return 'beyond';
  return far <= rules.exit_bps * REFERENCE ? 'inside' : 'between';
}
