// Rows of the raw table `governor_event` from the logs of a governor contract whose events are declared as by OpenZeppelin and Compound. A
// fractional vote becomes one row per side, and a governor whose clock is in seconds (ERC-6372) has times instead of blocks.
import { type Hex, parseAbi } from 'viem';
import { decodeEventLog, toEventSelector } from 'viem/utils';
import type { NodeLog } from './node-log.ts';

const ABI = parseAbi([
  'event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)',
  'event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
  'event VoteCastWithParams(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason, bytes params)',
  'event ProposalExtended(uint256 indexed proposalId, uint64 extendedDeadline)',
  'event ProposalQueued(uint256 proposalId, uint256 etaSeconds)',
  'event ProposalExecuted(uint256 proposalId)',
  'event ProposalCanceled(uint256 proposalId)',
]);

/** The topics to request from a node. */
export const GOVERNOR_TOPICS: readonly string[] = ABI.map((event) => toEventSelector(event));

export interface GovernorFacts {
  readonly protocol: string;
  /** Decimals of voting power. */
  readonly decimals: number;
  /** Seconds between blocks, from which the time of a later block is computed. */
  readonly blockSeconds: number;
}

export interface GovernorRow {
  readonly protocol: string;
  readonly event: 'created' | 'vote' | 'extended' | 'queued' | 'executed' | 'canceled';
  readonly block_number: number;
  readonly tx_hash: string;
  readonly log_index: number;
  readonly event_at: number;
  readonly proposal_id: string;
  readonly block_s: number;
  readonly decimals: number;
  readonly proposer?: string;
  readonly start_block?: string;
  readonly end_block?: string;
  readonly start_at?: string;
  readonly end_at?: string;
  readonly voter?: string;
  readonly support?: string;
  readonly power?: string;
  readonly part?: number;
  readonly repeats?: 'adds';
}

type Own = Omit<
  GovernorRow,
  'protocol' | 'block_number' | 'tx_hash' | 'log_index' | 'event_at' | 'block_s' | 'decimals'
>;

/** Compound's order, kept by OpenZeppelin; other numbers belong to votes that are counted differently. */
const SUPPORT = ['against', 'for', 'abstain'];
/** The number by which OpenZeppelin's fractional counting marks a vote that is split. */
const FRACTIONAL = 255;
const PART_BITS = 128n;
const YEAR_S = 31_622_400;

/** No rows for a log that is none of the events or does not match its declaration. `time` is the time of its block, Unix seconds. */
export function governorRows(log: NodeLog, time: number, facts: GovernorFacts): readonly GovernorRow[] {
  return ownFields(log, time).map((own) => ({
    ...own,
    protocol: facts.protocol,
    block_number: log.blockNumber,
    tx_hash: log.transactionHash,
    log_index: log.logIndex,
    event_at: time,
    block_s: facts.blockSeconds,
    decimals: facts.decimals,
  }));
}

function ownFields({ topics, data }: NodeLog, time: number): readonly Own[] {
  const decoded = decode(topics, data);
  if (decoded === null) return [];
  const { eventName, args } = decoded;
  const proposal_id = args.proposalId.toString();
  switch (eventName) {
    case 'ProposalCreated': {
      const proposer = args.proposer.toLowerCase();
      return [{ event: 'created', proposal_id, proposer, ...period(args.voteStart, args.voteEnd, time) }];
    }
    case 'VoteCast':
      return voteRows(proposal_id, { ...args, params: '0x' });
    case 'VoteCastWithParams':
      return voteRows(proposal_id, args);
    case 'ProposalExtended':
      return [{ event: 'extended', proposal_id, ...deadline(args.extendedDeadline, time) }];
    case 'ProposalQueued':
      return [{ event: 'queued', proposal_id }];
    case 'ProposalExecuted':
      return [{ event: 'executed', proposal_id }];
    case 'ProposalCanceled':
      return [{ event: 'canceled', proposal_id }];
  }
}

/** No chain has block numbers near today's Unix time, so a number within a year of the block's time is a time. */
const isTime = (clock: bigint, time: number) =>
  clock > BigInt(time - YEAR_S) && clock < BigInt(time + YEAR_S);

const period = (start: bigint, end: bigint, time: number) =>
  isTime(start, time)
    ? { start_at: start.toString(), end_at: end.toString() }
    : { start_block: start.toString(), end_block: end.toString() };

const deadline = (end: bigint, time: number) =>
  isTime(end, time) ? { end_at: end.toString() } : { end_block: end.toString() };

/**
 * One row, or one for each side of a split vote. A fractional governor counts what is left of a voter's power at each vote, so repeated
 * votes add; other governors refuse a second vote.
 */
function voteRows(
  proposal_id: string,
  {
    voter,
    support,
    weight,
    params,
  }: { readonly voter: string; readonly support: number; readonly weight: bigint; readonly params: Hex },
): readonly Own[] {
  const vote = { event: 'vote', proposal_id, voter: voter.toLowerCase(), repeats: 'adds' } as const;
  const parts = partsOf(params);
  const isSplit =
    parts !== null &&
    (support === FRACTIONAL || parts.reduce((sum, part) => sum + part, 0n) === weight) &&
    parts.some((part) => part > 0n);
  if (!isSplit)
    return [{ ...vote, support: SUPPORT[support] ?? `choice:${support}`, power: weight.toString() }];
  return parts.flatMap((power, part) =>
    power === 0n ? [] : [{ ...vote, support: SUPPORT[part] ?? '', power: power.toString(), part }],
  );
}

/** The powers against, for and abstaining: three packed numbers of 128 bits. Null if the parameters are something else. */
function partsOf(params: Hex): readonly bigint[] | null {
  if (params.length !== 2 + 3 * 32) return null;
  const packed = BigInt(params);
  const mask = (1n << PART_BITS) - 1n;
  return [packed >> (2n * PART_BITS), (packed >> PART_BITS) & mask, packed & mask];
}

function decode(topics: readonly string[], data: string) {
  try {
    return decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data: data as Hex });
  } catch {
    return null;
  }
}
