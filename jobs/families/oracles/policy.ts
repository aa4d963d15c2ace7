// When a feed is stale, and when markets are open.
import { written } from '../../../platform/settings/settings-error.ts';
import { definePolicy, oneRow, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';

const Seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 31_536_000, default: value, description });

const oracle = Strict({
  grace_s: Seconds(60, 'Time past the heartbeat before a feed is stale, seconds'),
  stale_high_s: Seconds(600, 'Time past heartbeat and grace at which staleness is high, seconds'),
  stale_critical_s: Seconds(3600, 'Time past heartbeat and grace at which staleness is critical, seconds'),
  // The contract (Part 6) defines these events only for feeds that back a tracked market.
  is_untracked_reported: Type.Boolean({
    default: false,
    description: 'Whether events of feeds that back no tracked market are emitted too',
  }),
});

export const oraclePolicy = definePolicy({
  section: 'oracle',
  schema: oracle,
  tables: [oneRow('oracle', oracle)],
  contradictions: ({ stale_high_s: high, stale_critical_s: critical }) =>
    high < critical
      ? []
      : [['', `stale_high_s ${high}, stale_critical_s ${critical}`, 'high before critical']],
});

const DAY = 24 * 60;
const WEEK_MINUTES = 7 * DAY;
const ALWAYS_OPEN = 'crypto';
const onWeekdays = (from: number, to: number): [number, number][] =>
  [0, 1, 2, 3, 4].map((day) => [day * DAY + from, day * DAY + to]);
const Minute = Type.Integer({ minimum: 0, maximum: WEEK_MINUTES });

const MarketHours = Strict({
  name: Type.String({
    pattern: '^[a-z0-9_/]{1,64}$',
    expected: 'a name in lower case',
    description: 'Market, as the registry of feeds names it',
  }),
  open: Type.Array(
    Type.Tuple([Minute, Minute], { expected: 'a pair [from, to] of minutes', description: 'One opening' }),
    {
      expected: 'a list of pairs [from, to], minutes since Monday 00:00 UTC',
      description: 'Weekly hours in which the market is certainly open, whatever the daylight-saving rule',
    },
  ),
});
export type MarketHours = ValuesOf<typeof MarketHours>;

export const marketHoursPolicy = definePolicy({
  section: 'market_hours',
  schema: Type.Array(MarketHours, {
    default: [
      { name: ALWAYS_OPEN, open: [[0, WEEK_MINUTES]] },
      { name: 'nyse', open: onWeekdays(14 * 60 + 30, 20 * 60) },
      { name: 'us_equities_24/5', open: [[DAY, 5 * DAY - 60 * 4]] },
      { name: 'lse', open: onWeekdays(8 * 60, 15 * 60 + 30) },
      { name: 'euronext_milan', open: onWeekdays(8 * 60, 15 * 60 + 30) },
      {
        name: 'forex',
        open: [
          [0, 4 * DAY + 21 * 60],
          [6 * DAY + 22 * 60, WEEK_MINUTES],
        ],
      },
      { name: 'precious_metals', open: onWeekdays(0, 21 * 60) },
    ],
    description: 'Weekly opening hours of the markets behind feeds, identified by name',
  }),
  lists: { '': { name: ({ name }) => String(name) } },
  contradictions: (markets) =>
    markets.flatMap(({ name, open }) => {
      const isOrdered = open.every(([from, to], index) => from < to && from >= (open[index - 1]?.[1] ?? 0));
      const expected =
        'spans in order that do not overlap, each [from, to] in minutes since Monday 00:00 UTC';
      return isOrdered ? [] : [[` ${name}`, written(open), expected]];
    }),
  tables: [
    {
      name: 'market_hours',
      columns: { name: 'VARCHAR', open_from_minute: 'BIGINT', open_to_minute: 'BIGINT' },
      rows: (markets) => {
        const isKnown = markets.some(({ name }) => name === ALWAYS_OPEN);
        const always: MarketHours = { name: ALWAYS_OPEN, open: [[0, WEEK_MINUTES]] };
        return [...markets, ...(isKnown ? [] : [always])].flatMap(({ name, open }) =>
          mergedOpenings(open).map(([open_from_minute, open_to_minute]) => ({
            name,
            open_from_minute,
            open_to_minute,
          })),
        );
      },
    },
  ],
});

/** Merges openings that touch, also across the end of the week; such an opening ends past the last minute of the week. */
export function mergedOpenings(open: MarketHours['open']): readonly (readonly [number, number])[] {
  const merged: [number, number][] = [];
  for (const [from, to] of open.filter(([from, to]) => from < to).toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  const [first] = merged;
  const last = merged.at(-1);
  if (first === undefined || last === undefined || first === last) return merged;
  if (first[0] !== 0 || last[1] !== WEEK_MINUTES) return merged;
  return [...merged.slice(1, -1), [last[0], WEEK_MINUTES + first[1]]];
}
