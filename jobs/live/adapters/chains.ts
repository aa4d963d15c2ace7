// Chains themselves, read over public nodes without a key. An operator's own node goes first, as the `url` of the request.
import type { ChainSection } from '../chain-section.ts';
import type { LiveSection } from '../section.ts';

const ETHEREUM_NODE = 'https://ethereum-rpc.publicnode.com';
const ETHEREUM: Pick<ChainSection, 'id' | 'nodes'> = {
  id: 1,
  nodes: ['https://eth.drpc.org', 'https://eth.llamarpc.com'],
};

/** Readings of chains deliver rows whose members are the raw fields. */
const same = (...fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, field]));

export const CHAINS: { readonly [id: string]: LiveSection } = {
  'chainlink-rounds': {
    table: 'feed_round',
    name: 'Chainlink feeds on Ethereum',
    url: 'https://docs.chain.link/data-feeds',
    license: 'facts',
    chain: 'ethereum',
    request: {
      url: ETHEREUM_NODE,
      chain: {
        ...ETHEREUM,
        read: 'feed_rounds',
        directory: 'https://reference-data-directory.vercel.app/feeds-mainnet.json',
      },
    },
    every: '5m',
    window: { history: '30d', step: '30d', overlap: '1h' },
    guards: { min_records: 0 },
    format: 'ndjson',
    fields: same('chain', 'feed_address', 'round_id', 'answer', 'decimals', 'updated_at'),
  },
  'ethereum-blocks': {
    table: 'network_a_block',
    name: 'Blocks of Ethereum',
    license: 'facts',
    chain: 'ethereum',
    request: { url: ETHEREUM_NODE, chain: { ...ETHEREUM, read: 'blocks' } },
    every: '5m',
    window: { history: '1h', step: '5m', overlap: '1m' },
    guards: { min_records: 0, max_bytes: 50_000_000 },
    format: 'ndjson',
    where: { table: 'network_a_block' },
    fields: same(
      'network',
      'block_number',
      'observed_at',
      'gas_limit',
      'gas_used',
      'base_fee_per_gas',
      'transaction_count',
      'blob_gas_used',
      'blob_base_fee_per_gas',
    ),
    // About 15,000 requests and 6 GB a day: for a node of one's own.
    is_on: false,
  },
  'ethereum-transactions': {
    table: 'network_a_transaction',
    recordings_of: 'ethereum-blocks',
    name: 'Transactions of Ethereum',
    license: 'facts',
    chain: 'ethereum',
    format: 'ndjson',
    where: { table: 'network_a_transaction' },
    fields: same(
      'network',
      'tx_hash',
      'block_number',
      'observed_at',
      'tx_type',
      'from_address',
      'to_address',
      'value',
      'input',
      'status',
      'gas_used',
      'gas_price',
      'max_fee_per_gas',
      'max_priority_fee_per_gas',
      'effective_gas_price',
      'blob_gas_used',
    ),
    is_on: false,
  },
};
