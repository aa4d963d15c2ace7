// The truth about networks and forums: daily figures that are revised once, validators, and posts.
import { DAY_S, HOUR_S, times } from './truth-finance.ts';

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const dayText = (seconds: number) => iso(seconds).slice(0, 10);

export const NETWORKS = ['arbitrum', 'base', 'optimism'];
const METRICS = ['txcount', 'tvl', 'fees_paid_usd'];
const DAYS = 90;
const STAKE_DAYS = 60;
const POINT_EVERY_S = 600;

/** A figure of a past day that is corrected later. */
export interface Correction {
  readonly day: number;
  readonly at: number;
}

/** Yesterday's figure is preliminary and becomes final a day later. */
function figure(
  day: number,
  index: number,
  { now, corrections }: { now: number; corrections: readonly Correction[] },
) {
  const value = 1_000_000 * (index + 1) + (day % 97) * 1_000;
  const isPreliminary = now < day + 2 * DAY_S;
  const isCorrected = corrections.some((one) => one.day === day && one.at <= now);
  return Math.round(value * (isPreliminary ? 0.98 : 1) * (isCorrected ? 1.01 : 1));
}

export function fundamentalsAt(now: number, corrections: readonly Correction[]) {
  const today = Math.floor(now / DAY_S) * DAY_S;
  return times(DAYS, (ago) => today - (ago + 1) * DAY_S).flatMap((day) =>
    NETWORKS.flatMap((origin_key, network) =>
      METRICS.map((metric_key, metric) => ({
        metric_key,
        origin_key,
        date: dayText(day),
        value: figure(day, network * METRICS.length + metric, { now, corrections }),
      })),
    ),
  );
}

/** The row of a day appears in the night after that day. */
export function validatorDaysAt(now: number) {
  const last = Math.floor((now - 2 * HOUR_S) / DAY_S) * DAY_S;
  return times(STAKE_DAYS, (index) => last - (STAKE_DAYS - 1 - index) * DAY_S).map((day) => ({
    date: dayText(day),
    validators: 900_000 + ((day / DAY_S) % 5_000),
    entry_queue: 1_000,
    entry_wait: 2.5,
    exit_queue: 10,
    exit_wait: 0.1,
    ave_entry_churn: 256,
    ave_exit_churn: 256,
    supply: SUPPLY,
    staked_amount: 34_000_000 + ((day / DAY_S) % 5_000),
    apr: 2.6,
  }));
}

export const SUPPLY = 121_000_000;

/** A point every ten minutes of the last day. */
export function supplyPointsAt(now: number) {
  const last = Math.floor(now / POINT_EVERY_S) * POINT_EVERY_S;
  const d1 = times(144, (index) => last - (143 - index) * POINT_EVERY_S).map((at) => ({
    slot: null,
    supply: SUPPLY + ((at / POINT_EVERY_S) % 1_000),
    timestamp: iso(at),
  }));
  return { block_number: 1, d1, timestamp: iso(last) };
}

const POST_EVERY_S = 2 * HOUR_S;
const PAGE = 20;

/** When a post of a forum is written. Post ids differ between forums, so that a mix-up is noticed. */
export const postedAt = (host: string, id: number): number => id * POST_EVERY_S + host.length * 60;
export const postIdAt = (host: string, now: number): number =>
  Math.floor((now - host.length * 60) / POST_EVERY_S);
export const isShown = (id: number): boolean => id % 11 !== 0;

/** `before` includes the post it names, as the forum software does. */
export function postsAt(host: string, before: string | null, now: number) {
  const last = before === null ? postIdAt(host, now) : Math.min(Number(before), postIdAt(host, now));
  return {
    latest_posts: times(PAGE, (index) => last - index).map((id) => ({
      id,
      username: `user${id % 7}`,
      created_at: iso(postedAt(host, id)),
      raw: `Post ${id}: this proposal is great, I love the new risk parameters.`,
      post_type: 1,
      hidden: !isShown(id),
    })),
  };
}
