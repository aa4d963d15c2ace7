import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { governance, governanceRecords } from '../../../../jobs/families/governance/domain.ts';
import { sources } from '../../../../jobs/families/sources/domain.ts';
import { doubtsAbout } from '../../../../jobs/pipeline/gate/audit.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { DAY, type Facts, governanceOn, type Proposal, type Vote } from './governance-model.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Line = { readonly [column: string]: string };
const SECONDS_PER_BLOCK = 13.3;
const seconds = (text: string) => Date.parse(text) / 1000;

function lines(file: string): readonly Line[] {
  const [head = '', ...rows] = readFileSync(realData(`governance/${file}`), 'utf8')
    .trim()
    .split(/\r?\n/);
  const columns = head.split(',');
  return rows.map((row) =>
    Object.fromEntries(row.split(',').map((cell, index) => [columns[index] ?? '', cell])),
  );
}

/** `78304.51637492934`, `1e-05` -> 1e-18 tokens, digit by digit. */
function wei(text: string): bigint {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', part = ''] = digits.split('.');
  const shift = 18 + Number(exponent) - part.length;
  return shift >= 0
    ? BigInt(whole + part) * 10n ** BigInt(shift)
    : BigInt(whole + part) / 10n ** BigInt(-shift);
}

function aave(): Facts {
  const proposals = lines('aave-v3-proposals.csv').map((row): Proposal => {
    const at = (column: string) => Number(row[column]);
    const ends = ['vote_end', 'canceled_at', 'queuing_time'].map(at).filter((time) => time > 0);
    const opens = at('vote_start') || null;
    const id = row['proposal_id'] ?? '';
    const canceled = at('canceled_at') || Infinity;
    const proposer = row['creator']?.toLowerCase() ?? null;
    return { id, proposer, created: at('creation_time'), opens, ends, canceled };
  });
  const votes = new Map<string, Vote>();
  for (const row of lines('aave-v3-votes.csv')) {
    const [proposal = '', voter = ''] = [row['proposal_id'], row['voter']?.toLowerCase()];
    const at = Number(row['vote_end']);
    votes.set(`${proposal} ${voter} ${row['tx_hash']}`, {
      proposal,
      voter,
      at,
      power: wei(row['voting_power'] ?? ''),
    });
  }
  return { proposals, votes: [...votes.values()] };
}

function alpha(file: string): Facts {
  const rows = lines(file);
  const at = (row: Line) => seconds(`${row['timestamp']}Z`);
  const later = (row: Line, block: string) =>
    at(row) + Math.round((Number(row[block]) - Number(row['block_number'])) * SECONDS_PER_BLOCK);
  const created = rows.filter((row) => row['event_name'] === 'ProposalCreated');
  const proposals = created.map((row): Proposal => {
    const ended = rows.filter(
      (other) => other['id'] === row['id'] && /Queued|Executed|Canceled/.test(other['event_name'] ?? ''),
    );
    return {
      id: row['id'] ?? '',
      proposer: row['proposer']?.toLowerCase() ?? null,
      created: at(row),
      opens: later(row, 'startBlock'),
      ends: [later(row, 'endBlock'), ...ended.map(at)],
      canceled: Math.min(...ended.filter((one) => one['event_name'] === 'ProposalCanceled').map(at)),
    };
  });
  const votes = rows
    .filter((row) => row['event_name'] === 'VoteCast')
    .map((row): Vote => {
      const [proposal = '', voter = ''] = [row['proposalId'], row['voter']?.toLowerCase()];
      return { proposal, voter, at: at(row), power: BigInt(row['votes'] ?? '0') };
    });
  return { proposals, votes };
}

type Record = { readonly timestamp: number; readonly governance_metrics: unknown };
const FIRST = seconds('2020-01-01T00:00:00Z');
const dayStart = (at: number) => at - (at % DAY);

