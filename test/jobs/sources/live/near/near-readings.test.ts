// Responses of NEAR nodes, recorded on its test network and read as a node would send them; and responses that must be rejected.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Rpc } from '../../../../../jobs/sources/live/evm/rpc.ts';
import { readNearValidators, sampleNearBlock } from '../../../../../jobs/sources/live/near/near-reader.ts';
import { describeRealData, realData } from '../../../../support/real-data.ts';

const FILES: { readonly [method: string]: string } = {
  block: 'recorded/near/docs-block-chunk--block-details.json',
  validators: 'network-b/validation_status_response.json',
  EXPERIMENTAL_protocol_config: 'recorded/near/docs-protocol--protocol-config.json',
};

type Answer = { readonly [name: string]: unknown };

/** A node that returns the recorded responses, some of them changed. */
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
  it('returns its newest final block, with exact amounts', async () => {
    const reading = await sampleNearBlock(nodeWith(), 'near');
    expect(reading.rows).toEqual([
      {
        network: 'near',
        height: 17_821_130,
        block_time: '1601280114229875635',
        gas_price: '100000000',
        total_supply: '1042339182040791154864822502764857',
      },
    ]);
    expect(reading.exchanges.map(({ method }) => method)).toEqual(['block']);
    expect(reading.block.seconds).toBe(1_601_280_114);
  });

  it.each([
    ['a time without nanoseconds', { timestamp_nanosec: '1601280114' }],
    ['a supply that lost its digits', { total_supply: 1.0423391820407912e33 }],
    ['no height', { height: null }],
  ])('is rejected with %s', async (_, fields) => {
    await expect(sampleNearBlock(withHeader(fields), 'near')).rejects.toMatchObject({ kind: 'shape' });
  });

  it('returns its validators with the configuration of their seats', async () => {
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

  it('is rejected without a list of validators', async () => {
    const node = nodeWith((method, result) => (method === 'validators' ? { error: 'x' } : result));
    await expect(readNearValidators(node, 'near')).rejects.toMatchObject({ kind: 'shape' });
  });
});
