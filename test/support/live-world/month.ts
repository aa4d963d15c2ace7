// The script of a simulated period: what truly happens in it, which hosts are down when, and which sources read it.
import type { Truth } from './endpoints.ts';
import { type Absence, Script } from './script.ts';
import { DAY_S, HOUR_S } from './truth-finance.ts';

export const START_S = Date.parse('2026-01-01T00:00:00Z') / 1000;
export const MONTH_DAYS = 30;

/** A day of the month; a shorter period has it at the same relative position. */
const dayIn =
  (days: number) =>
  (number: number): number =>
    START_S + Math.round(((number * days) / MONTH_DAYS) * DAY_S);

/** A stablecoin leaves its peg, a feed falls silent, a protocol loses almost half of its value, and an old figure is corrected. */
export function truthOf(days: number): Truth {
  const day = dayIn(days);
  return {
    from: START_S - 3 * DAY_S,
    to: START_S + (days + 1) * DAY_S,
    feeds: {
      depeg: { from: day(12), to: day(12) + 6 * HOUR_S },
      silence: { feed: 5, from: day(20), to: day(20) + 5 * HOUR_S },
      newPhase: { feed: 6, at: day(9) },
    },
    falls: [{ protocol: 'protocol-7', at: day(18) + HOUR_S, share: 0.45 }],
    corrections: [{ day: START_S - 5 * DAY_S, at: day(22) }],
  };
}

/** Every provider is down once, for hours or for days. */
function absencesIn(days: number): readonly Absence[] {
  const day = dayIn(days);
  return [
    { endpoint: 'posts', host: 'governance.aave.com', from: day(3), to: day(6) },
    { endpoint: 'pools', from: day(7), to: day(9) },
    { endpoint: 'near', from: day(9), to: day(11) },
    { endpoint: 'payments', host: 'titanrelay.xyz', from: day(10), to: day(12) },
    { endpoint: 'node', from: day(14), to: day(14.5) },
    { endpoint: 'hub', from: day(15), to: day(17) },
    { endpoint: 'protocols', from: day(16), to: day(16.5) },
    { endpoint: 'fundamentals', from: day(21), to: day(24) },
    { endpoint: 'validator-days', from: day(20), to: day(23) },
    { endpoint: 'directory', from: day(21), to: day(22) },
    { endpoint: 'coins', from: day(20), to: day(22) },
  ];
}

const SETTLING_S = 2 * HOUR_S;

export interface ScriptOptions {
  readonly seed: number;
  readonly days: number;
  /** Troubles end some hours before the end, so that the last response is a good one. Unix seconds. */
  readonly until: number;
  /** Below 1, troubles are more frequent. */
  readonly calm?: number;
}

export const scriptOf = ({ seed, days, until, calm = 1 }: ScriptOptions): Script =>
  new Script({ seed, from: START_S + SETTLING_S, to: until, absences: absencesIn(days), calm });

const relay = {
  every: '1h',
  window: { history: '3d', step: '1d', overlap: '2h', lag: '2m' },
} as const;

/** Shipped sources, trimmed and read less often, because each reading of the month lands separately. */
export const MONTH_SOURCES = {
  'chainlink-rounds': { every: '1h' },
  'aave-markets': { every: '3h' },
  'morpho-markets': { every: '3h' },
  'morpho-vault-logs': { every: '1h' },
  'compound-governor': { every: '3h' },
  'uniswap-governor': { every: '3h' },
  'ens-governor': { every: '3h' },
  'uniswap-swaps': { every: '1h' },
  'relay-aestus': relay,
  'relay-agnostic': relay,
  'relay-flashbots': relay,
  'relay-titan': relay,
  'relay-ultrasound': relay,
  'near-blocks': { every: '3h' },
  'near-validators': { every: '3h' },
  'defillama-pools': { every: '2h' },
  repositories: {
    each: [{ repository: 'aave-dao/aave-v3-origin', name: 'Aave', kind: 'protocol' }],
    every: '12h',
  },
  'forum-posts': { each: [{ host: 'governance.aave.com', protocol: 'aave' }], every: '1h' },
  'snapshot-proposals': { each: [{ space: 'aavedao.eth', protocol: 'aave' }] },
  'snapshot-votes': { each: [{ space: 'aavedao.eth', protocol: 'aave' }] },
} as const;

export const MONTH_CONFIG = { profile: 'live', sources: MONTH_SOURCES } as const;
