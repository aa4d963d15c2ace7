// Subjects that land but are not published are named, in the gate and in the log.
import { afterEach, expect, test } from 'vitest';
import type { Domain } from '../../../../jobs/define/domain.ts';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { networkA } from '../../../../jobs/families/network-a/domain.ts';
import { oracles } from '../../../../jobs/families/oracles/domain.ts';
import { warningOf } from '../../../../jobs/pipeline/gate/silent-subjects.ts';
import { pools } from '../../../../jobs/families/pools/domain.ts';
import { restaking } from '../../../../jobs/families/restaking/domain.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { withEvents } from '../../../support/with-events.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

let world: FileWorld | null = null;
const open = (...domains: Domain[]) => {
  world = openFileWorld({ domains });
  return world;
};
afterEach(() => world?.remove());

const message = (protocol: string, at: number) => ({
  channel: 'discord',
  protocol,
  sent_at: NOW - at,
  author: `user${at}`,
  text: 'gm',
});

test('messages of a protocol that is not followed are named in gate and log; the list holds what has records', async () => {
  const bed = open(social);
  bed.write('social_message', {
    'messages.ndjson': [message('aave', 10), message('aave', 20), message('stranger', 30)],
  });
  expect(await bed.run(NOW)).toBe(0);
  const words =
    'discord stranger: 1 row of social_message landed, the newest of 2026-03-10T08:59:30Z, and no record is published';
  for (const id of ['social-scores', 'social-protocols']) {
    expect(bed.dataset(id).quality_gate.verdict).toBe('warn');
    expect(bed.words(id)).toContain(words);
  }
  expect(bed.log()).toContain(`landed but not published: social-scores: ${words}`);
  expect(bed.documents('social-protocols')).toMatchObject([
    { key: 'discord', value: [{ protocol_id: 'aave' }] },
  ]);
});

test('while a dataset has never had rows, landed subjects are named however old their rows are', async () => {
  const bed = open(...withEvents([sources, oracles, pools]));
  bed.write('feed_round', {
    'rounds.ndjson': [
      {
        chain: 'ethereum',
        feed_address: `0x${'a'.repeat(40)}`,
        round_id: '1',
        answer: '100',
        decimals: 8,
        updated_at: NOW - 60 * DAY,
      },
    ],
  });
  await bed.run(NOW);
  expect(bed.dataset('oracle-pairs')).toMatchObject({ documents: 0, quality_gate: { verdict: 'warn' } });
  expect(bed.words('oracle-pairs').join('\n')).toMatch(
    /ethereum 0xa+: 1 row of feed_round landed, the newest of 2026-01-09T09:00:00Z, and no record is published/,
  );
});

test('many subjects are one line of the log', () => {
  expect(warningOf({ id: 'x' }, ['a', 'b', 'c'])).toBe(
    'landed but not published: x: 3 subjects, the first is a',
  );
});

test('transactions without their blocks say why nothing is published', async () => {
  const bed = open(networkA);
  const rows = Array.from({ length: 219 }, (_, index) => ({
    network: 'ethereum',
    tx_hash: `0x${index}`,
    block_number: 100 + index,
    observed_at: NOW - DAY + index,
    tx_type: 2,
    input: '0x',
  }));
  bed.write('network_a_transaction', { 'transactions.ndjson': rows });
  await bed.run(NOW);
  const id = 'network-a-transaction-statistics';
  expect(bed.dataset(id)).toMatchObject({ documents: 0, quality_gate: { verdict: 'warn' } });
  expect(bed.words(id).join('\n')).toContain('ethereum: 219 rows of network_a_transaction landed');
  expect(bed.words(id)).toContain(
    'ethereum 2026-03-09: 219 transactions landed without a block of their day: no record',
  );
});

test('rows older than the seven days are reported as such', async () => {
  const bed = open(...withEvents([sources, oracles, pools, restaking]));
  const state = (protocol: string, days: number) => ({
    protocol,
    observed_at: NOW - days * DAY,
    total_restaked_usd: 5,
  });
  bed.write('restaking_state', { 'states.ndjson': [state('Renzo', 0), state('Eigen', 600)] });
  await bed.run(NOW);
  expect(bed.words('restaking-week').join('\n')).toMatch(
    /eigen: 1 row of restaking_state landed, the newest of 2024-\S+, older than the seven days, and no record is published/,
  );
});

test('votes on unlisted proposals are votes of a protocol without a record', async () => {
  const bed = open(sources, governance);
  bed.write('governance_vote', {
    'votes.ndjson': [
      {
        protocol: 'aave',
        proposal_id: '1',
        voter: '0x1',
        vote_id: '1',
        support: 'for',
        power: '1',
        decimals: 0,
        voted_at: NOW - DAY,
      },
    ],
  });
  await bed.run(NOW);
  expect(bed.dataset('governance')).toMatchObject({ documents: 0, quality_gate: { verdict: 'warn' } });
  expect(bed.words('governance').join('\n')).toContain('aave: 1 row of governance_vote landed');
});
