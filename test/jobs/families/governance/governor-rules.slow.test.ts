// What governors do differently, through the whole pipeline: extended deadlines, encrypted votes, votes on several sides, clocks in
// seconds, and events and sides that are not known.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { governance } from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import type { GovernanceFigure } from '../../../../schemas/governance.ts';
import { type FileRow, type FileWorld, openFileWorld } from '../../../support/file-world.ts';
import { type InputRun, runInputFolder } from '../../../support/input-folder.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`) / 1000;
const MIDNIGHT = at('00:00:00');
const EXTENDED = new URL('./extended-vote/', import.meta.url);
const ENCRYPTED = new URL('./encrypted-votes/', import.meta.url);

async function folder(url: URL, now: number, change?: (dir: string) => void): Promise<InputRun> {
  const run = await runInputFolder(url, now, change);
  onTestFinished(() => run.remove());
  return run;
}

const today = (value: unknown) => (value as readonly GovernanceFigure[])[0];
const ofRun = (run: InputRun) => today(run.value('governance-figures', 'dao'));

const lines = (name: string, change: (lines: readonly string[]) => readonly string[]) => (dir: string) => {
  const path = join(dir, name);
  const [head = '', ...rows] = readFileSync(path, 'utf8').trim().split('\n');
  writeFileSync(path, `${[head, ...change(rows)].join('\n')}\n`);
};

test.each([
  ['before the first deadline', '01:56:39', 1, 0],
  ['after the first deadline', '02:30:00', 1, 0],
  ['a second before the extended one', '02:54:59', 1, 0],
  ['after the extended deadline', '02:55:01', 0, 1],
])('an extended vote, %s', async (_when, time, active, closed) => {
  const run = await folder(EXTENDED, at(time));
  expect(run.code).toBe(0);
  expect(ofRun(run)).toMatchObject({ active_proposals: active, closed_proposals: closed });
});

test('the order of the rows does not matter, and without the extension the first deadline holds', async () => {
  const reversed = await folder(
    EXTENDED,
    at('02:30:00'),
    lines('events.csv', (rows) => rows.toReversed()),
  );
  expect(ofRun(reversed)).toMatchObject({ active_proposals: 1, closed_proposals: 0, total_votes: 2 });
  const without = lines('events.csv', (rows) => rows.filter((row) => !row.startsWith('extended')));
  expect(ofRun(await folder(EXTENDED, at('02:30:00'), without))).toMatchObject({
    active_proposals: 0,
    closed_proposals: 1,
  });
});

test('encrypted votes are counted, and the gate names the proposal whose sides are hidden', async () => {
  const run = await folder(ENCRYPTED, at('12:00:00'));
  expect(run.code).toBe(0);
  expect(ofRun(run)).toMatchObject({ total_votes: 340, min_votes: 40, max_votes: 300 });
  const [record] = run.value('governance', 'dao') as unknown as readonly { governance_metrics: object }[];
  expect(record?.governance_metrics).toMatchObject({ total_votes: 340, min_votes: 40 });
  expect(run.gateOf('governance')).toContainEqual(
    'dao: the sides of 40 votes are hidden, on 1 proposals: q1',
  );
});

test('one encrypted vote less is one vote less', async () => {
  const run = await folder(
    ENCRYPTED,
    at('12:00:00'),
    lines('votes.csv', (rows) => rows.slice(0, -1)),
  );
  expect(ofRun(run)).toMatchObject({ total_votes: 339, min_votes: 39 });
});

const vote = (change: FileRow): FileRow => ({
  protocol: 'dao',
  event: 'vote',
  block_number: 100,
  log_index: 1,
  event_at: MIDNIGHT + 1_000,
  proposal_id: '7',
  block_s: 12,
  decimals: 0,
  ...change,
});
const created: FileRow = {
  ...vote({}),
  event: 'created',
  tx_hash: '0xc',
  event_at: MIDNIGHT + 100,
  proposer: '0xp',
  start_block: 110,
  end_block: 1_000,
};

async function worldOf(rows: readonly FileRow[]): Promise<FileWorld> {
  const world = openFileWorld({ domains: [sources, governance] });
  onTestFinished(() => world.remove());
  world.write('governor_event', { 'rows.ndjson': rows });
  await world.run(at('12:00:00'));
  return world;
}

