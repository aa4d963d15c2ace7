// Reads the current state of a NEAR-like chain: a sample of its blocks, or its validators with the configuration that prices their seats.
// Reading a block every 0.6 s is too much for public nodes; daily sums come from elsewhere.
import { evidencePage, rowsPage } from '../evm/chain-pages.ts';
import { chainRpc, netFaultOf } from '../evm/chain-rpc.ts';
import { type Exchange, type Rpc, recordingRpc } from '../evm/rpc.ts';
import type { Reader } from '../fetch/reader.ts';
import { blockOf, type NearBlock, type NearRow, validatorsRow } from './near-responses.ts';

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
