// Rows of the raw table `governor_event` from the logs of a governor contract whose events are declared as by OpenZeppelin and Compound. A
// fractional vote becomes one row per side, and a governor whose clock is in seconds (ERC-6372) has times instead of blocks.
import { type Arguments, contractEvent, type EncodedLog } from '../../../../platform/base/contract-abi.ts';
import type { NodeLog } from './node-log.ts';

const VOTE = {
  voter: 'address indexed',
  proposalId: 'uint256',
  support: 'uint8',
  weight: 'uint256',
  reason: 'string',
} as const;
const PROPOSAL = { proposalId: 'uint256' } as const;
const CREATED = contractEvent('ProposalCreated', {
  proposalId: 'uint256',
  proposer: 'address',
  targets: ['address'],
  values: ['uint256'],
  signatures: ['string'],
  calldatas: ['bytes'],
  voteStart: 'uint256',
  voteEnd: 'uint256',
  description: 'string',
});
const VOTED = contractEvent('VoteCast', VOTE);
const VOTED_WITH_PARAMS = contractEvent('VoteCastWithParams', { ...VOTE, params: 'bytes' });
const EXTENDED = contractEvent('ProposalExtended', {
  proposalId: 'uint256 indexed',
  extendedDeadline: 'uint64',
});
const QUEUED = contractEvent('ProposalQueued', { proposalId: 'uint256', etaSeconds: 'uint256' });
const EXECUTED = contractEvent('ProposalExecuted', PROPOSAL);
const CANCELED = contractEvent('ProposalCanceled', PROPOSAL);

/** The topics to request from a node. */
export const GOVERNOR_TOPICS: readonly string[] = [
  CREATED,
  VOTED,
  VOTED_WITH_PARAMS,
  EXTENDED,
  QUEUED,
  EXECUTED,
  CANCELED,
].map(({ topic }) => topic);

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
const FRACTIONAL = 255n;
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

function ownFields(log: NodeLog, time: number): readonly Own[] {
  try {
    return fieldsOf(log, time);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
}

/** @throws RangeError for a log that does not match its declaration */
function fieldsOf(log: EncodedLog, time: number): readonly Own[] {
  switch (log.topics[0]) {
    case CREATED.topic: {
      const { proposalId, proposer, voteStart, voteEnd } = CREATED.decodeLog(log);
      return [{ event: 'created', ...proposal(proposalId), proposer, ...period(voteStart, voteEnd, time) }];
    }
    case VOTED.topic:
      return voteRows({ ...VOTED.decodeLog(log), params: '0x' });
    case VOTED_WITH_PARAMS.topic:
      return voteRows(VOTED_WITH_PARAMS.decodeLog(log));
    case EXTENDED.topic: {
      const { proposalId, extendedDeadline } = EXTENDED.decodeLog(log);
      return [{ event: 'extended', ...proposal(proposalId), ...deadline(extendedDeadline, time) }];
    }
    case QUEUED.topic:
      return [{ event: 'queued', ...proposal(QUEUED.decodeLog(log).proposalId) }];
    case EXECUTED.topic:
      return [{ event: 'executed', ...proposal(EXECUTED.decodeLog(log).proposalId) }];
    case CANCELED.topic:
      return [{ event: 'canceled', ...proposal(CANCELED.decodeLog(log).proposalId) }];
    default:
      return [];
  }
}

const proposal = (id: bigint) => ({ proposal_id: id.toString() });

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
function voteRows({
  proposalId,
  voter,
  support,
  weight,
  params,
}: Arguments<typeof VOTE> & { readonly params: string }): readonly Own[] {
  const vote = { event: 'vote', ...proposal(proposalId), voter, repeats: 'adds' } as const;
  const parts = partsOf(params);
  const isSplit =
    parts !== null &&
    (support === FRACTIONAL || parts.reduce((sum, part) => sum + part, 0n) === weight) &&
    parts.some((part) => part > 0n);
  if (!isSplit)
    return [{ ...vote, support: SUPPORT[Number(support)] ?? `choice:${support}`, power: weight.toString() }];
  return parts.flatMap((power, part) =>
    power === 0n ? [] : [{ ...vote, support: SUPPORT[part] ?? '', power: power.toString(), part }],
  );
}

/** The powers against, for and abstaining: three packed numbers of 128 bits. Null if the parameters are something else. */
function partsOf(params: string): readonly bigint[] | null {
  if (params.length !== 2 + 3 * 32) return null;
  const packed = BigInt(params);
  const mask = (1n << PART_BITS) - 1n;
  return [packed >> (2n * PART_BITS), (packed >> PART_BITS) & mask, packed & mask];
}
