// Plans which windows of a source to read now: pure arithmetic over its recordings. Newest first, so that lists of seven days are available
// within minutes. What has been read is not read again, apart from the overlap at the newest end.
import type { LiveSource, Partition, Span, Window, WindowRules } from './live-source.ts';
import type { Recording } from './recording.ts';

export interface PlanInput {
  readonly source: Pick<LiveSource, 'every_s' | 'window'>;
  readonly partition: Partition;
  /** Recordings of this partition, oldest first. */
  readonly recordings: readonly Recording[];
  /** Unix seconds. */
  readonly now: number;
}

/** First wait after a failure; doubled with each further one, up to an hour. */
const FIRST_WAIT_S = 60;
const MAX_WAIT_S = 3_600;
/** Windows closer together than this have nothing between them. */
const SEAM_S = 1;

/** Whether something was received that no guard doubts, or that a second reading has confirmed. */
export const isRead = ({ outcome }: Recording) => outcome === 'accepted' || outcome === 'unchanged';

/** When the partition is to be read next, Unix seconds. A failed or suspect reading is repeated sooner than scheduled. */
export function nextDue({ source, recordings, now }: Omit<PlanInput, 'partition'>): number {
  const tips = recordings.filter(({ urgency }) => urgency === 'tip');
  const last = tips.at(-1);
  if (last === undefined) return now;
  const failures = tips.length - 1 - tips.findLastIndex(isRead);
  if (failures === 0) return last.fetched_at + source.every_s;
  const wait = Math.min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (failures - 1));
  return Math.max(last.fetched_at + Math.min(wait, source.every_s), last.retry_at ?? 0);
}

/** Empty when nothing is due. */
export function planWindows(input: PlanInput): readonly Window[] {
  const { source, partition, recordings } = input;
  const isDue = nextDue(input) <= input.now;
  // Whole seconds, so that the moments between two requests do not become windows.
  const now = Math.floor(input.now);
  if (source.window === null) return isDue ? [{ partition, from: now, to: now, urgency: 'tip' }] : [];
  const windows = missing(source.window, recordings, now);
  const [tip, ...rest] = windows;
  const newest = tip === undefined || tip.to < now - source.window.lag_s ? undefined : tip;
  const history = (newest === undefined ? windows : rest).filter(
    (span) => !isRefused(span, recordings, now) && !isOpen(span, input),
  );
  return [
    ...(isDue && newest !== undefined ? [{ ...newest, partition, urgency: 'tip' as const }] : []),
    ...history.map((span) => ({ ...span, partition, urgency: 'history' as const })),
  ];
}

/** Whether a window of the past failed within the last hour: it is tried again later, so that it does not hold up the others. */
const isRefused = ({ from, to }: Span, recordings: readonly Recording[], now: number): boolean =>
  recordings.some(
    ({ urgency, outcome, window, fetched_at }) =>
      urgency === 'history' &&
      (outcome === 'failed' || outcome === 'suspect') &&
      Math.min(window.to, to) - Math.max(window.from, from) > SEAM_S &&
      fetched_at > now - MAX_WAIT_S,
  );

/** Whether a window continues after the newest block of a reading: it is read as often as the source, not on every pass. */
const isOpen = ({ from, to }: Span, { source, recordings, now }: PlanInput): boolean =>
  recordings.some(
    (one) =>
      isRead(one) &&
      one.block !== null &&
      one.window.to >= one.as_of &&
      from <= one.window.to + SEAM_S &&
      to > one.window.to + SEAM_S &&
      one.fetched_at + source.every_s > now,
  );

/** The unread parts of the last `history_s`, newest first: each at most one step long, plus an overlap with what was read before it. */
function missing(rules: WindowRules, recordings: readonly Recording[], now: number): Span[] {
  const from = now - rules.history_s;
  const read = joined(recordings.filter(isRead).map(({ window }) => window));
  const ends = new Set(read.map(({ to }) => to));
  return gaps({ from, to: now - rules.lag_s }, read)
    .flatMap((gap) => steps(gap, rules.step_s, now - tailOf(rules, recordings)))
    .map((span) =>
      ends.has(span.from) ? { ...span, from: Math.max(from, span.from - rules.overlap_s) } : span,
    )
    .reverse();
}

/** How much of the newest time belongs to one window: a window that began after the newest final block could not be read. */
function tailOf({ tail_s, step_s }: WindowRules, recordings: readonly Recording[]): number {
  const last = recordings.findLast(isRead);
  const behind = last === undefined ? 0 : Math.max(0, last.fetched_at - last.as_of);
  return tail_s === 0 ? 0 : tail_s + Math.min(behind, step_s);
}

/** Windows for a range that an operator requests, oldest first, without what has already been read. */
export function rangeWindows(
  rules: WindowRules,
  range: Span,
  { partition, recordings }: Pick<PlanInput, 'partition' | 'recordings'>,
): readonly Window[] {
  const read = joined(recordings.filter(isRead).map(({ window }) => window));
  return gaps(range, read)
    .flatMap((gap) => steps(gap, rules.step_s, range.to))
    .map((span) => ({ ...span, partition, urgency: 'history' }));
}

/** Merges spans into sorted, disjoint ones. */
export function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to + SEAM_S) result.push({ from: span.from, to: span.to });
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return result;
}

/** The parts of `range` that no span covers, oldest first. `spans` are sorted and disjoint. */
export function gaps(range: Span, spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  let from = range.from;
  for (const span of spans) {
    if (span.to <= from) continue;
    if (span.from >= range.to) break;
    if (span.from > from) result.push({ from, to: Math.min(span.from, range.to) });
    from = Math.max(from, span.to);
  }
  if (from < range.to) result.push({ from, to: range.to });
  return result.filter(({ from: start, to }) => to - start > SEAM_S);
}

/**
 * Cuts a span at multiples of `length`, so that windows of the past stay the same as time passes. What is later than `settled` stays one
 * window.
 */
function steps({ from, to }: Span, length: number, settled: number): Span[] {
  const result: Span[] = [];
  for (let start = from; start < to; ) {
    const cut = (Math.floor(start / length) + 1) * length;
    const end = cut > settled ? to : Math.min(to, cut);
    result.push({ from: start, to: end });
    start = end;
  }
  return result;
}

/** The latest time up to which a partition has been read, Unix seconds; null before the first reading. */
export function readThrough(recordings: readonly Recording[], isWindowed: boolean): number | null {
  const read = recordings.filter(isRead);
  if (read.length === 0) return null;
  return Math.max(...read.map(({ window, as_of }) => (isWindowed ? window.to : as_of)));
}
