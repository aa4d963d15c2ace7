// Which node is read: the first that belongs to the chain and responds to every request of the reading.
import { describe, expect, it } from 'vitest';
import { ChainFault } from '../../../../../jobs/sources/live/evm/chain-fault.ts';
import { type Endpoint, withEndpoints } from '../../../../../jobs/sources/live/evm/chain-reader.ts';
import type { Rpc } from '../../../../../jobs/sources/live/evm/rpc.ts';

const node = (name: string, chainId: string): Endpoint => {
  const rpc: Rpc = async () => ({ result: chainId, body: '' });
  return { name, rpc };
};
const dead: Endpoint = { name: 'dead', rpc: () => Promise.reject(new Error('no connection.')) };

describe('nodes of a chain', () => {
  it('are tried in order, and skipped ones are named', async () => {
    const { value, passed } = await withEndpoints(
      [dead, node('foreign', '0x5'), node('own', '0x1')],
      1,
      async ({ name }) => name,
    );
    expect(value).toBe('own');
    expect(passed).toEqual([
      { endpoint: 'dead', why: 'no connection.' },
      { endpoint: 'foreign', why: 'it is a node of chain 5, not of 1.' },
    ]);
  });

  it('are skipped when reading fails', async () => {
    const { value } = await withEndpoints([node('a', '0x1'), node('b', '0x1')], 1, async ({ name }) => {
      if (name === 'a') throw new ChainFault('pruned', 'it no longer has the blocks.');
      return name;
    });
    expect(value).toBe('b');
  });

  it('are all named when none can be read', async () => {
    await expect(withEndpoints([dead, node('foreign', '0x5')], 1, async () => 1)).rejects.toThrow(
      'no node of chain 1 could be read. dead: no connection. foreign: it is a node of chain 5, not of 1.',
    );
  });

  it('report a rewritten chain only if no other node still has the chain that was read', async () => {
    const rewritten = new ChainFault('rewritten', 'block 5 is another one.');
    const read = async ({ name }: Endpoint) => {
      if (name === 'forked') throw rewritten;
      return name;
    };
    const forked = node('forked', '0x1');
    await expect(withEndpoints([forked, dead], 1, read)).rejects.toBe(rewritten);
    expect((await withEndpoints([forked, node('b', '0x1')], 1, read)).value).toBe('b');
  });
});
