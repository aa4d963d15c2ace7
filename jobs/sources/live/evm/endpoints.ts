// Several nodes of one chain: the operator's own first, then public ones. A reading uses one node from its head to its last row, because
// the head of one node and the rows of another may not match. A chain counts as rewritten only if no node still has it as it was read.
import { ChainFault } from './chain-fault.ts';
import { numberOf } from './hex.ts';
import type { Rpc } from './rpc.ts';

export interface Endpoint {
  /** Shown to operators; without credentials. */
  readonly name: string;
  readonly rpc: Rpc;
}

export interface Passed {
  readonly endpoint: string;
  readonly why: string;
}

/**
 * The first reading that succeeds, with the nodes that were passed over before it. Checks the chain of each node first.
 * @throws ChainFault that names every node and its reason
 */
export async function withEndpoints<T>(
  endpoints: readonly Endpoint[],
  chainId: number,
  read: (endpoint: Endpoint) => Promise<T>,
): Promise<{ readonly value: T; readonly passed: readonly Passed[] }> {
  const passed: Passed[] = [];
  let rewritten: ChainFault | null = null;
  for (const endpoint of endpoints) {
    try {
      await checkChain(endpoint.rpc, chainId);
      return { value: await read(endpoint), passed };
    } catch (error) {
      if (error instanceof ChainFault && error.kind === 'rewritten') rewritten = error;
      passed.push({ endpoint: endpoint.name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  if (rewritten !== null) throw rewritten;
  const reasons = passed.map(({ endpoint, why }) => `${endpoint}: ${why}`).join(' ');
  throw new ChainFault('refused', `no node of chain ${chainId} could be read. ${reasons}`);
}

async function checkChain(rpc: Rpc, chainId: number): Promise<void> {
  const { result } = await rpc('eth_chainId', []);
  const found = numberOf(result, 'the chain id');
  if (found !== chainId)
    throw new ChainFault('wrong_chain', `it is a node of chain ${found}, not of ${chainId}.`);
}
