import { afterEach, beforeEach, expect, test } from 'vitest';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { type FileWorld, openFileWorld } from '../../../support/file-world.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld({ domains: [sources, governance] });
});
afterEach(() => world.remove());

const proposal = (id: number, at: number) => ({
  protocol: 'aave',
  proposal_id: String(id),
  state: 'executed',
  proposer: '0xa',
  created_at: at,
  vote_start_at: at,
  vote_end_at: at + DAY,
  executed_at: at + 2 * DAY,
  decimals: 0,
});
const vote = (id: number, voter: number, at: number) => ({
  protocol: 'aave',
  proposal_id: String(id),
  voter: `0x${voter}`,
  vote_id: `${id}-${voter}`,
  support: 'for',
  power: '10',
  decimals: 0,
  voted_at: at,
});

test.each([59, 60, 61, 400])(
  'votes on a proposal that no list has stay named after %i days',
  async (days) => {
    const at = NOW - days * DAY;
    world.write('governance_proposal', { 'list.ndjson': [proposal(1, NOW - 3 * DAY)] });
    const votes = [1, 2, 3].map((voter) => vote(1, voter, NOW - 2 * DAY));
    world.write('governance_vote', { 'votes.ndjson': [...votes, vote(7, 1, at), vote(7, 2, at)] });
    await world.run(NOW);
    expect(world.dataset('governance').quality_gate.verdict).toBe('warn');
    expect(world.words('governance')).toContain('aave: 2 of 5 votes are on proposals that are not listed: 7');
    expect(world.dataset('governance').confidence.score).toBeLessThanOrEqual(0.6);
  },
);
