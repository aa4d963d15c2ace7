// Raw logs of every action of a vault, through landing and models, to the envelopes in the log; and what a reorganisation does to them.
import { readFileSync, rmSync } from 'node:fs';
import { Compile } from 'typebox/compile';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DuckDb } from '../../../../jobs/engine/duckdb/session.ts';
import { renderParameters } from '../../../../jobs/engine/parameters.ts';
import { lending, lendingDetectors } from '../../../../jobs/families/lending/domain.ts';
import { VAULT_EVENTS } from '../../../../jobs/families/lending/vault-abi.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { detect, detectionWindow } from '../../../../jobs/pipeline/events/emit.ts';
import type { Json } from '../../../../platform/base/json.ts';
import { EVENT_CATALOGUE } from '../../../../schemas/events.ts';
import { openEventLog } from '../../../../snapshots/events.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { inFolder } from '../../../support/in-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { encodeLog, type Value } from './encode-log.ts';

const DAY = 86_400;
const START = 20_000 * DAY;
const FINALITY_S = 768;
const VAULT = `0x${'11'.repeat(20)}`;
const CALLER = `0x${'22'.repeat(20)}`;
const SENDER = `0x${'33'.repeat(20)}`;
const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const MARKET = `0x${'3c'.repeat(32)}`;

