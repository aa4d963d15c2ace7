// What is missing only for now is 503 with a reason; what does not exist is 404.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_SOURCE } from '../../../schemas/provenance.ts';
import type { Documents } from '../../../server/data/documents.ts';
import { missingDataset, missingDocument } from '../../../server/define/missing-data.ts';
import type { HeldSubjects } from '../../../snapshots/held.ts';
import type { DatasetEntry, Manifest } from '../../../snapshots/layout.ts';
import { AS_OF, datasetOf, inputsOf, isoSeconds, AS_OF_MS, ServerFixture } from '../server-fixture.ts';

const held = (dataset: string, subject: string): HeldSubjects => ({
  total: 1,
  list: [
    { dataset, subject, since: AS_OF, checks: [], reason: `${subject} is held back until it holds again` },
  ],
});

function entryOf(documents: number, reasons: string[] = []): DatasetEntry {
  const { computed_at, update_cadence_seconds, sources, confidence, quality_gate } = datasetOf('social', []);
  const facts = { computed_at, update_cadence_seconds, sources, quality_gate };
  return { ...facts, sha256: '', bytes: 0, documents, confidence: { ...confidence, reasons } };
}

const manifest = (more: Partial<Manifest> = {}): Manifest => ({
  schema_version: '1.0.0',
  version: '01',
  generated_at: AS_OF,
  as_of: AS_OF,
  previous: null,
  engine_version: '',
  methodology_version: '',
  policy_version: '',
  datasets: { social: entryOf(2) },
  events: { last_event_id: null, count: 0, segments: [] },
  ...more,
});

const ADDRESS = `0x${'ab'.repeat(20)}`;

const codeOf = ({ code, message, details, headers }: ReturnType<typeof missingDocument>) => ({
  code,
  message,
  reason: details?.['reason'],
  retry: headers.length > 0,
});

describe('a dataset that a version does not have', () => {
  test('is not there yet', () => {
    expect(codeOf(missingDataset({ manifest: manifest() }, 'governance'))).toEqual({
      code: 'unavailable',
      message: 'governance has not been computed yet; it follows with one of the next versions.',
      reason: 'not_yet_published',
      retry: true,
    });
  });

  test('is held back, which is said', () => {
    const served = { manifest: manifest({ held_subjects: held('governance', '*') }) };
    expect(codeOf(missingDataset(served, 'governance'))).toMatchObject({
      code: 'unavailable',
      message: '* is held back until it holds again.',
      reason: 'held_back',
    });
  });

  test('will not follow in the version of a past time', () => {
    const failure = missingDataset({ manifest: manifest(), isPast: true }, 'governance');
    expect(codeOf(failure)).toMatchObject({ code: 'not_found', retry: false });
  });

  test('is not there before the first version', () => {
    expect(codeOf(missingDataset(undefined, 'governance'))).toMatchObject({
      code: 'unavailable',
      message: 'No data has been published yet.',
    });
  });
});

describe('a document that a dataset does not have', () => {
  test.each([
    ['aave', 'aave', true],
    ['aave', 'telegram/aave', true],
    ['telegram aave', 'aave', true],
    ['Ethereum 0xAB', 'ethereum|0xab', true],
    ['aave', 'aavegotchi', false],
    ['telegram aave', 'reddit/aave', false],
  ])('if %s is held back and %s is asked for, held back: %s', (subject, key, isHeld) => {
    const failure = missingDocument(
      { manifest: manifest({ held_subjects: held('social', subject) }) },
      'social',
      key,
    );
    expect(codeOf(failure)).toMatchObject(
      isHeld
        ? { code: 'unavailable', reason: 'held_back' }
        : { code: 'not_found', message: 'No data was found.' },
    );
  });

  test('does not exist without a source, which is said', () => {
    const served = { manifest: manifest({ datasets: { social: entryOf(0, [NO_SOURCE]) } }) };
    expect(codeOf(missingDocument(served, 'social', 'aave'))).toEqual({
      code: 'not_found',
      message: `No data was found. For social, ${NO_SOURCE}.`,
      reason: undefined,
      retry: false,
    });
  });

  test.each([
    [0, 'unavailable'],
    [1, 'not_found'],
  ])('of %i, whose source has never been read: %s', (documents, code) => {
    const datasets = { social: entryOf(documents) };
    const inputs = {
      ...inputsOf([datasetOf('social', [])]),
      tables: [{ name: 'test_round', is_sourced: true, has_rows: false }],
      sources: [{ id: 'feeds', table: 'test_round', state: 'never_read', reason: 'no network' }],
    } as const;
    expect(missingDocument({ manifest: manifest({ datasets, inputs }) }, 'social', 'aave').code).toBe(code);
  });
});

