// Answers of NEAR nodes, recorded on its test network, read as a node would send them; and answers that no reader may accept.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Rpc, RpcError } from '../../../../jobs/live/evm/rpc.ts';
import { readNearBlock, readNearValidators } from '../../../../jobs/live/near/read-near.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';

const FILES: { readonly [method: string]: string } = {
  block: 'recorded/near/docs-block-chunk--block-details.json',
  chunk: 'recorded/near/docs-block-chunk--chunk-details.json',
  validators: 'network-b/validation_status_response.json',
  EXPERIMENTAL_protocol_config: 'recorded/near/docs-protocol--protocol-config.json',
};

type Answer = { readonly [name: string]: unknown };

/** A node that returns the recorded answers, some of them changed. */
const nodeWith =
  (change: (method: string, result: Answer) => unknown = (_, result) => result): Rpc =>
  async (method) => {
    const body = await readFile(realData(FILES[method] ?? ''), 'utf8');
    const { result } = JSON.parse(body) as { result: Answer };
    return { result: change(method, result), body };
  };

const withHeader = (fields: object) =>
  nodeWith((method, result) =>
    method === 'block' ? { ...result, header: { ...(result['header'] as object), ...fields } } : result,
  );

describeRealData('a node of network B', () => {
  it('gives its newest final block, amounts to the last digit', async () => {
    const reading = await readNearBlock(nodeWith(), 'near');
    expect(reading?.rows).toEqual([
      {
        network: 'near',
        height: 17_821_130,
        block_time: '1601280114229875635',
        gas_price: '100000000',
        total_supply: '1042339182040791154864822502764857',
        transaction_count: 0,
        gas_used: 0,
      },
    ]);
    expect(reading?.exchanges.map(({ method }) => method)).toEqual(['block', 'chunk']);
    expect(reading?.block.seconds).toBe(1_601_280_114);
  });

  it('skips heights; that is no error and no row', async () => {
    const node: Rpc = () => Promise.reject(new RpcError('Server error', -32000, null, 'UNKNOWN_BLOCK'));
    expect(await readNearBlock(node, 'near', 5)).toBeNull();
    await expect(readNearBlock(node, 'near')).rejects.toThrow('Server error');
  });

  it('names a block that it no longer has', async () => {
    const node: Rpc = () =>
      Promise.reject(new RpcError('Server error', -32000, null, 'GARBAGE_COLLECTED_BLOCK'));
    await expect(readNearBlock(node, 'near', 5)).rejects.toMatchObject({
      name: 'ChainFault',
      kind: 'pruned',
    });
  });

  it.each([
    ['a time without nanoseconds', { timestamp_nanosec: '1601280114' }],
    ['a supply that lost its digits', { total_supply: 1.0423391820407912e33 }],
    ['no height', { height: null }],
  ])('is not believed with %s', async (_, fields) => {
    await expect(readNearBlock(withHeader(fields), 'near')).rejects.toMatchObject({ kind: 'shape' });
  });

  it('is not believed with another block or chunk than was asked for', async () => {
    await expect(readNearBlock(nodeWith(), 'near', 5)).rejects.toThrow(/returned block 17821130/);
    const other = nodeWith((method, result) =>
      method === 'chunk' ? { ...result, header: { chunk_hash: 'x' } } : result,
    );
    await expect(readNearBlock(other, 'near')).rejects.toThrow(/returned chunk x/);
  });

  it('leaves out chunks that the block only repeats', async () => {
    const node = withHeader({ height: 17_821_131 });
    const reading = await readNearBlock(node, 'near');
    expect(reading?.exchanges.map(({ method }) => method)).toEqual(['block']);
    expect(reading?.rows[0]?.['transaction_count']).toBe(0);
  });

  it('gives its validators with the configuration of their seats', async () => {
    const { rows } = await readNearValidators(nodeWith(), 'near');
    const [row] = rows;
    expect(row).toMatchObject({
      network: 'near',
      observed_at: 1_601_280_114,
      num_seats: 200,
      protocol_version: 45,
    });
    const validators = JSON.parse(String(row?.['current_validators'])) as { stake: string }[];
    expect(validators[0]?.stake).toBe('176429739989396285019500901780');
    expect(validators.length).toBeGreaterThan(10);
  });

  it('is not believed without a list of validators', async () => {
    const node = nodeWith((method, result) => (method === 'validators' ? { error: 'x' } : result));
    await expect(readNearValidators(node, 'near')).rejects.toMatchObject({ kind: 'shape' });
  });
});
