// A NEAR chain as a source: one row per reading, with the responses of the node, and refusals by name.
import { expect, it } from 'vitest';
import { json } from '../http/replay-server.ts';
import { openFixture, START, sourceOf } from '../fetching-fixture.ts';

const responses: { readonly [method: string]: object } = {
  block: {
    jsonrpc: '2.0',
    result: {
      header: {
        ...{ height: 150_000_000, hash: '9FMcMRSGRkBvKg6zTBM4wvzLVnq1PiVuRWDkSVBxFd1H' },
        ...{ timestamp_nanosec: `${START}000000`, gas_price: '100000000', total_supply: '1250' },
      },
      chunks: [],
    },
  },
  validators: { jsonrpc: '2.0', result: { epoch_height: 4_000, current_validators: [] } },
  EXPERIMENTAL_protocol_config: { jsonrpc: '2.0', result: { num_block_producer_seats: 100 } },
};
const source = (read: 'block' | 'validators') =>
  sourceOf({
    table: read === 'block' ? 'network_b_block' : 'network_b_validators',
    chain: 'near',
    request: { url: 'https://api.example/', near: { read } },
    format: 'ndjson',
    guards: { present: ['network'] },
  });

it.each([
  ['block', ['block']],
  ['validators', ['block', 'validators', 'EXPERIMENTAL_protocol_config']],
] as const)('yields one row of its %s', async (read, methods) => {
  const fixture = await openFixture(({ body }) => json(responses[JSON.parse(body).method as string]));
  await fixture.start(source(read)).once();
  const [recording] = await fixture.recordings();
  expect(recording).toMatchObject({
    outcome: 'accepted',
    records: 1,
    as_of: START / 1000,
    block: { chain: 'near', tag: 'final' },
  });
  expect(fixture.server.asked.map(({ body }) => JSON.parse(body).method)).toEqual(methods);
  await fixture.close();
});

it('is a failure with the message of the node, never a row', async () => {
  const fixture = await openFixture(() =>
    json({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no such thing' } }),
  );
  await fixture.start(source('block')).once();
  const [recording] = await fixture.recordings();
  expect(recording).toMatchObject({ outcome: 'failed', records: 0 });
  expect(recording?.reasons.join()).toMatch(/no such thing/);
  await fixture.close();
});
