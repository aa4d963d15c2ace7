// Governance figures of one day straight from their definitions: whole numbers throughout, every pair of voters compared, nothing carried
// from one day to the next.
import type { GovernanceFigure, GovernanceRecord } from '../../../../schemas/governance.ts';

export const DAY = 86_400;

export interface Proposal {
  readonly id: string;
  readonly proposer: string | null;
  readonly created: number;
  readonly opens: number | null;
  /** End of the vote, and every other instant that concludes it. */
  readonly ends: readonly number[];
  readonly voteEnd?: number | null;
  readonly canceled?: number | null;
}

export interface Vote {
  readonly proposal: string;
  readonly voter: string;
  readonly at: number;
  /** In 1e-18 tokens. */
  readonly power: bigint;
}

export interface Facts {
  readonly proposals: readonly Proposal[];
  readonly votes: readonly Vote[];
  readonly electorate?: readonly { readonly at: number; readonly possible: number }[];
}

type Metrics = GovernanceRecord['governance_metrics'];
const PARTICIPATION = 30 * DAY;
const monthOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 7);
const dayOf = (at: number) => Math.floor(at / DAY) * DAY;
const distinct = (texts: readonly string[]) => new Set(texts).size;
const pairOf = ({ proposal, voter }: Vote) => `${proposal} ${voter}`;
/** Adding 0 takes the sign from a 0. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6 + 0;
const share = (part: number, whole: number) => (whole === 0 ? null : rounded(part / whole));
const SCALE = 10n ** 12n;
const ratio = (part: bigint, whole: bigint) => Number((part * SCALE) / whole) / Number(SCALE);

export function governanceOn(day: number, now: number, facts: Facts): Metrics {
  const last = Math.min(day + DAY - 1, now);
  const proposals = facts.proposals.filter(({ created }) => created <= last);
  const madeOn = new Map(proposals.map(({ id, created }) => [id, dayOf(created)]));
  const isListed = ({ at, proposal }: Vote) => (madeOn.get(proposal) ?? Infinity) <= dayOf(at);
  const votes = facts.votes.filter((vote) => vote.at <= last && isListed(vote));
  const ofMonth = votes.filter(({ at }) => monthOf(at) === monthOf(day));
  const monthProposals = distinct(ofMonth.map(({ proposal }) => proposal));
  const opened = proposals.filter((one) => isOpened(one, votes, last));
  const onEach = opened.map(({ id }) => votes.filter(({ proposal }) => proposal === id).length);
  const isClosed = ({ ends }: Proposal) => ends.some((at) => at <= last);
  const isOpen = (proposal: Proposal) => (proposal.opens ?? proposal.created) <= last && !isClosed(proposal);
  const recent = votes.filter(({ at }) => dayOf(at) > day - PARTICIPATION);
  return {
    proposal_metrics: {
      total_proposals: proposals.length,
      active_proposals: proposals.filter(isOpen).length,
      closed_proposals: proposals.filter(isClosed).length,
      monthly_proposals: proposals.filter(({ created }) => monthOf(created) === monthOf(day)).length,
    },
    participation_rate: participationOf(facts, distinct(recent.map(({ voter }) => voter)), last),
    ...powerOf(votes),
    avg_vote_per_proposal: share(votes.length, opened.length),
    avg_voter_per_proposal: share(distinct(votes.map(pairOf)), opened.length),
    avg_monthly_vote_per_proposal: share(ofMonth.length, monthProposals),
    avg_monthly_voter_per_proposal: share(distinct(ofMonth.map(pairOf)), monthProposals),
    min_votes: onEach.length === 0 ? null : Math.min(...onEach),
    max_votes: onEach.length === 0 ? null : Math.max(...onEach),
    monthly_votes: ofMonth.length,
    monthly_voters: distinct(ofMonth.map(({ voter }) => voter)),
    total_votes: votes.length,
    total_voters: distinct(votes.map(({ voter }) => voter)),
    proposal_distribution: proposalSpread(proposals),
  };
}

function isOpened(proposal: Proposal, votes: readonly Vote[], last: number): boolean {
  if (votes.some(({ proposal: id }) => id === proposal.id)) return true;
  const { created, opens, canceled } = proposal;
  return (opens ?? created) <= last && (canceled ?? Infinity) > (opens ?? last);
}

function participationOf({ electorate = [] }: Facts, voters: number, last: number): number | null {
  const reports = electorate.filter(({ at }) => at <= last).toSorted((a, b) => a.at - b.at);
  const possible = reports.at(-1)?.possible ?? 0;
  return possible < voters ? null : share(voters, possible);
}

type Usual = Pick<
  GovernanceFigure,
  'power_hhi' | 'power_gini' | 'nakamoto_coefficient' | 'top10_power_share' | 'total_power_cast'
>;

/** The usual measures of one day, from the shares of every voter. */
export function usualMeasures(day: number, now: number, facts: Facts): Usual {
  const last = Math.min(day + DAY - 1, now);
  const madeOn = new Map(facts.proposals.map(({ id, created }) => [id, dayOf(created)]));
  const votes = facts.votes.filter(
    ({ at, proposal }) => at <= last && (madeOn.get(proposal) ?? Infinity) <= dayOf(at),
  );
  const onProposal = largestPowers(votes, pairOf);
  const total_power_cast = Number(onProposal.reduce((sum, power) => sum + power, 0n)) / 1e18;
  const powers = largestPowers(votes, ({ voter }) => voter).toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  const total = powers.reduce((sum, power) => sum + power, 0n);
  if (total === 0n)
    return {
      power_hhi: null,
      power_gini: null,
      nakamoto_coefficient: null,
      top10_power_share: null,
      total_power_cast,
    };
  const first = (n: number) => powers.slice(0, n).reduce((sum, power) => sum + power, 0n);
  return {
    power_hhi: rounded(
      ratio(
        powers.reduce((sum, power) => sum + power * power, 0n),
        total * total,
      ),
    ),
    power_gini: rounded(gini(powers)),
    nakamoto_coefficient: powers.findIndex((_, index) => first(index + 1) * 2n > total) + 1,
    top10_power_share: rounded(ratio(first(10), total)),
    total_power_cast,
  };
}

