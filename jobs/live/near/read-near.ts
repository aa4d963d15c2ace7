// Samples of a chain of NEAR's kind over JSON-RPC: its newest final block with the chunks in it, and its validators with the
// configuration that prices their seats. A block every 0.6 s is too much for public nodes; sums of a day come from elsewhere.
import { ChainFault } from '../evm/chain-fault.ts';
import { type Exchange, type Rpc, RpcError, remembering } from '../evm/rpc.ts';
import { blockOf, type NearBlock, type NearRow, transactionsIn, validatorsRow } from './near-answers.ts';

/** Nodes of this kind take some parameters by name. */
const named = (params: object) => params as unknown as readonly unknown[];
const FINAL = named({ finality: 'final' });

export interface NearReading {
  readonly block: NearBlock;
  readonly rows: readonly NearRow[];
  readonly exchanges: readonly Exchange[];
}

/**
 * One row of `network_b_block`. Without a height the newest final block; with one, null where the chain skipped that height.
 * @throws ChainFault, RpcError
 */
export async function readNearBlock(
  node: Rpc,
  network: string,
  height?: number,
): Promise<NearReading | null> {
  const { rpc, exchanges } = remembering(node);
  const block = await blockAt(rpc, height);
  if (block === null) return null;
  let transactions = 0;
  for (const { hash } of block.included) {
    const { result } = await rpc('chunk', [hash]);
    transactions += transactionsIn(result, hash);
  }
  const row = {
    network,
    height: block.height,
    block_time: block.time,
    gas_price: block.gasPrice,
    total_supply: block.totalSupply,
    transaction_count: transactions,
    gas_used: block.included.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
  };
  return { block, rows: [row], exchanges };
}

/** The newest final block without its transactions: a sample of heights, prices and supply, of which nothing is summed. */
export async function sampleNearBlock(node: Rpc, network: string): Promise<NearReading> {
  const { rpc, exchanges } = remembering(node);
  const block = await blockAt(rpc, undefined);
  if (block === null) throw new ChainFault('ahead', 'the node has no final block.');
  const { height, time, gasPrice, totalSupply } = block;
  const row = { network, height, block_time: time, gas_price: gasPrice, total_supply: totalSupply };
  return { block, rows: [row], exchanges };
}

async function blockAt(rpc: Rpc, height: number | undefined): Promise<NearBlock | null> {
  try {
    const params = height === undefined ? FINAL : named({ block_id: height });
    const { result } = await rpc('block', params);
    const block = blockOf(result);
    if (height !== undefined && block.height !== height)
      throw new ChainFault('shape', `the node returned block ${block.height} when asked for ${height}.`);
    return block;
  } catch (error) {
    if (error instanceof RpcError && error.reason === 'UNKNOWN_BLOCK' && height !== undefined) return null;
    if (error instanceof RpcError && error.reason === 'GARBAGE_COLLECTED_BLOCK')
      throw new ChainFault('pruned', `the node no longer has block ${height}; an archival node does.`, error);
    throw error;
  }
}

/** One row of `network_b_validators`, as of the newest final block. @throws ChainFault, RpcError */
export async function readNearValidators(node: Rpc, network: string): Promise<NearReading> {
  const { rpc, exchanges } = remembering(node);
  const block = await blockAt(rpc, undefined);
  if (block === null) throw new ChainFault('ahead', 'the node has no final block.');
  const validators = await rpc('validators', [null]);
  const config = await rpc('EXPERIMENTAL_protocol_config', FINAL);
  const row = validatorsRow({ network, seconds: block.seconds }, validators.result, config.result);
  return { block, rows: [row], exchanges };
}
