import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GovernanceRecord } from '../../../schemas/governance.ts';
import { expectNoLegacyData } from '../legacy-body.ts';
import { datasetOf, ServerFixture } from '../server-fixture.ts';

/** A record exactly as it appears on the wire. */
const RECORD: GovernanceRecord = {
  governance_metrics: {
    proposal_metrics: {
      total_proposals: 240,
      active_proposals: 1,
      closed_proposals: 239,
      monthly_proposals: 1,
    },
    participation_rate: 0.084975,
    autocracy_rate: 0.098548,
    avg_vote_per_proposal: 33.245833,
    avg_voter_per_proposal: 33.245833,
    avg_monthly_vote_per_proposal: null,
    avg_monthly_voter_per_proposal: null,
    min_votes: 0,
    max_votes: 81,
    monthly_votes: 0,
    monthly_voters: 0,
    total_votes: 7_979,
    total_voters: 809,
    proposal_distribution: -0.461111,
    voter_distribution: 0.017971,
  },
  timestamp: 1_738_972_800,
};
const RECORDS = [0, 1, 2].map((back) => ({ ...RECORD, timestamp: RECORD.timestamp - back * 86_400 }));

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
  await fixture.publish([datasetOf('governance', [{ key: 'aave', value: RECORDS }])]);
});
afterEach(() => fixture.remove());

test.each(['aave', 'aave?', '%61ave'])('%s returns its days in the legacy envelope', async (protocol) => {
  const answer = await fetch(`${(await fixture.serve()).url}/data/governance/${protocol}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toContain('max-age=300');
  expect(await answer.json()).toEqual({ status: true, data: RECORDS });
});

test.each([
  'Aave',
  'AAVE',
  'aave.eth',
  'aave.',
  '..%2Faave',
  'aave%2Fv3',
  'unknown',
  'aave%00',
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
])('%s is not found, with the legacy body', async (protocol) => {
  await expectNoLegacyData(await fetch(`${(await fixture.serve()).url}/data/governance/${protocol}`));
});

test('before anything is published, the endpoint is unavailable', async () => {
  const empty = await ServerFixture.create();
  const answer = await fetch(`${(await empty.serve()).url}/data/governance/aave`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ status: false, data: [] });
  await empty.remove();
});
