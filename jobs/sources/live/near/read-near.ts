// Samples a NEAR-like chain over JSON-RPC: its newest final block, and its validators with the configuration that
// prices their seats. Reading a block every 0.6 s is too much for public nodes; daily sums come from elsewhere.
import { type Exchange, type Rpc, recordingRpc } from '../evm/rpc.ts';
import { blockOf, type NearBlock, type NearRow, validatorsRow } from './near-responses.ts';

/** Nodes of such chains take some parameters by name. */
const FINAL = { finality: 'final' } as unknown as readonly unknown[];

export interface NearReading {
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
