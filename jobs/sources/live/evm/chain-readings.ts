// The kinds of readings of a chain, by name. Each requests data from a node and decodes rows of raw tables from the responses.
import { readFeedBounds } from './chain-bounds.ts';
import { readWholeBlocks } from './chain-blocks.ts';
import { followVaultLogs } from './chain-following.ts';
import { readGovernorLogs, readVaultLogs } from './chain-logs.ts';
import { readAaveMarkets, readMorphoMarkets } from './chain-markets.ts';
import { readFeedRounds } from './chain-rounds.ts';
import type { CHAIN_READINGS } from './chain-section.ts';
import { readSwaps } from './chain-swaps.ts';
import type { ReadChain } from './chain-task.ts';

export const CHAIN_READINGS_BY_NAME: { readonly [K in (typeof CHAIN_READINGS)[number]]: ReadChain } = {
  feed_rounds: readFeedRounds,
  feed_bounds: readFeedBounds,
  vault_logs: (rpc, task) => (task.chain.head === 'latest' ? followVaultLogs : readVaultLogs)(rpc, task),
  governor_logs: readGovernorLogs,
  swaps: readSwaps,
  morpho_markets: readMorphoMarkets,
  aave_markets: readAaveMarkets,
  blocks: readWholeBlocks,
};