const figuresOf = (world: FileWorld) =>
  today(world.documents('governance-figures').find(({ key }) => key === 'dao')?.value);
const rowsOf = (world: FileWorld, sql: string) =>
  world.work(at('12:00:00'), ({ warehouse }) => warehouse.rows(sql));

test('a vote on three sides is one vote, and later votes of the same voter add to it', async () => {
  const split = { tx_hash: '0x1', voter: '0xaa', repeats: 'adds' };
  const world = await worldOf([
    created,
    vote({ ...split, support: 'against', power: '10', part: 0 }),
    vote({ ...split, support: 'for', power: '80', part: 1 }),
    vote({ ...split, support: 'abstain', power: '10', part: 2 }),
    vote({ tx_hash: '0x2', voter: '0xaa', repeats: 'adds', support: 'for', power: '50' }),
    vote({ tx_hash: '0x3', voter: '0xbb', support: 'against', power: '20' }),
  ]);
  expect(figuresOf(world)).toMatchObject({ total_votes: 3, total_voters: 2, total_power_cast: 170 });
  expect(
    await rowsOf(
      world,
      `select cast(max(delivered_for) as varchar) as yes, cast(max(delivered_against) as varchar) as no from derived.governance_proposal_vote`,
    ),
  ).toEqual([{ yes: `130${'0'.repeat(18)}`, no: `30${'0'.repeat(18)}` }]);
});

test('a clock in seconds is read as times, and a start more than a year away is refused with its reason', async () => {
  const start = MIDNIGHT + 200;
  const timed = { ...created, start_block: null, end_block: null, start_at: start, end_at: at('13:00:00') };
  const world = await worldOf([timed]);
  expect(figuresOf(world)).toMatchObject({ active_proposals: 1, closed_proposals: 0 });
  const wrong = { ...created, tx_hash: '0xd', proposal_id: '8', start_block: start, end_block: start + 5 };
  const refused = await worldOf([timed, wrong]);
  expect(figuresOf(refused)).toMatchObject({ total_proposals: 1 });
  expect(refused.log()).toContain(
    'start_distance_s: more than 31622400: a clock in seconds belongs in start_at',
  );
});

test('the last statement of a deadline holds, even if it is earlier', async () => {
  const extended = (log_index: number, end_block: number) =>
    vote({ event: 'extended', tx_hash: '0xe', log_index, end_block });
  const soon = await worldOf([created, extended(2, 9_000), extended(3, 200)]);
  expect(figuresOf(soon)).toMatchObject({ active_proposals: 0, closed_proposals: 1 });
  const late = await worldOf([created, extended(3, 9_000), extended(2, 200)]);
  expect(figuresOf(late)).toMatchObject({ active_proposals: 1, closed_proposals: 0 });
});

test('an event and a side that are not known are kept and named', async () => {
  const world = await worldOf([
    created,
    vote({ event: 'Vetoed', tx_hash: '0x5' }),
    vote({ tx_hash: '0x6', voter: '0xaa', support: 'maybe', power: '5' }),
  ]);
  expect(figuresOf(world)).toMatchObject({ total_proposals: 1, total_votes: 1, total_power_cast: 5 });
  expect(world.words('governance')).toEqual(
    expect.arrayContaining([
      'dao: 1 events of a kind that is not known: vetoed (1)',
      'dao: 1 votes for a side that is not known: maybe (1)',
    ]),
  );
});

test('a vote that was hidden counts once when its side is revealed', async () => {
  const hidden = { tx_hash: '0x1', voter: '0xaa', power: '5' };
  const secret = vote({ ...hidden, support: `0x${'ab'.repeat(600)}` });
  const world = await worldOf([created, secret]);
  expect(figuresOf(world)).toMatchObject({ total_votes: 1, total_power_cast: 5 });
  world.write('governor_event', { 'revealed.ndjson': [vote({ ...hidden, support: 'for' })] });
  expect(await world.run(at('12:05:00'))).toBe(0);
  expect(figuresOf(world)).toMatchObject({ total_votes: 1, total_power_cast: 5 });
  expect(
    await rowsOf(
      world,
      'select hidden_votes, cast(delivered_for as varchar) as yes from derived.governance_ballot',
    ),
  ).toEqual([{ hidden_votes: 0, yes: `5${'0'.repeat(18)}` }]);
});