let world: DomainWorld;
let dir: string;
beforeEach(async () => {
  world = await openDomainWorld(lending, [sources, oracles, pools]);
  dir = temporaryFolder('vault-events');
});
afterEach(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const hex = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

function rawLog(
  action: string,
  values: readonly Value[],
  block: number,
  change: { readonly [field: string]: Json } = {},
) {
  const event = VAULT_EVENTS.find((one) => one.action === action);
  if (event === undefined) throw new Error(`no event ${action}`);
  const { topics, data } = encodeLog(event, values);
  const named = Object.fromEntries(topics.map((topic, index) => [`topic${index}`, topic]));
  return {
    chain: 'ethereum',
    vault_address: VAULT,
    block_number: block,
    block_hash: hex(block),
    block_timestamp: START + block * 12,
    tx_hash: hex(1_000_000 + block),
    log_index: 0,
    ...named,
    data,
    sender_address: SENDER,
    ...change,
  };
}

const TYPES = lendingDetectors.map(({ type }) => type).filter((type) => /^(vault|curator)\./.test(type));

interface Envelope {
  readonly event_id: string;
  readonly type: string;
  readonly severity: string;
  readonly data: { readonly [field: string]: Json };
}

/** Computes up to an instant and appends what is detected in (from, to]; answers the new envelopes. */
async function step(from: number, to: number): Promise<readonly Envelope[]> {
  await world.compute({ start: from + 1 - ((from + 1) % DAY), end: to + 1, now: to });
  const queries = TYPES.map((type) => {
    const text = readFileSync(
      new URL(`../../../../jobs/families/lending/event.${type}.sql`, import.meta.url),
      'utf8',
    );
    return {
      detector: { type },
      sql: renderParameters(text, detectionWindow({ from, to }, to)),
    };
  });
  const log = await openEventLog(inFolder(dir), []);
  const found = await detect({ rows: world.rows } as unknown as DuckDb, queries);
  return (await log.append(found, to * 1000)).map(({ envelope }) => JSON.parse(envelope));
}

const registered = () =>
  world.landRows('lending_vault', [
    { chain: 'ethereum', vault_address: VAULT, protocol: 'morpho', observed_at: START - DAY },
  ]);

const ACTIONS: readonly (readonly [
  action: string,
  values: readonly Value[],
  type: string,
  subject: string,
  params: { readonly [name: string]: Json },
])[] = [
  [
    'set_cap',
    [CALLER, MARKET, 5n],
    'vault.cap.changed',
    MARKET,
    { market_id: MARKET, new_cap: '5', old_cap: null },
  ],
  [
    'set_cap',
    [CALLER, MARKET, (1n << 256n) - 1n],
    'vault.cap.changed',
    MARKET,
    { market_id: MARKET, new_cap: ((1n << 256n) - 1n).toString(), old_cap: '5' },
  ],
  ['set_fee', [CALLER, 7n], 'vault.fee.changed', VAULT, { new_fee: '7', old_fee: null }],
  ['set_curator', [A], 'vault.curator.changed', A, { new_curator: A, old_curator: null }],
  ['set_curator', [B], 'vault.curator.changed', B, { new_curator: B, old_curator: A }],
  [
    'reallocate_supply',
    [CALLER, MARKET, 8n, 9n],
    'vault.allocation.changed',
    MARKET,
    { market_id: MARKET, supplied_assets: '8', supplied_shares: '9' },
  ],
  [
    'reallocate_withdraw',
    [CALLER, MARKET, 8n, 9n],
    'vault.allocation.changed',
    MARKET,
    { market_id: MARKET, withdrawn_assets: '8', withdrawn_shares: '9' },
  ],
  ['set_guardian', [CALLER, A], 'curator.action', A, { new_guardian: A, old_guardian: null }],
  [
    'set_is_allocator',
    [A, true],
    'curator.action',
    A,
    { allocator: A, new_is_allocator: true, old_is_allocator: null },
  ],
  [
    'set_is_allocator',
    [A, false],
    'curator.action',
    A,
    { allocator: A, new_is_allocator: false, old_is_allocator: true },
  ],
  ['submit_timelock', [3n], 'curator.action', VAULT, { pending_timelock: '3' }],
  ['set_timelock', [CALLER, 3n], 'curator.action', VAULT, { new_timelock: '3', old_timelock: null }],
  [
    'set_supply_queue',
    [CALLER, [MARKET]],
    'curator.action',
    VAULT,
    { new_supply_queue: [MARKET], old_supply_queue: null },
  ],
  [
    'set_supply_queue',
    [CALLER, []],
    'curator.action',
    VAULT,
    { new_supply_queue: [], old_supply_queue: [MARKET] },
  ],
  [
    'set_withdraw_queue',
    [CALLER, [MARKET]],
    'curator.action',
    VAULT,
    { new_withdraw_queue: [MARKET], old_withdraw_queue: null },
  ],
  ['transfer_ownership', [A, B], 'curator.action', B, { old_owner: A, new_owner: B }],
  ['update_lost_assets', [4n], 'curator.action', VAULT, { new_lost_assets: '4', old_lost_assets: null }],
];

const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** The envelope of the action at a place of the list, which is in the block after it. */
function expectedOf(index: number) {
  const [action, values, type, subject_address, params] = ACTIONS[index] ?? ACTIONS[0] ?? [];
  const timestamp = START + (index + 1) * 12;
  return {
    type,
    chain: 'ethereum',
    protocol: 'morpho',
    subject_id: `vault:ethereum:${VAULT}`,
    ts: at(timestamp),
    data: {
      vault_address: VAULT,
      caller_address: values?.[0] === CALLER ? CALLER : SENDER,
      subject_address,
      on_chain_event: action,
      block_number: index + 1,
      tx_hash: hex(1_000_001 + index),
      log_index: 0,
      timestamp,
      params,
    },
  };
}

const isTenure = ({ type }: Envelope) => type.startsWith('curator.tenure');

async function eventsOfAllActions(): Promise<readonly Envelope[]> {
  await registered();
  const rows = ACTIONS.map(([action, values], index) => rawLog(action, values, index + 1));
  await world.landRows('vault_log', rows);
  return step(-1, START + DAY);
}

describe('every action', () => {
  test('becomes its event, with its arguments, what was before, and the time of its block', async () => {
    const events = (await eventsOfAllActions()).filter((one) => !isTenure(one));
    expect(events).toHaveLength(ACTIONS.length);
    for (const index of ACTIONS.keys())
      expect(events.find(({ data }) => data['block_number'] === index + 1)).toMatchObject(expectedOf(index));
  });

  test('has the severity and the fields of the catalogue; curators come and go', async () => {
    const envelopes = await eventsOfAllActions();
    for (const { type, severity, data } of envelopes) {
      const entry = EVENT_CATALOGUE.find((one) => one.type === type);
      expect(entry?.severities).toContain(severity);
      if (entry !== undefined) expect(Compile(entry.data).Check(data)).toBe(true);
    }
    expect(envelopes.filter(isTenure).map(({ type, data }) => [type, data['curator_address']])).toEqual([
      ['curator.tenure.start', A],
      ['curator.tenure.end', A],
      ['curator.tenure.start', B],
    ]);
  });

  test('of a vault that no registry has is published without a protocol, and degraded', async () => {
    await world.landRows('vault_log', [rawLog('set_fee', [CALLER, 1n], 1)]);
    const [event] = await step(-1, START + DAY);
    expect(event).toMatchObject({
      type: 'vault.fee.changed',
      data_quality: 'degraded',
      meta: { _agentic: { quality_gate: { checks: [{ name: 'vault_unregistered' }] } } },
    });
    expect(event).not.toHaveProperty('protocol');
  });
});

describe('a reorganisation', () => {
  const log = rawLog('set_cap', [CALLER, MARKET, 5n], 1);
  const finalAt = START + 12 + FINALITY_S;
  const removal = (removed_at: number) => ({ ...log, is_removed: true, removed_at });

  test('a log is published at the second it is final and not one before', async () => {
    await world.landRows('vault_log', [log]);
    expect(await step(-1, finalAt - 1)).toEqual([]);
    expect(await step(finalAt - 1, finalAt)).toHaveLength(1);
    expect(await step(finalAt, finalAt + DAY)).toEqual([]);
  });

  test('before the log is final nothing is published, neither it nor its removal', async () => {
    await world.landRows('vault_log', [log, removal(finalAt)]);
    expect(await step(-1, finalAt + DAY)).toEqual([]);
  });

  test.each([
    ['in one go', [finalAt + DAY]],
    ['in steps', [finalAt, finalAt + 500, finalAt + DAY]],
  ])('deeper than finality is taken back by an event of its own, %s', async (_, ends) => {
    await world.landRows('vault_log', [log]);
    const removedAt = finalAt + 600;
    const envelopes = [];
    let from = -1;
    for (const to of ends) {
      if (to >= removedAt) await world.landRows('vault_log', [removal(removedAt)]);
      envelopes.push(...(await step(from, to)));
      from = to;
    }
    const [published, takenBack, ...more] = envelopes;
    expect(more).toEqual([]);
    expect(published?.['data']).not.toHaveProperty('retracts_event_id');
    expect(takenBack).toMatchObject({
      type: 'vault.cap.changed',
      ts: at(removedAt),
      data: { retracts_event_id: published?.['event_id'], block_number: 1, params: { new_cap: '5' } },
    });
  });

  test('the same log in another block is another event; what it replaces is not the removed one', async () => {
    const again = { ...log, block_number: 2, block_hash: hex(77), block_timestamp: START + 24 };
    const next = rawLog('set_cap', [CALLER, MARKET, 6n], 3);
    await world.landRows('vault_log', [log, removal(START + 40), again, next]);
    const envelopes = await step(-1, START + DAY);
    expect(envelopes.map(({ data }) => [data['block_number'], data['params']])).toEqual([
      [2, { market_id: MARKET, new_cap: '5', old_cap: null }],
      [3, { market_id: MARKET, new_cap: '6', old_cap: '5' }],
    ]);
  });
});
