import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectNoLegacyData } from '../legacy-body.ts';
import { fixtureDatasets, pairRow, ServerFixture } from '../server-fixture.ts';

let fixture: ServerFixture;
beforeEach(async () => {
  fixture = await ServerFixture.create();
});
afterEach(() => fixture.remove());

test('the pairs of a provider are returned in the legacy envelope', async () => {
  await fixture.publish();
  const answer = await fetch(`${(await fixture.serve()).url}/data/oracle/chainlink/pairs`);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-schema-version')).toBeNull();
  expect(await answer.json()).toEqual({ status: true, data: [pairRow('ETH-USD'), pairRow('USDT-USD')] });
});

test.each(['ETH-USD', 'eth-usd', 'Eth-Usd', '%45TH-USD'])('the week of %s has seven rows', async (pair) => {
  await fixture.publish();
  const answer = await fetch(`${(await fixture.serve()).url}/data/oracle/chainlink/${pair}`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ status: true, data: { length: 7 } });
});

test('a listed pair whose feeds never answered has a week without days', async () => {
  await fixture.publish();
  const { url } = await fixture.serve();
  for (const pair of ['USDT-USD', 'usdt-usd']) {
    const answer = await fetch(`${url}/data/oracle/chainlink/${pair}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: true, data: [] });
  }
});

test.each([
  'chainlink/BTC-USD',
  'chainlink/ETH%2FUSD',
  'chainlink/ETH-USD%00',
  'CHAINLINK/pairs',
  'Chainlink/ETH-USD',
  'unknown/pairs',
  '__proto__/pairs',
  'constructor/toString',
  'chainlink%2FETH-USD/pairs',
])('%s is not found, with the legacy body', async (path) => {
  await fixture.publish();
  await expectNoLegacyData(await fetch(`${(await fixture.serve()).url}/data/oracle/${path}`));
});

test('for a version without the dataset, it is not there yet', async () => {
  await fixture.publish(fixtureDatasets().filter(({ id }) => id === 'coverage'));
  expect((await fetch(`${(await fixture.serve()).url}/data/oracle/chainlink/pairs`)).status).toBe(503);
});

test('the ETag of a document is unchanged if a new version does not change the document', async () => {
  await fixture.publish();
  const server = await fixture.serve();
  const etag = async () => (await fetch(`${server.url}/data/oracle/chainlink/pairs`)).headers.get('etag');
  const before = await etag();
  await fixture.publish(fixtureDatasets('2026-03-01T12:05:00Z'), '2026-03-01T12:05:00Z');
  await server.refresh();
  expect(await etag()).toBe(before);
});
