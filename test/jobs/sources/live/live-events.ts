// Events of a simulated month: each is about something that truly happened, reported at the right second.
import { expect } from 'vitest';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { START_S, truthOf } from '../../../support/live-world/month.ts';
import { vaultChangesWithin } from '../../../support/live-world/observer.ts';
import { staleSpan } from '../../../support/live-world/truth-feeds.ts';
import { DAY_S, HOUR_S } from '../../../support/live-world/truth-finance.ts';
import type { LiveWorld } from '../../../support/live-world/world.ts';
import { type LoggedEvent, publishedEvents } from '../../../support/pipeline-world.ts';
import type { Month } from './live-tables.ts';

/** What truly happens, by the type and subject of the events. */
const INCIDENTS: readonly RegExp[] = [
  /^peg\.depeg\.(start|end|recovered) peg:ethereum:usdc\b/i,
  /^oracle\.(stale|classification\.changed) oracle:ethereum:0xa+6:/,
  /^risk\.anomaly anomaly:tvl_drop:.*:protocol-7:/,
  /^(vault\.(cap|fee)\.changed|curator\.(action|tenure\.start)) /,
];

/** Expects that every event is about something that happened, and that the depeg and the stale feed are reported at the right second. */
export function expectTrueEvents({ world }: Month, dir: string, days: number): void {
  const events = publishedEvents(dir).map(({ value }) => value);
  console.info(`${events.length} events compared`);
  const named = events.map(({ type, subject_id }) => `${type} ${subject_id}`);
  expect(named.filter((one) => !INCIDENTS.some((incident) => incident.test(one)))).toEqual([]);
  expect(named.filter((one) => one.startsWith('peg.depeg.start'))).toHaveLength(1);
  const { grace_s, stale_high_s, stale_critical_s } = DEFAULT_POLICY.oracle;
  const { from, to } = staleSpan(world.endpoints.feeds, truthOf(days).feeds.silence, grace_s);
  const reported = (wanted: string) =>
    events.filter(({ type }) => type === wanted).map(({ ts, severity }) => [severity, Date.parse(ts) / 1000]);
  expect(reported('oracle.stale')).toEqual([
    ['warn', from],
    ['high', from - 1 + stale_high_s],
    ['critical', from - 1 + stale_critical_s],
  ]);
  expect(reported('oracle.classification.changed').map(([, at]) => at)).toEqual([from, to]);
  expectVaultEvents(world, events, days);
}

/** Expects every change of a cap or fee to be reported once, identified by its transaction. */
function expectVaultEvents(world: LiveWorld, events: readonly LoggedEvent['value'][], days: number): void {
  const reported = events
    .filter(({ type }) => type.startsWith('vault.'))
    .map(({ data }) => String(data['tx_hash']));
  const endS = START_S + days * DAY_S;
  const all = vaultChangesWithin(world, { from: 0, to: endS });
  const wanted = vaultChangesWithin(world, { from: START_S + HOUR_S, to: endS - 4 * HOUR_S });
  const held = new Set(reported);
  expect(reported.length).toBe(held.size);
  expect([...wanted].filter((one) => !held.has(one))).toEqual([]);
  expect([...held].filter((one) => !all.has(one))).toEqual([]);
}