describe('a part of what a registry lists', () => {
  const datasets = { 'vault-holdings': entryOf(1), 'oracle-paths': entryOf(1) };
  const listed = (keys: readonly string[]) => () => ({
    documents: { get: (key: string) => (keys.includes(key) ? Buffer.from('{}') : undefined) } as Documents,
  });
  const failure = (dataset: string, key: string, more: { isPast?: boolean } = {}) =>
    missingDocument(
      { manifest: manifest({ datasets }), dataset: listed(['ethereum|0x1']), ...more },
      dataset,
      key,
    );

  test.each([
    ['vault-holdings', 'ethereum|0x1', 'The vault is known, but what it holds was never read.'],
    ['oracle-paths', 'ethereum:0x1', 'The market is known, but its oracle was never read.'],
  ])('%s was never read, which is said', (dataset, key, message) => {
    const expected = { code: 'not_found', message, reason: 'not_read', retry: false };
    expect(codeOf(failure(dataset, key))).toEqual(expected);
    expect(codeOf(failure(dataset, key, { isPast: true }))).toEqual(expected);
  });

  test.each(['ethereum|0x2', 'base|0x1'])('of %s does not exist', (key) => {
    expect(codeOf(failure('vault-holdings', key))).toMatchObject({
      code: 'not_found',
      message: 'No data was found.',
    });
  });
});

describe('on the wire', () => {
  let fixture: ServerFixture;
  let url: string;
  let key: string;
  beforeAll(async () => {
    fixture = await ServerFixture.create();
    await fixture.publish([datasetOf('feeds', [])], isoSeconds(AS_OF_MS - 600_000));
    await fixture.publish([
      datasetOf('governance', [{ key: 'aave', value: [] }]),
      ...['vaults', 'lending-markets'].map((id) =>
        datasetOf(id, [{ key: `ethereum|${ADDRESS}`, value: {} }]),
      ),
      ...['vault-holdings', 'oracle-paths', 'exit-inputs'].map((id) =>
        datasetOf(id, [{ key: 'another', value: {} }]),
      ),
    ]);
    key = await fixture.key('enterprise');
    ({ url } = await fixture.serve());
  });
  afterAll(() => fixture.remove());

  const ask = async (path: string, body?: object) => {
    const response = await fetch(url + path, {
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const { error, message } = (await response.json()) as {
      error: { code: string; message: string };
      message?: string;
    };
    const { status, headers } = response;
    return { status, retry: headers.get('retry-after'), code: error.code, message: message ?? error.message };
  };

  test.each([
    '/scores/overall/aave',
    '/scores/development/protocols/aave',
    '/scores/development',
    '/scores/social/reddit/aave',
    '/data/restaking',
    '/data/restaking/eigenlayer',
    '/data/eigenlayer',
    '/data/blockchain/arbitrum',
    '/data/blockchain/ethereum/transaction-statistics',
    '/v2/scores/overall',
    '/v2/scores/overall/aave',
    '/v2/conditions',
    '/v2/data-manifest',
    '/v2/data-manifest/coverage',
    '/v2/pegs',
    '/v2/datasets/pegs.csv',
    '/v2/feeds/ethereum/0x00000000000000000000000000000000000000a1/series',
    '/v1/status/history',
  ])('%s: what is not computed yet is 503, with the time after which it may be there', async (path) => {
    const answer = await ask(path);
    expect(answer).toMatchObject({ status: 503, code: 'unavailable', retry: '10' });
    expect(answer.message).toMatch(/has not been computed yet|been published yet/);
  });

  const parts = (address: string) => [
    `/v2/vaults/ethereum/${address}/holdings`,
    `/v2/lending/markets/ethereum/${address}/oracle`,
    `/v2/lending/markets/ethereum/${address}/oracle/series`,
  ];
  test.each(parts(ADDRESS))(
    '%s: what was never read of something known is 404, and says so',
    async (path) => {
      const answer = await ask(path);
      expect(answer).toMatchObject({ status: 404, code: 'not_found', retry: null });
      expect(answer.message).toContain('is known, but');
    },
  );

  test.each([...parts(`0x${'cd'.repeat(20)}`), '/data/governance/unknown', '/v2/datasets/nothing'])(
    '%s: what does not exist is 404',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, code: 'not_found', retry: null });
    },
  );

  test('the exit from a market that is known and was never read is 404, and says so', async () => {
    const run = (address: string) =>
      ask(`/v2/liquidity/ethereum:${address}/exit-monte-carlo`, { position_usd: 1_000 });
    const known = await run(ADDRESS);
    expect(known).toMatchObject({ status: 404, code: 'not_found', retry: null });
    expect(known.message).toContain('is known, but its state was never read');
    expect(await run(`0x${'cd'.repeat(20)}`)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('a past version does not get what it lacks', async () => {
    const as_of = isoSeconds(AS_OF_MS - 600_000);
    expect(await ask(`/v2/data/governance/aave?as_of=${as_of}`)).toMatchObject({ status: 404 });
    expect(await ask(`/v2/datasets/governance?as_of=${as_of}`)).toMatchObject({ status: 404 });
  });
});
