// Rows of the raw table `governor_event` from the logs of a governor contract whose events are declared as by OpenZeppelin and Compound.
import { type Hex, parseAbi } from 'viem';
import { decodeEventLog, toEventSelector } from 'viem/utils';
import type { NodeLog } from './node-log.ts';

const ABI = parseAbi([
  'event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)',
  'event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
  'event VoteCastWithParams(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason, bytes params)',
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
  readonly event: 'created' | 'vote' | 'queued' | 'executed' | 'canceled';
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
  readonly voter?: string;
  readonly support?: string;
  readonly power?: string;
}

type Own = Omit<
  GovernorRow,
  'protocol' | 'block_number' | 'tx_hash' | 'log_index' | 'event_at' | 'block_s' | 'decimals'
>;

/** Compound's order, kept by OpenZeppelin; other numbers belong to votes that are counted differently. */
const SUPPORT = ['against', 'for', 'abstain'];

/** Null for a log that is none of the events or does not match its declaration. `time` is the time of its block, Unix seconds. */
export function governorRow(log: NodeLog, time: number, facts: GovernorFacts): GovernorRow | null {
  const own = ownFields(log);
  if (own === null) return null;
  return {
    ...own,
    protocol: facts.protocol,
    block_number: log.blockNumber,
    tx_hash: log.transactionHash,
    log_index: log.logIndex,
    event_at: time,
    block_s: facts.blockSeconds,
    decimals: facts.decimals,
  };
}

function ownFields({ topics, data }: NodeLog): Own | null {
  const decoded = decode(topics, data);
  if (decoded === null) return null;
  const { eventName, args } = decoded;
  const proposal_id = args.proposalId.toString();
  switch (eventName) {
    case 'ProposalCreated':
      return {
        event: 'created',
        proposal_id,
        proposer: args.proposer.toLowerCase(),
        start_block: args.voteStart.toString(),
        end_block: args.voteEnd.toString(),
      };
    case 'VoteCast':
    case 'VoteCastWithParams':
      return {
        event: 'vote',
        proposal_id,
        voter: args.voter.toLowerCase(),
        support: SUPPORT[args.support] ?? `choice:${args.support}`,
        power: args.weight.toString(),
      };
    case 'ProposalQueued':
      return { event: 'queued', proposal_id };
    case 'ProposalExecuted':
      return { event: 'executed', proposal_id };
    case 'ProposalCanceled':
      return { event: 'canceled', proposal_id };
  }
}

function decode(topics: readonly string[], data: string) {
  try {
    return decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data: data as Hex });
  } catch {
    return null;
  }
}
