// Bad rows are judged by subject (decision 60), on votes of several organisations in one file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redrive } from '../../../../jobs/commands/work.ts';
import { governance } from '../../../../jobs/governance/domain.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { preparedCopy } from '../../../support/run-folder.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 10, 9) / 1000;

const WORLD = { domains: [governance] };

let world: FileWorld;
beforeEach(() => {
  world = openFileWorld(WORLD);
});
afterEach(() => world.remove());

const proposal = (protocol: string): FileRow => ({
  protocol,
  proposal_id: '1',
  state: 'active',
  proposer: '0xa',
  created_at: NOW - 3 * DAY,
  vote_start_at: NOW - 3 * DAY,
  vote_end_at: NOW + DAY,
  decimals: 0,
});
const vote = (protocol: string, voter: number, support = 'for'): FileRow => ({
  protocol,
  proposal_id: '1',
  voter: `0x${voter}`,
  vote_id: `v${voter}`,
  support,
  power: '10',
  decimals: 0,
  voted_at: NOW - 2 * DAY,
});
/** Of `count` votes the first `bad` have a side that there is not. */
const votes = (protocol: string, count: number, bad = 0) =>
  Array.from({ length: count }, (_, at) => vote(protocol, at, at < bad ? 'maybe' : 'for'));

function deliver(rows: readonly FileRow[] | string): void {
  world.write('governance_proposal', { 'list.ndjson': ['large', 'small'].map(proposal) });
  world.write('governance_vote', { 'votes.ndjson': rows });
}

async function publish(rows: readonly FileRow[] | string, now = NOW) {
  deliver(rows);
  return world.run(now);
}

const keys = () => world.documents('governance').map(({ key }) => key);
const gate = () => world.dataset('governance').quality_gate;
const words = () => world.words('governance').join('\n');

describe('a subject of which too many rows are refused', () => {
  it('is held back alone, with its missing rows and what releases them, however large the batch', async () => {
    expect(await publish([...votes('large', 12_000), ...votes('small', 198, 114)])).toBe(4);
    expect(keys()).toEqual(['large']);
    expect(gate().verdict).toBe('warn');
    expect(words()).toMatch(
      /small: 114 of 198 rows of governance_vote from governance-vote were refused \(support: .*\); held back: deliver the rows again corrected, or run "quarantine redrive --batch [0-9a-f]+", to release it/,
    );
  });

  it('stays as it was published last, and the others go on', async () => {
    await publish([...votes('large', 300), ...votes('small', 198)]);
    const before = new Map(world.documents('governance').map(({ key, value }) => [key, value]));
    const changed = [
      ...votes('large', 400),
      ...votes('small', 250).map((row, at) => (at < 220 ? row : vote('small', at, 'maybe'))),
    ];
    expect(await publish(changed, NOW + 300)).toBe(4);
    const after = new Map(world.documents('governance').map(({ key, value }) => [key, value]));
    expect(after.get('small')).toEqual(before.get('small'));
    expect(after.get('large')).not.toEqual(before.get('large'));
  });

  it.each([
    [199, 3, false],
    [200, 2, false],
    [200, 3, true],
    [300, 3, false],
    [300, 4, true],
  ])('%i rows with %i bad ones: held back %j', async (rows, bad, isHeld) => {
    expect(await publish(votes('small', rows, bad))).toBe(isHeld ? 4 : 0);
    expect(keys().includes('small')).toBe(!isHeld);
    expect(gate().verdict).toBe('warn');
    expect(words()).toContain(`small: ${bad} of ${rows} rows of governance_vote`);
  });
});

describe('one bad row', () => {
  it('of a subject with three rows warns in a large batch, too; three of them are more than single rows', async () => {
    expect(await publish([...votes('large', 500), ...votes('small', 3, 1)])).toBe(0);
    expect(keys()).toEqual(['large', 'small']);
    expect(await publish([...votes('large', 500), ...votes('small', 8, 7)], NOW + 300)).toBe(4);
  });

  it('of 58 warns and holds nothing back, in this run and in later ones', async () => {
    const rows = [...votes('large', 40), ...votes('small', 18, 1)];
    for (const now of [NOW, NOW + 300, NOW + 600]) {
      expect(await publish(rows, now)).toBe(0);
      expect(keys()).toEqual(['large', 'small']);
      expect(gate().verdict).toBe('warn');
      expect(words()).toMatch(/small: 1 of 18 rows of governance_vote from governance-vote was refused \(/);
    }
  });
});

describe('rows whose subject cannot be read', () => {
  const lines = (good: number, broken: number) =>
    [
      ...votes('large', good).map((row) => JSON.stringify(row)),
      ...Array(broken).fill('{"protocol":"la'),
    ].join('\n');

  it('count as rows of an unknown subject, and warn', async () => {
    expect(await publish(lines(300, 1))).toBe(0);
    expect(keys()).toContain('large');
    expect(words()).toMatch(
      /unknown subject: 1 of 301 rows of governance_vote from governance-vote was refused \(/,
    );
  });

  it('hold everything back where they are more than the limit: they may be of any subject', async () => {
    expect(await publish(lines(300, 5))).toBe(4);
    expect(world.manifest().datasets['governance']).toBeUndefined();
    expect(world.log()).toContain('unknown subject: 5 of 305 rows of governance_vote');
  });
});

describe('what is held back is released', () => {
  const BAD = [...votes('large', 300), ...votes('small', 100, 20)];
  const GOOD = [...votes('large', 300), ...votes('small', 100)];
  const isReleased = () => {
    expect(keys()).toEqual(['large', 'small']);
    expect(words()).not.toContain('refused');
  };
  beforeEach(async () => {
    world.remove();
    const held = await preparedCopy('held-back-votes', async (folder) => {
      world = openFileWorld(WORLD, folder);
      expect(await publish(BAD)).toBe(4);
      expect(await publish(BAD, NOW + 300)).toBe(4);
    });
    world = openFileWorld(WORLD, held);
    deliver(BAD);
  });

  it.each([
    ['by the same file put right', () => publish(GOOD, NOW + 600)],
    ['by the same file put right in the same second', () => publish(GOOD, NOW + 300)],
    [
      'by another file with the corrected rows alone',
      () => {
        world.write('governance_vote', { 'corrected.ndjson': votes('small', 20) });
        return world.run(NOW + 600);
      },
    ],
  ])('%s', async (_how, deliver) => {
    expect(await deliver()).toBe(0);
    isReleased();
  });

  it('by the rows that are needed, and not by some of them', async () => {
    world.write('governance_vote', { 'corrected.ndjson': votes('small', 10) });
    expect(await world.run(NOW + 600)).toBe(4);
    expect(words()).toContain('small: 10 of 100 rows');
    world.write('governance_vote', { 'corrected-2.ndjson': votes('small', 20).slice(10, 19) });
    expect(await world.run(NOW + 900)).toBe(0);
    expect(keys()).toEqual(['large', 'small']);
    expect(words()).toContain('small: 1 of 100 rows');
  });

  it('not by a shorter file of the same name', async () => {
    expect(await publish(votes('large', 200), NOW + 600)).toBe(4);
    expect(keys()).toEqual(['large']);
  });

  it('by redriving with a mapping that reads them', async () => {
    world.map('governance_vote', 'support', { from: 'support', replace: { maybe: 'for' } });
    expect(await world.work(NOW + 600, (opened) => redrive(opened, null))).toBe(0);
    isReleased();
  });
});
