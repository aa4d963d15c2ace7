// Reads the current state of a NEAR-like chain: a sample of its blocks, or its validators with the configuration that prices their seats.
// Reading a block every 0.6 s is too much for public nodes; daily sums come from elsewhere.
import { ChainFault } from '../evm/chain-fault.ts';
import { evidencePage, rowsPage } from '../evm/chain-pages.ts';
import { chainRpc, netFaultOf } from '../evm/chain-rpc.ts';
import { type Exchange, type Rpc, recordingRpc } from '../evm/rpc.ts';
import type { Reader } from '../fetch/reader.ts';

// Checks the responses of NEAR nodes and turns them into rows. Amounts of 34 digits arrive as text and stay text.

type Fields = Readonly<Record<string, unknown>>;

type NearRow = { readonly [field: string]: string | number | null };

interface NearBlock {
  readonly height: number;
  readonly hash: string;
  /** Nanoseconds since 1970, in digits. */
  readonly time: string;
  readonly seconds: number;
  readonly gasPrice: string;
  readonly totalSupply: string;
}

const fieldsOf = (value: unknown, what: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ChainFault('shape', `${what} is missing.`);
  return value as Fields;
};

const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw new ChainFault('shape', `${what} is not a list.`);
  return value;
};

const textOf = (value: unknown, pattern: RegExp, what: string): string => {
  if (typeof value !== 'string' || !pattern.test(value))
    throw new ChainFault('shape', `${what} is not as expected.`);
  return value;
};

const countOf = (value: unknown, what: string): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new ChainFault('shape', `${what} is not a count.`);
  return value;
};

const DIGITS = /^[0-9]{1,38}$/;
const NANOSECONDS = /^[0-9]{19}$/;
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** @throws ChainFault `shape` */
function blockOf(result: unknown): NearBlock {
  const block = fieldsOf(result, 'the block');
  const header = fieldsOf(block['header'], 'the header of the block');
  const height = countOf(header['height'], 'the height');
  const time = textOf(header['timestamp_nanosec'], NANOSECONDS, 'the time of the block');
  return {
    height,
    hash: textOf(header['hash'], HASH, 'the hash of the block'),
    time,
    seconds: Number(time.slice(0, -9)),
    gasPrice: textOf(header['gas_price'], DIGITS, 'the gas price'),
    totalSupply: textOf(header['total_supply'], DIGITS, 'the total supply'),
  };
}

const LISTS = [
  'current_validators',
  'next_validators',
  'current_fishermen',
  'current_proposals',
  'prev_epoch_kickout',
] as const;

/** A list that the response lacks is null. @throws ChainFault `shape` */
function validatorsRow(
  { network, seconds }: { readonly network: string; readonly seconds: number },
  validators: unknown,
  config: unknown,
): NearRow {
  const response = fieldsOf(validators, 'the response about validators');
  const settings = fieldsOf(config, 'the protocol configuration');
  listOf(response['current_validators'], 'the list of validators');
  const lists = LISTS.map((name) => [name, listText(response[name])] as const);
  return {
    network,
    observed_at: seconds,
    epoch_height: optionalCount(response['epoch_height']),
    ...Object.fromEntries(lists),
    num_seats: optionalCount(settings['num_block_producer_seats']),
    num_validator_seats: optionalCount(settings['num_chunk_validator_seats']),
    stake_ratio_denominator: ratioDenominator(settings['minimum_stake_ratio']),
    num_shards: shardsIn(settings),
    protocol_version: optionalCount(settings['protocol_version']),
  };
}

const listText = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : null);

const optionalCount = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The 62,500 of `[1, 62500]`. */
function ratioDenominator(value: unknown): number | null {
  if (!Array.isArray(value) || value[0] !== 1) return null;
  return optionalCount(value[1]);
}

/** Account boundaries separate the shards of a layout; the layout is wrapped in an object with the name of its version. */
function shardsIn(settings: Fields): number | null {
  const layout = settings['shard_layout'];
  if (typeof layout !== 'object' || layout === null) return null;
  const [inner] = Object.values(layout) as readonly unknown[];
  const fields = typeof inner === 'object' && inner !== null ? (inner as Fields) : {};
  if (Array.isArray(fields['shard_ids'])) return fields['shard_ids'].length;
  if (Array.isArray(fields['boundary_accounts'])) return fields['boundary_accounts'].length + 1;
  return optionalCount(fields['num_shards']);
}

const READINGS = { block: sampleNearBlock, validators: readNearValidators };

export const readNear: Reader = async function* (source, { urgency }, { client, secrets, size }) {
  const { request, timeout_ms: timeoutMs } = source;
  if (request?.near === undefined) throw new Error(`Source ${source.id} reads no chain of this kind.`);
  const { url, near, headers = {} } = request;
  const network = source.facts.chain ?? 'near';
  const rpc = chainRpc(url, { client, secrets, headers, urgency, timeoutMs, size });
  const { block, rows, exchanges } = await READINGS[near.read](rpc, network).catch((error: unknown) => {
    throw netFaultOf(error);
  });
  const { height: number, hash, seconds: time } = block;
  yield evidencePage(exchanges, { url, time });
  yield rowsPage(rows, { url, time, block: { chain: network, number, hash, tag: 'final' } });
  return `block ${number}`;
};

/** Nodes of these chains take some parameters by name. */
const FINAL = { finality: 'final' } as unknown as readonly unknown[];

interface NearReading {
  readonly block: NearBlock;
  readonly rows: readonly NearRow[];
  readonly exchanges: readonly Exchange[];
}

/**
 * One row of `network_b_block` for the newest final block, without its transactions: a sample of heights, prices and supply, from which
 * nothing is summed. @throws ChainFault, RpcError
 */
export async function sampleNearBlock(node: Rpc, network: string): Promise<NearReading> {
  const { rpc, exchanges } = recordingRpc(node);
  const block = await newestFinalBlock(rpc);
  const { height, time, gasPrice, totalSupply } = block;
  const row = { network, height, block_time: time, gas_price: gasPrice, total_supply: totalSupply };
  return { block, rows: [row], exchanges };
}

const newestFinalBlock = async (rpc: Rpc): Promise<NearBlock> => blockOf((await rpc('block', FINAL)).result);

/** One row of `network_b_validators`, as of the newest final block. @throws ChainFault, RpcError */
export async function readNearValidators(node: Rpc, network: string): Promise<NearReading> {
  const { rpc, exchanges } = recordingRpc(node);
  const block = await newestFinalBlock(rpc);
  const validators = await rpc('validators', [null]);
  const config = await rpc('EXPERIMENTAL_protocol_config', FINAL);
  const row = validatorsRow({ network, seconds: block.seconds }, validators.result, config.result);
  return { block, rows: [row], exchanges };
}
