// The contract logs on the chain: proposals and votes of governors, the governance of vaults, and swaps of pools.
import { type Hex, parseAbi } from 'viem';
import { encodeAbiParameters, encodeEventTopics } from 'viem/utils';
import { SHIPPED_SOURCES } from '../../../jobs/sources/live/shipped/shipped.ts';
import { addressOf, blockAt, type ContractLog, hashOf } from './contracts.ts';
import { VAULTS } from './truth-lending.ts';
import { DAY_S, HOUR_S, times } from './truth-finance.ts';
import { swapLogs } from './truth-swaps.ts';

const GOVERNOR_ABI = parseAbi([
  'event ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)',
  'event VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
  'event ProposalExecuted(uint256 proposalId)',
]);
const VAULT_ABI = parseAbi([
  'event SetCap(address indexed caller, bytes32 indexed id, uint256 cap)',
  'event SetFee(address indexed caller, uint256 newFee)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
]);

const GOVERNORS = ['compound-governor', 'uniswap-governor', 'ens-governor'];
const PROPOSAL_EVERY_S = 4 * DAY_S;
const VOTES = 6;
const VOTING_BLOCKS = 19_710;

export interface PlacedLog {
  readonly log: ContractLog;
  /** Index in its block. */
  readonly index: number;
  /** Unique per log. */
  readonly transaction: Hex;
}

/** In chain order. */
export function logsIn(from: number, to: number): readonly PlacedLog[] {
  const logs = [...governorLogs(from, to), ...vaultLogs(from, to), ...swapLogs(from, to)];
  const blocks = Map.groupBy(
    logs.sort((a, b) => a.block - b.block),
    ({ block }) => block,
  );
  return [...blocks.values()].flatMap((own) =>
    own.map((log, index) => ({ log, index, transaction: hashOf(`transaction ${log.block} ${index}`) })),
  );
}

const NOT_GOVERNANCE = new Set(encodeEventTopics({ abi: VAULT_ABI, eventName: 'Deposit' }).slice(0, 1));
export const isGovernance = ({ topics }: ContractLog): boolean => !NOT_GOVERNANCE.has(topics[0] ?? '0x');

const contractsOf = (source: string) =>
  (SHIPPED_SOURCES[source]?.request?.chain?.contracts ?? []).map((one) => one.toLowerCase());

const governorLogs = (from: number, to: number): ContractLog[] =>
  GOVERNORS.flatMap((source, index) => {
    const address = contractsOf(source).at(-1) ?? '';
    const proposals: ContractLog[] = [];
    for (let number = Math.ceil(from / PROPOSAL_EVERY_S); number * PROPOSAL_EVERY_S <= to; number++)
      proposals.push(
        ...proposalLogs(address, { number, time: number * PROPOSAL_EVERY_S + index * HOUR_S, to }),
      );
    return proposals;
  });

function proposalLogs(
  address: string,
  { number, time, to }: { readonly number: number; readonly time: number; readonly to: number },
): ContractLog[] {
  const id = BigInt(number);
  const block = blockAt(time);
  const created = logOf(address, block, 'ProposalCreated', {}, [
    id,
    addressOf(`proposer ${number}`),
    ...[[], [], [], []],
    BigInt(block + 10),
    BigInt(block + VOTING_BLOCKS),
    `Proposal ${number}`,
  ]);
  const votes = times(VOTES, (index) =>
    logOf(
      address,
      block + 100 + index * 1_500,
      'VoteCast',
      { voter: addressOf(`voter ${number} ${index}`) },
      [id, index % 3, 10n ** 18n * BigInt(index + 1) + 1n, ''],
    ),
  );
  const executed = logOf(address, block + VOTING_BLOCKS + 500, 'ProposalExecuted', {}, [id]);
  return [created, ...votes, executed].filter((log) => log.block <= blockAt(to));
}

type EventName = 'ProposalCreated' | 'VoteCast' | 'ProposalExecuted' | 'SetCap' | 'SetFee' | 'Deposit';
const ABI = [...GOVERNOR_ABI, ...VAULT_ABI];

function logOf(
  address: string,
  block: number,
  eventName: EventName,
  indexed: object,
  values: readonly unknown[],
): ContractLog {
  const event = ABI.find(({ name }) => name === eventName);
  const inputs = (event?.inputs ?? []).filter((input) => !('indexed' in input && input.indexed));
  return {
    address,
    block,
    topics: encodeEventTopics({ abi: ABI, eventName, args: indexed as never }) as Hex[],
    data: encodeAbiParameters(inputs, values as never),
  };
}

/** Caps change twice a day, a fee now and then; deposits are not governance. */
function vaultLogs(from: number, to: number): ContractLog[] {
  const logs: ContractLog[] = [];
  for (let half = Math.ceil(from / (DAY_S / 2)); half * (DAY_S / 2) <= to; half++) {
    const vault = VAULTS[half % VAULTS.length];
    if (vault === undefined) continue;
    const [block, caller] = [blockAt(half * (DAY_S / 2)) + 3, vault.curator];
    const cap = BigInt(half % 50) * 10n ** 12n + 1n;
    logs.push(logOf(vault.address, block, 'SetCap', { caller, id: vault.queue[0] ?? hashOf('x') }, [cap]));
    if (half % 5 === 0)
      logs.push(logOf(vault.address, block + 1, 'SetFee', { caller }, [BigInt(half % 10) * 10n ** 16n]));
    logs.push(logOf(vault.address, block + 2, 'Deposit', { sender: caller, owner: caller }, [1n, 1n]));
  }
  return logs;
}
