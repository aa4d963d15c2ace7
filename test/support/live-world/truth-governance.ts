// The truth about proposals and votes, served like Snapshot's hub: filtered by creation time, at most a thousand, oldest first.
import { createHash } from 'node:crypto';
import { DAY_S, HOUR_S, times } from './truth-finance.ts';

const PAGE = 1_000;
const EVERY_S = 3 * DAY_S;
const VOTING_S = 3 * DAY_S;
/** Voting power is final some time after the end. */
const COUNTING_S = HOUR_S / 2;
/** One proposal of this space has votes for several pages. */
const POPULAR = 'aavedao.eth';
const POPULAR_VOTES = 2_300;
const VOTES = 20;

const idOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;

export interface Proposal {
  readonly id: string;
  readonly space: string;
  readonly author: string;
  readonly created: number;
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly number: number;
}

export interface Vote {
  readonly id: string;
  readonly proposal: Proposal;
  readonly voter: string;
  readonly created: number;
  readonly choice: unknown;
  readonly vp: number;
}

const at = (number: number, space: string) => number * EVERY_S + (space.length % 7) * 10_000;

export function proposalsIn(space: string, from: number, to: number): readonly Proposal[] {
  const proposals: Proposal[] = [];
  for (let number = Math.floor(from / EVERY_S) - 1; at(number, space) <= to; number++) {
    const created = at(number, space);
    if (created < from) continue;
    const start = created + HOUR_S;
    proposals.push({
      id: idOf(`proposal ${space} ${number}`),
      space,
      author: idOf(`author ${number % 5}`).slice(0, 42),
      created,
      start,
      end: start + VOTING_S,
      type: number % 3 === 0 ? 'weighted' : 'basic',
      number,
    });
  }
  return proposals;
}

/** Votes cast in the period, oldest first; several may share a second. */
export function votesIn(space: string, from: number, to: number): readonly Vote[] {
  return proposalsIn(space, from - EVERY_S - VOTING_S, to)
    .flatMap((proposal) => votesOn(proposal))
    .filter(({ created }) => created >= from && created <= to)
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

const known = new Map<string, readonly Vote[]>();

function votesOn(proposal: Proposal): readonly Vote[] {
  const votes = known.get(proposal.id) ?? castOn(proposal);
  known.set(proposal.id, votes);
  return votes;
}

function castOn(proposal: Proposal): readonly Vote[] {
  const count = proposal.space === POPULAR && proposal.number % 8 === 0 ? POPULAR_VOTES : VOTES;
  return times(count, (index) => ({
    id: idOf(`vote ${proposal.id} ${index}`),
    proposal,
    voter: idOf(`voter ${proposal.id} ${index}`).slice(0, 42),
    created: proposal.start + Math.floor(((index >> 1) * VOTING_S * 2) / count),
    choice: proposal.type === 'basic' ? (index % 3) + 1 : { '1': 60, '2': 40 },
    vp: 1_234.567890123456 + index,
  }));
}

const stateAt = ({ start, end }: Proposal, now: number): string =>
  now < start ? 'pending' : now < end ? 'active' : 'closed';

export const isFinal = ({ end }: Proposal, now: number): boolean => now >= end + COUNTING_S;

interface Asked {
  readonly query: string;
  readonly variables: { readonly space: string; readonly from: number; readonly to: number };
}

export function hubAnswer(body: string, now: number): object {
  const { query, variables } = JSON.parse(body) as Asked;
  const { space, from } = variables;
  const to = Math.min(variables.to, now);
  if (query.includes('proposals('))
    return {
      data: {
        proposals: proposalsIn(space, from, to)
          .slice(0, PAGE)
          .map(({ space: id, number: _, ...proposal }) => ({
            ...proposal,
            state: stateAt(proposal as Proposal, now),
            scores_state: isFinal(proposal as Proposal, now) ? 'final' : 'pending',
            space: { id },
          })),
      },
    };
  return {
    data: {
      votes: votesIn(space, from, to)
        .slice(0, PAGE)
        .map(({ proposal, ...vote }) => ({
          ...vote,
          vp_state: isFinal(proposal, now) ? 'final' : 'pending',
          proposal: { id: proposal.id, start: proposal.start, end: proposal.end, type: proposal.type },
        })),
    },
  };
}
