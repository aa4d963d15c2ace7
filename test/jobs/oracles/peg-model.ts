// A peg by its definition, observation by observation in exact integers: what the SQL models are held against.
export interface Observation {
  readonly at: number;
  /** In units of 10^-8 of the quote; the reference is 10^8. */
  readonly answer: number;
}

export interface PegRules {
  readonly enter_bps: number;
  readonly exit_bps: number;
  readonly is_downside_only: boolean;
  readonly confirm_observations: number;
  readonly confirm_spacing_s: number;
  readonly immediate_multiple: number;
  readonly recovery_hold_s: number;
  /** Observations that a stay inside the band must hold besides its first. */
  readonly enough: number;
}

export interface Edge {
  readonly at: number;
  readonly what: 'start' | 'end' | 'recovered';
}

interface Run {
  readonly zone: string;
  readonly since: number;
  readonly count: number;
}

interface Stay {
  readonly since: number;
  more: number;
}

const REFERENCE = 100_000_000;

/** Edges up to and including `last`. */
export function pegEdges(
  observations: readonly Observation[],
  rules: PegRules,
  last: number,
): readonly Edge[] {
  const edges: Edge[] = [];
  let run: Run = { zone: '', since: 0, count: 0 };
  let isDepegged = false;
  let stay = null as Stay | null;
  let isOpen = false;
  const judge = (upTo: number) => {
    if (!isOpen || stay === null || stay.since + rules.recovery_hold_s >= upTo) return;
    if (stay.more >= rules.enough) {
      edges.push({ at: stay.since + rules.recovery_hold_s, what: 'recovered' });
      isOpen = false;
    }
    stay = { since: Infinity, more: 0 };
  };
  for (const { at, answer } of observations) {
    judge(at);
    const zone = zoneOf(answer, rules);
    run = run.zone === zone ? { ...run, count: run.count + 1 } : { zone, since: at, count: 1 };
    const isLong = rules.confirm_observations === 1 || at - run.since >= rules.confirm_spacing_s;
    const isConfirmed = run.count >= rules.confirm_observations && isLong;
    const isFar = distanceE4(answer, rules) >= rules.enter_bps * rules.immediate_multiple * REFERENCE;
    if (!isDepegged && zone === 'beyond' && (isConfirmed || isFar)) {
      edges.push({ at, what: 'start' });
      [isDepegged, isOpen, stay] = [true, false, null];
    } else if (isDepegged && zone === 'inside' && isConfirmed) {
      edges.push({ at, what: 'end' });
      [isDepegged, isOpen, stay] = [false, true, { since: at, more: 0 }];
    } else if (!isDepegged && zone === 'inside') {
      stay = stay === null ? { since: at, more: 0 } : { since: stay.since, more: stay.more + 1 };
    } else stay = null;
  }
  judge(last + 1);
  return edges;
}

/** Distance that counts, times 10^4 × 10^8. */
function distanceE4(answer: number, { is_downside_only }: PegRules): number {
  const below = REFERENCE - answer;
  return (is_downside_only ? Math.max(below, 0) : Math.abs(below)) * 10_000;
}

function zoneOf(answer: number, rules: PegRules): string {
  const distance = distanceE4(answer, rules);
  if (distance >= rules.enter_bps * REFERENCE) return 'beyond';
  return distance <= rules.exit_bps * REFERENCE ? 'inside' : 'between';
}
