// A node of a NEAR-like chain: its validators, and its newest final block.
import { HOUR_S, times } from './truth-finance.ts';

const BLOCK_S = 0.6;
const METHOD_NOT_FOUND = -32_601;

export function nearAnswer(body: string, now: number): object {
  const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string };
  if (method === 'validators') return { jsonrpc: '2.0', id, result: validatorsAt(now) };
  if (method === 'block') return { jsonrpc: '2.0', id, result: nearBlockAt(now) };
  const error = { code: METHOD_NOT_FOUND, message: `the method ${method} does not exist` };
  return { jsonrpc: '2.0', id, error };
}

/** A final block is two blocks old. */
function nearBlockAt(now: number) {
  const height = Math.floor(now / BLOCK_S) - 2;
  const seconds = Math.floor(height * BLOCK_S);
  return {
    author: 'v0.near',
    header: {
      height,
      hash: hashOf(height),
      prev_hash: hashOf(height - 1),
      timestamp: seconds * 1e9,
      timestamp_nanosec: `${seconds}000000123`,
      gas_price: '100000000',
      total_supply: supplyAt(height),
    },
    chunks: times(6, (shard) => ({
      chunk_hash: hashOf(height * 10 + shard),
      shard_id: shard,
      height_included: height,
      gas_used: 1_000_000_000_000,
      gas_limit: 1_000_000_000_000_000,
    })),
  };
}

/** 34 digits, more than a JSON number can hold. */
export const supplyAt = (height: number): string =>
  `1291${String(height).padStart(12, '0')}000000000000000001`;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const hashOf = (number: number): string =>
  times(44, (index) => ALPHABET[(number * 31 + index * 17) % ALPHABET.length]).join('');

function validatorsAt(now: number) {
  const hour = Math.floor(now / HOUR_S);
  const epoch = Math.floor(hour / 12);
  const seats = times(5, (index) => ({
    account_id: `v${index}.near`,
    public_key: 'ed25519:x',
    is_slashed: false,
    stake: `${index + 1}00000000${epoch % 10}000000000000000000000`,
    shards: [0],
    num_produced_blocks: 100 + (hour % 12),
    num_expected_blocks: 100 + (hour % 12),
  }));
  return {
    ...{ epoch_height: epoch, epoch_start_height: epoch * 43_200, current_validators: seats },
    ...{ next_validators: seats, current_fishermen: [], current_proposals: [], prev_epoch_kickout: [] },
  };
}
