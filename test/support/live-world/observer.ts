// The perfect observer: what happened in a period, regardless of what was requested.
import { timeOf } from './contracts.ts';
import type { LiveWorld } from './world.ts';
import { isFinal, proposalsIn, votesIn } from './truth-governance.ts';
import { VAULTS } from './truth-lending.ts';
import { isGovernance, type PlacedLog } from './truth-logs.ts';
import { paymentsIn, RELAY_HOSTS } from './truth-relays.ts';
import { POOLS, type SwapLog, swapSays } from './truth-swaps.ts';
import { isShown, postedAt, postIdAt } from './truth-networks.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rounds of all feeds, each as address, id, answer and time. */
export const roundsWithin = ({ endpoints }: LiveWorld, { from, to }: Span): ReadonlySet<string> =>
  new Set(
    endpoints.feeds.flatMap(({ address, rounds }) =>
      rounds
        .filter(({ at }) => at >= from && at <= to)
        .map(({ id, answer, at }) => [address, id, answer, at].join(' | ')),
    ),
  );

/** Visible posts of a forum, by the time they were written. */
export function postsWithin(host: string, { from, to }: Span): ReadonlySet<string> {
  const posts = new Set<string>();
  for (let id = postIdAt(host, from); id <= postIdAt(host, to); id++)
    if (isShown(id) && postedAt(host, id) >= from) posts.add(String(postedAt(host, id)));
  return posts;
}

export const proposalsWithin = (space: string, { from, to }: Span): ReadonlySet<string> =>
  new Set(proposalsIn(space, from, to).map(({ id, created }) => [`snapshot:${id}`, created].join(' | ')));

/** Votes whose voting power is final at the end of the period. */
export const votesWithin = (space: string, { from, to }: Span): ReadonlySet<string> =>
  new Set(
    votesIn(space, from, to)
      .filter(({ proposal }) => isFinal(proposal, to))
      .map(({ id, created }) => [id, created].join(' | ')),
  );

/** Logs of the given contracts, each as transaction and index. */
const logsWithin = (
  { endpoints }: LiveWorld,
  { from, to }: Span,
  isWanted: (log: PlacedLog) => boolean,
): readonly PlacedLog[] =>
  endpoints.logs.filter(
    (one) => timeOf(one.log.block) >= from && timeOf(one.log.block) <= to && isWanted(one),
  );

/** Swaps that may be part of a sandwich. */
export const swapsWithin = (world: LiveWorld, span: Span): ReadonlySet<string> =>
  new Set(
    logsWithin(world, span, ({ log }) => 'isEnclosed' in log && log.isEnclosed === true).map(
      ({ log, transaction, index }) => [transaction, index, swapSays(log as SwapLog)].join(' | '),
    ),
  );

const isOfVault = ({ log }: PlacedLog) => VAULTS.some(({ address }) => address === log.address);

export const governorEventsWithin = (world: LiveWorld, span: Span): ReadonlySet<string> =>
  new Set(
    logsWithin(world, span, (one) => !isOfVault(one) && !POOLS.some((pool) => pool === one.log.address)).map(
      ({ transaction, index }) => `${transaction} | ${index}`,
    ),
  );

export const vaultLogsWithin = (world: LiveWorld, span: Span): ReadonlySet<string> =>
  new Set(
    logsWithin(world, span, (one) => isOfVault(one) && isGovernance(one.log)).map(
      ({ transaction, index }) => `${transaction} | ${index} | false`,
    ),
  );

/** Transactions that changed a cap or a fee. */
export const vaultChangesWithin = (world: LiveWorld, span: Span): ReadonlySet<string> =>
  new Set(
    logsWithin(world, span, (one) => isOfVault(one) && isGovernance(one.log)).map(
      ({ transaction }) => transaction,
    ),
  );

export const commitsWithin = ({ git, sources }: LiveWorld, { from, to }: Span): ReadonlySet<string> => {
  const read = sources.find(({ request }) => request?.git !== undefined)?.partitions ?? [];
  const names = new Set(read.map(({ params }) => params['repository']?.toLowerCase()));
  return new Set(
    git.commits
      .filter(({ repository, at }) => names.has(repository) && at >= from && at <= to)
      .map(({ id }) => id),
  );
};

/** The furthest that a page of a relay reaches back. */
const LONGEST_S = 90 * 86_400;

/** What relays delivered in the slots of the period. */
export const paymentsWithin = ({ from, to }: Span): ReadonlySet<string> =>
  new Set(
    [...RELAY_HOSTS].flatMap(([host, relay]) =>
      paymentsIn(host, { from: Math.max(from, to - LONGEST_S), to }).map(
        ({ slot, block_hash, builder, wei }) => [relay, slot, block_hash, builder, wei].join(' | '),
      ),
    ),
  );
