// The proposals of the demo world and their votes. A proposal depends only on its protocol and number, so any interval can be generated.
// Of 251 holders a few have nearly all the power, and some have none.
import { DAY_S } from '../../../platform/base/time.ts';
import { hash, hexDigits, unit } from './scenario/hash.ts';

/** A prime, so that stepping through the holders with any stride visits each of them once. */
const HOLDERS = 251;
const MIN_VOTES = 15;
const MAX_EXTRA_VOTES = 60;
const DELAY_S = DAY_S;
const VOTING_S = 3 * DAY_S;
export const LONGEST_S = DELAY_S + VOTING_S + DAY_S;
const ONE_TOKEN = 10n ** 18n;

export interface GovernedProtocol {
  readonly protocol: string;
  /** Days from one proposal to the next. */
  readonly every_days: number;
  readonly supply_tokens: number;
  /** Eligible holders, most of whom never vote. */
  readonly possible_voters: number;
}

export interface Poll {
  readonly protocol: string;
  readonly proposal_id: string;
  readonly proposer: string;
  readonly created_at: number;
  readonly opens_at: number;
  readonly ends_at: number;
  readonly canceled_at: number | null;
  readonly votes: readonly Ballot[];
}

export interface Ballot {
  readonly voter: string;
  readonly voted_at: number;
  readonly support: 'for' | 'against' | 'abstain';
  /** In 1e-18 tokens. */
  readonly power: bigint;
}

/** Time at which the outcome of a poll is known. */
export const endOf = ({ canceled_at, ends_at }: Poll): number => canceled_at ?? ends_at;

/** Every poll of a protocol created by `to` that ends after `from`, oldest first; number 0 is created on the day `start`. */
export function* pollsBetween(
  governed: GovernedProtocol,
  seed: number,
  { start, from, to }: { readonly start: number; readonly from: number; readonly to: number },
): Generator<Poll> {
  const every = governed.every_days * DAY_S;
  const first = Math.max(0, Math.floor((from - LONGEST_S - start) / every));
  for (let number = first; start + number * every <= to; number += 1) {
    const poll = pollOf(governed, hash(seed, number), { number, day: start + number * every });
    if (poll.created_at <= to && endOf(poll) > from) yield poll;
  }
}

function pollOf(
  governed: GovernedProtocol,
  seed: number,
  { number, day }: { number: number; day: number },
): Poll {
  const created_at = day + (hash(seed, 1) % DAY_S);
  const opens_at = created_at + DELAY_S;
  const ends_at = opens_at + VOTING_S;
  const canceled_at = hash(seed, 2) % 15 === 0 ? opens_at + VOTING_S / 2 : null;
  const votes = ballotsOf(governed, seed, { opens_at, closes_at: canceled_at ?? ends_at });
  const proposer = holderOf(governed.protocol, (hash(seed, 3) % 4) ** 2);
  return {
    protocol: governed.protocol,
    proposal_id: `${number + 1}`,
    proposer,
    created_at,
    opens_at,
    ends_at,
    canceled_at,
    votes,
  };
}

function ballotsOf(
  governed: GovernedProtocol,
  seed: number,
  { opens_at, closes_at }: { opens_at: number; closes_at: number },
): readonly Ballot[] {
  const count = MIN_VOTES + (hash(seed, 4) % MAX_EXTRA_VOTES);
  const stride = 1 + (hash(seed, 5) % (HOLDERS - 1));
  const offset = hash(seed, 6) % HOLDERS;
  return Array.from({ length: count }, (_, index) => {
    const rank = (offset + index * stride) % HOLDERS;
    return {
      voter: holderOf(governed.protocol, rank),
      voted_at: opens_at + Math.floor((closes_at - opens_at) * unit(seed, 100 + index)),
      support: sideOf(unit(seed, 1_000 + index)),
      power: powerOf(governed, rank),
    };
  });
}

const sideOf = (chance: number) => (chance < 0.85 ? 'for' : chance < 0.96 ? 'against' : 'abstain');

const holderOf = (protocol: string, rank: number) => `0x${hexDigits(hash(textSeed(protocol), rank), 40)}`;

/** The holder of rank 0 has 2 % of all tokens, rank 9 a tenth of that; every seventeenth holder has delegated all its tokens. */
function powerOf({ protocol, supply_tokens }: GovernedProtocol, rank: number): bigint {
  if (rank % 17 === 16) return 0n;
  const tokens = BigInt(Math.floor((supply_tokens * 0.02) / (rank + 1)));
  return tokens * ONE_TOKEN + BigInt(hash(textSeed(protocol), 10_000 + rank)) * 10n ** 8n;
}

const textSeed = (text: string) => [...text].reduce((seed, letter) => hash(seed, letter.charCodeAt(0)), 17);
