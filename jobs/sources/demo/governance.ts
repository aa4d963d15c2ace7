// Governance of the demo world: proposals when created and, with their tally, when they end; votes as they are cast; and a daily report of
// the electorate.

import { DAY_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { hash } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';
import { type Ballot, endOf, type GovernedProtocol, type Poll, pollsBetween } from './governance-polls.ts';

const FACTS = { kind: 'simulated', url: null, chain: null, license: null } as const;
const MIN_DAYS = 9;
/** Days before the first day, so that months and the thirty-day participation are complete from the start. */
const DAYS_BEFORE = 62;
const DECIMALS = 18;

const PROTOCOLS: readonly GovernedProtocol[] = [
  { protocol: 'aave', every_days: 2, supply_tokens: 16_000_000, possible_voters: 168_000 },
  { protocol: 'arbitrum', every_days: 4, supply_tokens: 10_000_000_000, possible_voters: 1_250_000 },
  { protocol: 'balancer', every_days: 3, supply_tokens: 96_000_000, possible_voters: 47_000 },
  { protocol: 'compound', every_days: 3, supply_tokens: 10_000_000, possible_voters: 213_000 },
  { protocol: 'curve', every_days: 2, supply_tokens: 3_030_000_000, possible_voters: 88_000 },
  { protocol: 'frax', every_days: 4, supply_tokens: 100_000_000, possible_voters: 14_000 },
  { protocol: 'gmx', every_days: 6, supply_tokens: 10_000_000, possible_voters: 95_000 },
  { protocol: 'lido', every_days: 5, supply_tokens: 1_000_000_000, possible_voters: 47_500 },
  { protocol: 'makerdao', every_days: 2, supply_tokens: 977_631, possible_voters: 96_000 },
  { protocol: 'optimism', every_days: 7, supply_tokens: 4_294_967_296, possible_voters: 1_190_000 },
  { protocol: 'pendle', every_days: 7, supply_tokens: 281_500_000, possible_voters: 58_000 },
  { protocol: 'uniswap', every_days: 7, supply_tokens: 1_000_000_000, possible_voters: 382_000 },
  { protocol: 'yearn', every_days: 9, supply_tokens: 36_666, possible_voters: 57_000 },
];

export function governanceDemoSources(settings: DemoSettings): readonly Source[] {
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS) + DAYS_BEFORE);
  const polls = (interval: Interval) => pollsIn(settings.seed, start, interval);
  const source = (id: string, table: string, deliver: (interval: Interval) => ColumnsDelivery): Source => ({
    facts: { ...FACTS, id: `demo-${id}`, name: `Demo world (simulated): ${id.replaceAll('-', ' ')}` },
    table,
    async *deliveries(interval) {
      const delivery = deliver(interval);
      if (delivery.count > 0) yield delivery;
    },
  });
  return [
    source('governance-proposals', 'governance_proposal', (interval) =>
      proposalDelivery(polls(interval), interval),
    ),
    source('governance-votes', 'governance_vote', (interval) => voteDelivery(polls(interval), interval)),
    source('governance-electorates', 'governance_electorate', (interval) =>
      electorateDelivery(settings.seed, start, interval),
    ),
  ];
}

const pollsIn = (seed: number, start: number, { from, to }: Interval): readonly Poll[] =>
  PROTOCOLS.flatMap((governed, index) => [
    ...pollsBetween(governed, hash(seed, 3_000 + index), { start, from, to }),
  ]);

/** A proposal is reported when it is created, and again with its tally when it ends. */
function proposalDelivery(polls: readonly Poll[], { from, to }: Interval): ColumnsDelivery {
  const isNew = (at: number) => at > from && at <= to;
  const rows = polls.flatMap((poll) => [
    ...(isNew(poll.created_at) ? [{ poll, isOver: false }] : []),
    ...(isNew(endOf(poll)) ? [{ poll, isOver: true }] : []),
  ]);
  const column = <T>(value: (row: (typeof rows)[number]) => T) => rows.map(value);
  const tally = (side: Ballot['support']) =>
    column(({ poll, isOver }) => (isOver ? String(sumOf(poll, side)) : null));
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      protocol: column(({ poll }) => poll.protocol),
      proposal_id: column(({ poll }) => poll.proposal_id),
      state: column(({ isOver }) => (isOver ? 'over' : 'made')),
      proposer: column(({ poll }) => poll.proposer),
      created_at: column(({ poll }) => poll.created_at),
      vote_start_at: column(({ poll }) => poll.opens_at),
      vote_end_at: column(({ poll }) => poll.ends_at),
      canceled_at: column(({ poll, isOver }) => (isOver ? poll.canceled_at : null)),
      for_votes: tally('for'),
      against_votes: tally('against'),
      decimals: column(() => DECIMALS),
    },
  };
}

const sumOf = ({ votes }: Poll, side: Ballot['support']) =>
  votes.filter(({ support }) => support === side).reduce((sum, { power }) => sum + power, 0n);

function voteDelivery(polls: readonly Poll[], { from, to }: Interval): ColumnsDelivery {
  const rows = polls.flatMap((poll) =>
    poll.votes
      .filter(({ voted_at }) => voted_at > from && voted_at <= to)
      .map((vote) => ({ ...vote, protocol: poll.protocol, proposal_id: poll.proposal_id })),
  );
  const column = <T>(value: (row: (typeof rows)[number]) => T) => rows.map(value);
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      protocol: column(({ protocol }) => protocol),
      proposal_id: column(({ proposal_id }) => proposal_id),
      voter: column(({ voter }) => voter),
      vote_id: column(({ proposal_id, voter }) => `${proposal_id}.${voter.slice(2, 10)}`),
      support: column(({ support }) => support),
      power: column(({ power }) => String(power)),
      decimals: column(() => DECIMALS),
      voted_at: column(({ voted_at }) => voted_at),
    },
  };
}

/** Reports an electorate whose number of holders changes by a few per thousand from day to day. */
function electorateDelivery(seed: number, start: number, { from, to }: Interval): ColumnsDelivery {
  const rows: { governed: GovernedProtocol; day: number; possible_voters: number }[] = [];
  const after = Math.max(start - 1, from);
  for (let day = after - (after % DAY_S) + DAY_S; day <= to; day += DAY_S) {
    for (const [index, governed] of PROTOCOLS.entries()) {
      const drift = (hash(hash(seed, 3_100 + index), day / DAY_S) % 1_000) / 200_000;
      rows.push({ governed, day, possible_voters: Math.round(governed.possible_voters * (1 + drift)) });
    }
  }
  const column = <T>(value: (row: (typeof rows)[number]) => T) => rows.map(value);
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      protocol: column(({ governed }) => governed.protocol),
      observed_at: column(({ day }) => day),
      possible_voters: column(({ possible_voters }) => possible_voters),
      supply: column(({ governed }) => `${governed.supply_tokens}${'0'.repeat(DECIMALS)}`),
      decimals: column(() => DECIMALS),
    },
  };
}
