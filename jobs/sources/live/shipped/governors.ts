// Governor contracts on Ethereum: proposals and votes from their logs, complete and without a key. Origin of the addresses: Compound,
// github.com/compound-finance/comet (deployments/mainnet; the first contract was replaced in 2024); Uniswap,
// docs.uniswap.org/concepts/governance; ENS, the contracts that github.com/rotki/rotki decodes.
import type { LiveSection } from '../fetch/section.ts';
import { ETHEREUM, ETHEREUM_NODE, same } from './ethereum.ts';

const SECONDS_BETWEEN_BLOCKS = 12;
const DECIMALS = 18;

const governor = (protocol: string, name: string, contracts: string[]): LiveSection => ({
  table: 'governor_event',
  name: `Governor of ${name}`,
  license: 'facts',
  chain: 'ethereum',
  request: { url: ETHEREUM_NODE, chain: { ...ETHEREUM, read: 'governor_logs', contracts }, timeout: '1m' },
  every: '15m',
  window: { history: '30d', step: '7d', overlap: '1m' },
  guards: { min_records: 0 },
  format: 'ndjson',
  fields: {
    ...same('event', 'block_number', 'tx_hash', 'log_index', 'event_at', 'proposal_id', 'proposer'),
    ...same('start_block', 'end_block', 'start_at', 'end_at', 'voter', 'support', 'power', 'part', 'repeats'),
    protocol: { value: protocol },
    decimals: { value: DECIMALS },
    block_s: { value: SECONDS_BETWEEN_BLOCKS },
  },
});

export const GOVERNORS: { readonly [id: string]: LiveSection } = {
  'compound-governor': governor('compound', 'Compound', [
    '0xc0Da02939E1441F497fd74F78cE7Decb17B66529',
    '0x309a862bbC1A00e45506cB8A802D1ff10004c8C0',
  ]),
  'uniswap-governor': governor('uniswap', 'Uniswap', ['0x408ED6354d4973f66138C91495F2f2FCbd8724C3']),
  'ens-governor': governor('ens', 'ENS', ['0x323A76393544d5ecca80cd6ef2A560C6a395b7E3']),
};