function largestPowers(votes: readonly Vote[], keyOf: (vote: Vote) => string): readonly bigint[] {
  const max = new Map<string, bigint>();
  for (const vote of votes) {
    const before = max.get(keyOf(vote));
    if (before === undefined || vote.power > before) max.set(keyOf(vote), vote.power);
  }
  return [...max.values()];
}

function powerOf(votes: readonly Vote[]): Pick<Metrics, 'autocracy_rate' | 'voter_distribution'> {
  const powers = largestPowers(votes, ({ voter }) => voter);
  const total = powers.reduce((sum, power) => sum + power, 0n);
  if (total === 0n) return { autocracy_rate: null, voter_distribution: null };
  const n = powers.length;
  const squares = powers.reduce((sum, power) => sum + power * power, 0n);
  const concentration = ratio(squares, total * total);
  const autocracy = n === 1 ? 1 : (concentration - 1 / n) / (1 - 1 / n);
  return {
    autocracy_rate: rounded(autocracy),
    voter_distribution: n === 1 ? 0 : rounded(1 - gini(powers)),
  };
}

function gini(values: readonly bigint[]): number {
  const total = values.reduce((sum, value) => sum + value, 0n);
  let differences = 0n;
  for (const a of values) for (const b of values) differences += a > b ? a - b : b - a;
  return ratio(differences, 2n * BigInt(values.length) * total);
}

function proposalSpread(proposals: readonly Proposal[]): number | null {
  const made = new Map<string, bigint>();
  for (const { proposer } of proposals)
    if (proposer !== null) made.set(proposer, (made.get(proposer) ?? 0n) + 1n);
  const counts = [...made.values()];
  if (counts.length === 0 || (counts.length === 1 && counts[0] === 1n)) return null;
  return counts.length === 1 ? -1 : rounded(1 - 2 * gini(counts));
}
