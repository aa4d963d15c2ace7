// A real server behind a proxy with faults, and the shared behaviours as tasks for a client: what it is asked to do, and what is expected.
import { expect } from 'vitest';
import { SCOPES } from '../../schemas/plans.ts';
import { makeSecret, signatureHeaders, signingKey } from '../../server/webhooks/sign.ts';
import {
  AS_OF_MS,
  coverageRow,
  datasetOf,
  eventCandidate,
  fixtureDatasets,
  isoSeconds,
  ServerFixture,
} from '../server/server-fixture.ts';
import { testWebhookOptions } from '../support/ops-store.ts';
import { type Behaviour, type Outcome, readBehaviours, type Task } from './behaviours.ts';
import { FaultProxy, type SeenRequest } from './fault-proxy.ts';

export const BEHAVIOURS = readBehaviours();
const EVENTS = 9;
const HOUR_MS = 3_600_000;

export interface PreparedBehaviour {
  readonly behaviour: Behaviour;
  readonly task: Task;
  readonly seen: readonly SeenRequest[];
}

export class BehaviourWorld {
  readonly #fixture: ServerFixture;
  readonly #proxy: FaultProxy;
  readonly #keys: Readonly<Record<string, string>>;
  readonly #events: readonly string[];

  private constructor(
    fixture: ServerFixture,
    proxy: FaultProxy,
    keys: Readonly<Record<string, string>>,
    events: readonly string[],
  ) {
    this.#fixture = fixture;
    this.#proxy = proxy;
    this.#keys = keys;
    this.#events = events;
  }

  static async start(): Promise<BehaviourWorld> {
    const fixture = await ServerFixture.create();
    const events = await published(fixture);
    const withoutScope = SCOPES.filter((scope) => scope !== 'manifest:read');
    const keys = {
      team: await fixture.key('team'),
      free: await fixture.key('free'),
      'no scope': await fixture.key('team', { scopes: withoutScope }),
      unknown: `rk_live_${'x'.repeat(38)}`,
    };
    const webhooks = testWebhookOptions({ resolve: async () => ['93.184.216.34'] });
    const { url } = await fixture.serve({ anonymousPlan: null, webhooks });
    return new BehaviourWorld(fixture, await FaultProxy.start(url), keys, events);
  }

  /** All of them, each with an address of its own. */
  prepare(): readonly PreparedBehaviour[] {
    return BEHAVIOURS.map((listed) => {
      const eventId = (_: string, n: string) => this.#events[Number(n) - 1] ?? '';
      const behaviour: Behaviour = JSON.parse(JSON.stringify(listed).replaceAll(/\$event\.(\d+)/g, eventId));
      const { address, seen } = this.#proxy.route(behaviour);
      const { key = 'team' } = behaviour;
      const delivery = behaviour.do === 'verify' ? deliveryOf(behaviour) : {};
      const task = { ...behaviour, base_url: address, key: key === null ? null : (this.#keys[key] ?? null) };
      return { behaviour, task: { ...task, ...delivery }, seen };
    });
  }

  async stop(): Promise<void> {
    this.#proxy.stop();
    await this.#fixture.remove();
  }
}

/** Two versions, an hour apart, and events. Returns the ids of these. */
async function published(fixture: ServerFixture): Promise<readonly string[]> {
  const rows = Array.from({ length: 12 }, (_, n) => coverageRow(`0x${String(n).padStart(2, '0')}`, n));
  const envelopes = await fixture.append(Array.from({ length: EVENTS }, (_, n) => eventCandidate(n)));
  for (const at of [isoSeconds(AS_OF_MS - HOUR_MS), isoSeconds(AS_OF_MS)]) {
    const coverage = [...rows, coverageRow('v', null, 'lending_vault')];
    await fixture.publish([...fixtureDatasets(at, coverage), datasetOf('corrections', [], at)], at);
  }
  return envelopes.map((envelope) => (JSON.parse(envelope) as { event_id: string }).event_id);
}

const secretOf = (bytes: number, fill: number) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const RIGHT = makeSecret((bytes) => Buffer.alloc(bytes, 5));
const SECRETS: Readonly<Record<string, string>> = {
  right: RIGHT,
  other: makeSecret((bytes) => Buffer.alloc(bytes, 6)),
  short: secretOf(23, 5),
  shortest: secretOf(24, 5),
  prefixed: `v1,${RIGHT}`,
};

function deliveryOf(behaviour: Behaviour): Partial<Task> {
  const { secrets = ['right'], signed_with = 'right', age_s = 0, leave_out = '', change_body } = behaviour;
  const now_s = AS_OF_MS / 1_000;
  const text = JSON.stringify({ event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD', type: 'oracle.stale' });
  const message = { id: 'msg_1', body: Buffer.from(text), sentSeconds: now_s - (age_s as number) };
  const signed = signatureHeaders(message, [signingKey(SECRETS[signed_with as string] ?? '')], false);
  const named = Array.from({ length: signed.length / 2 }, (_, n) => [signed[2 * n], signed[2 * n + 1]]);
  return {
    headers: Object.fromEntries(named.filter(([name]) => name !== leave_out)),
    text: change_body === true ? text.replace('oracle', 'oracles') : text,
    secrets: (secrets as string[]).map((name) => SECRETS[name] ?? ''),
    now_s,
  };
}

/** Compares what the list names, and nothing else. */
export function expectAsListed({ behaviour, seen }: PreparedBehaviour, outcome: Outcome): void {
  const { error, ...others } = behaviour.expect as { error?: { readonly message?: string } };
  const all = {
    ...outcome,
    requests: seen.length,
    last_url: seen.at(-1)?.url,
    idempotency_keys: new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size,
  };
  expect(all).toMatchObject(others);
  if (error === undefined) {
    expect(outcome).not.toHaveProperty('error');
    return;
  }
  const message = error.message === undefined ? {} : { message: expect.stringContaining(error.message) };
  expect(outcome['error']).toMatchObject({ ...error, ...message });
}
