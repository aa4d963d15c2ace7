// Checks the responses of NEAR nodes and turns them into rows. Amounts of 34 digits arrive as text and stay text.
import { ChainFault } from '../evm/chain-fault.ts';

type Fields = Readonly<Record<string, unknown>>;

export type NearRow = { readonly [field: string]: string | number | null };

export interface NearBlock {
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
export function blockOf(result: unknown): NearBlock {
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
export function validatorsRow(
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