describeRealData('the governors of Aave, Compound and Uniswap', () => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(governance, [sources]);
    const receipts = await world.landExample('governance');
    expect(
      receipts.map(({ rows_in, rows_landed, rows_quarantined }) => [rows_in, rows_landed, rows_quarantined]),
    ).toEqual([
      [240, 240, 0],
      [8_014, 8_010, 0],
      [2_532, 2_532, 0],
      [1_061, 1_061, 0],
      [5, 5, 0],
    ]);
  });
  afterAll(() => world.close());

  let processedTo = FIRST;
  type Way = 'in one pass' | 'on from what was computed before';
  async function computeTo(now: number, way: Way = 'in one pass'): Promise<void> {
    const start = way === 'in one pass' || now < processedTo ? FIRST : dayStart(processedTo);
    await world.compute({ start, end: now + 1, now });
    processedTo = now;
  }

  const recordsOf = async (protocol: string) =>
    (await world.document(governanceRecords, protocol)) as readonly Record[] | null;
  /** What the definitions say of the last seven days, newest first. */
  const expected = (now: number, facts: Facts): readonly Record[] =>
    [0, 1, 2, 3, 4, 5, 6].map((back) => {
      const day = dayStart(now) - back * DAY;
      return { timestamp: day, governance_metrics: governanceOn(day, now, facts) };
    });

  const compound = () => alpha('compound-governor-alpha.csv');
  const uniswap = () => alpha('uniswap-governor-alpha.csv');
  test.each<[protocol: string, now: string, way: Way, facts: () => Facts]>([
    ['compound', '2020-07-05T16:02:40Z', 'in one pass', compound],
    ['uniswap', '2020-10-26T09:00:00Z', 'on from what was computed before', uniswap],
    ['compound', '2021-03-31T23:59:59Z', 'in one pass', compound],
    ['uniswap', '2021-06-17T20:56:46Z', 'in one pass', uniswap],
    ['aave', '2024-03-02T00:00:00Z', 'on from what was computed before', aave],
    ['aave', '2024-09-16T12:00:00Z', 'on from what was computed before', aave],
    ['aave', '2025-02-09T23:59:59Z', 'in one pass', aave],
  ])(
    '%s as of %s, computed %s, has the figures of their definitions on each of seven days',
    async (protocol, text, way, facts) => {
      const now = seconds(text);
      await computeTo(now, way);
      expect(await recordsOf(protocol)).toEqual(expected(now, facts()));
    },
  );

  test('a walk day by day over the week gives the same figures as one pass', async () => {
    const now = seconds('2025-02-09T23:59:59Z');
    const first = seconds('2025-02-02T00:00:00Z');
    await world.compute({ start: FIRST, end: first, now: first - 1 });
    for (let day = first; day <= now; day += DAY)
      await world.compute({ start: day, end: day + DAY, now: day + DAY - 1 });
    processedTo = now;
    expect(await recordsOf('aave')).toEqual(expected(now, aave()));
  });

  test('names the five proposals whose votes do not add up, and is less sure for it', async () => {
    const now = seconds('2025-02-09T23:59:59Z');
    await computeTo(now);
    const findings = await world.audit({ start: FIRST, end: now + 1, now });
    const doubts = doubtsAbout(findings, new Set(['derived.governance_proposal_vote']));
    expect(doubts).toEqual([
      {
        reason:
          'aave: the votes of 5 of 240 proposals do not add up to their tallies: 6 (with repeated votes), 53, 134, 165, 237',
        weight: 5 / 240,
      },
    ]);
  });

  test('a vote that is still on is not held against its tally', async () => {
    const now = seconds('2024-01-21T00:00:00Z');
    await computeTo(now);
    const found = await world.audit({ start: FIRST, end: now + 1, now });
    expect(found.map(({ audit }) => audit)).toEqual(['derived.governance_record.audit']);
  });

  test('protocols of which nothing was heard for 90 days have no records', async () => {
    const lastHeard = dayStart(seconds('2021-03-30T11:38:04Z'));
    const daysAt = async (now: number) => {
      await computeTo(now, 'on from what was computed before');
      return (await recordsOf('compound'))?.length ?? 0;
    };
    expect(await daysAt(lastHeard + 91 * DAY - 1)).toBe(7);
    // Today has none then, and the week ends with yesterday.
    expect(await daysAt(lastHeard + 91 * DAY)).toBe(7);
    expect(await daysAt(lastHeard + 92 * DAY)).toBe(6);
    expect(await daysAt(lastHeard + 98 * DAY)).toBe(0);
  });
});
