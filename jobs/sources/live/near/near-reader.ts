// Reads the current state of a NEAR-like chain: a sample of its blocks, or its validators with the configuration that prices their seats.
import { evidencePage, rowsPage } from '../evm/chain-pages.ts';
import { chainRpc, netFaultOf } from '../evm/chain-rpc.ts';
import type { Reader } from '../fetch/reader.ts';
import { readNearValidators, sampleNearBlock } from './read-near.ts';

const READINGS = { block: sampleNearBlock, validators: readNearValidators };

export const readNear: Reader = async function* (source, { urgency }, { client, secrets, size }) {
  const { request, timeout_ms: timeoutMs } = source;
  if (request?.near === undefined) throw new Error(`source ${source.id} reads no chain of this kind`);
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
