// The sources that are included, and the examples for sources that read contracts: valid, named, and complete in their fields.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deliveredFields } from '../../../../../jobs/define/raw-table.ts';
import { loadConfig } from '../../../../../jobs/config.ts';
import { VAULT_EVENTS } from '../../../../../jobs/families/lending/vault-abi.ts';
import { liveSources, splitSources } from '../../../../../jobs/sources/live/fetch/configured.ts';
import type { LiveSource } from '../../../../../jobs/sources/live/fetch/live-source.ts';
import { problemsOfHosts, problemsOfLiveSources } from '../../../../../jobs/sources/live/fetch/problems.ts';
import { SHIPPED_HOSTS, SHIPPED_SOURCES } from '../../../../../jobs/sources/live/shipped/shipped.ts';
import { domains } from '../../../../../jobs/registry.ts';

const RAW = domains.flatMap(({ raw }) => raw);

test('every shipped source is a valid configuration', () => {
  expect(problemsOfLiveSources(SHIPPED_SOURCES, RAW)).toEqual([]);
  expect(problemsOfHosts(SHIPPED_HOSTS)).toEqual([]);
});

const EXAMPLES = new URL('../../../../../examples/live/', import.meta.url);
/** What an operator has to look up stands between angle brackets. */
const examples = readdirSync(EXAMPLES).map((name) => {
  const text = readFileSync(new URL(name, EXAMPLES), 'utf8').replaceAll(
    /<address [^>]+>/g,
    `0x${'1'.repeat(40)}`,
  );
  return [name, JSON.parse(text).sources as typeof SHIPPED_SOURCES] as const;
});

test.each(examples)('the example %s is a valid configuration', (_, sources) => {
  expect(problemsOfLiveSources(sources, RAW)).toEqual([]);
});

/** What the readers of contracts do not read: figures that others state of a vault, and what logs of an oracle say. */
const NOT_READ: { readonly [table: string]: readonly string[] } = {
  vault_state: ['asset_price_usd', 'backed_share_price', 'coverage'],
  vault_position: [],
  oracle_price: ['challenge_expires_at', 'change_tx_hash', 'change_caller', 'change_cause'],
  oracle_leg: ['change_delay_s'],
};

test.each([['the included sources', SHIPPED_SOURCES] as const, ...examples])(
  '%s lose no field of vaults and oracles',
  (_, sources) => {
    const own = Object.values(sources).filter(({ table }) => table in NOT_READ);
    expect(new Set(own.map(({ table }) => table)).size).toBe(Object.keys(NOT_READ).length);
    for (const { table, fields } of own) {
      const raw = RAW.find(({ name }) => name === table);
      const names = raw === undefined ? [] : deliveredFields(raw).map(({ name }) => name);
      const lost = names.filter((name) => !(name in fields) && NOT_READ[table]?.includes(name) !== true);
      expect(lost, table).toEqual([]);
    }
  },
);

test('at least twelve sources need no key, and the others name theirs', () => {
  const sources = liveSources(SHIPPED_SOURCES);
  const needsOf = (id: string) => sources.find((source) => source.id === id)?.needs ?? [];
  const keyless = sources.filter(({ is_on, fetched_by }) => is_on && needsOf(fetched_by).length === 0);
  expect(keyless.length).toBeGreaterThanOrEqual(12);
  expect(needsOf('github-releases')).toEqual(['GITHUB_TOKEN']);
  expect(needsOf('reddit-comments')).toEqual(['REDDIT_TOKEN']);
  expect(needsOf('discord-messages')).toEqual(['DISCORD_CHANNEL', 'DISCORD_TOKEN']);
});

const SECTIONS = Object.entries(SHIPPED_SOURCES);

test('every shipped source names its licence, and the attribution if its terms require one', () => {
  expect(SECTIONS.filter(([, { license }]) => license === undefined).map(([id]) => id)).toEqual([]);
  const asked = SECTIONS.filter(([, { license = '' }]) => /^CC-BY|attribution/i.test(license));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter(([, { attribution }]) => attribution === undefined).map(([id]) => id)).toEqual([]);
});

test('rows without their own time hold as of the response, which may come from an old cache, never as of the fetch', () => {
  const facts = SECTIONS.flatMap(([id, { fields }]) =>
    Object.values(fields as LiveSource['mapping']['fields']).flatMap((field) =>
      field.recording === 'fetched_at' ? [id] : [],
    ),
  );
  expect(facts).toEqual([]);
});

test('the vault logs that are requested are those that can be decoded', () => {
  const topics = SHIPPED_SOURCES['morpho-vault-logs']?.request?.chain?.topics ?? [];
  expect([...topics].sort()).toEqual(VAULT_EVENTS.map(({ topic0 }) => topic0).sort());
});

const configOf = (file: unknown, env = {}) =>
  loadConfig({ env: { CONFIG: 'x.json', ...env }, readFile: () => JSON.stringify(file) });

test('configuring a shipped source changes the given members and keeps the rest', () => {
  const config = configOf({ profile: 'live', sources: { 'defillama-pools': { every: '2h', is_on: false } } });
  const pools = config.live_sources.find(({ id }) => id === 'defillama-pools');
  expect(pools).toMatchObject({ every_s: 7_200, is_on: false, table: 'yield_pool' });
});

test('other profiles fetch only what they configure', () => {
  const own = {
    table: 'tvl_reading',
    name: 'Mine',
    request: { url: 'https://api.example/x' },
    fields: { protocol: 'p', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' },
  };
  expect(configOf({ profile: 'files', sources: { mine: own } }).live_sources.map(({ id }) => id)).toEqual([
    'mine',
  ]);
  expect(configOf({ profile: 'demo' }).live_sources).toEqual([]);
  expect(splitSources(undefined, false)).toEqual({ files: undefined, fetched: {} });
  // An id that is a name of JavaScript is an id like any other, so that its problems are reported.
  const odd = JSON.parse('{"__proto__":{"table":"x"},"constructor":{"request":{"url":"https://x"}}}');
  for (const isLive of [false, true]) {
    expect(Object.keys(splitSources(odd, isLive).files as object)).toEqual(['__proto__']);
    expect(Object.keys(splitSources(odd, isLive).fetched)).toContain('constructor');
  }
});

const wrong: { readonly [name: string]: readonly [change: object, word: string] } = {
  'an unknown key': [{ evry: '1h' }, 'every'],
  'a duration without unit': [{ every: '3600' }, 'every'],
  'a place without a value': [
    { request: { url: 'https://api.example/x', query: { p: '{pgae}' } } },
    '{pgae}',
  ],
  'a pager whose place is nowhere': [{ pager: { kind: 'page' } }, 'no {page}'],
  'an unknown fact of the recording': [
    { fields: { protocol: 'p', tvl_usd: 'tvl', observed_at: { recording: 'as_off' } } },
    'as_of',
  ],
  'a required field that is missing': [{ fields: { protocol: 'p', tvl_usd: 'tvl' } }, 'observed_at'],
  'a table that does not exist': [{ table: 'tvl_readings' }, 'tvl_reading'],
  'request and recordings_of': [{ recordings_of: 'other' }, 'one of them'],
  'two bodies': [
    { request: { url: 'https://api.example/x', json: {}, json_rpc: { method: 'm' } } },
    'one body',
  ],
  'a query that a node is not sent': [
    { request: { url: 'https://api.example/x', query: { key: 'x' }, near: { read: 'block' } } },
    'no query: a request with near sends none',
  ],
  'headers that git is not given': [
    { request: { url: 'https://api.example/x', headers: { a: 'b' }, git: { history: '1d' } } },
    'no headers: a request with git sends none',
  ],
  'a secret in the address of a repository': [
    { request: { url: `https://api.example/\${${'TOKEN'}}/x`, git: { history: '1d' } } },
    'an address without a secret',
  ],
  'a lag as long as the history': [
    { window: { history: '1d', step: '1h', lag: '24h' } },
    'less than the history',
  ],
  'a placeholder in another form': [
    { request: { url: 'https://api.example/{Chain-Id}' }, each: [{ chain_id: '1' }] },
    '"given":"{Chain-Id}","expected":"one of {window_from_s}',
  ],
  'a value that is written like a secret': [
    { request: { url: `https://api.example/$${'{chain}'}` }, each: [{ chain: 'x' }] },
    'a value of `each` has no $',
  ],
  'a name of a value in another form': [{ each: [{ 'Chain-Id': '1' }] }, 'the name \\"Chain-Id\\"'],
  'a name that every request fills in': [
    { each: [{ window_to_s: '1' }] },
    'another name: {window_to_s} is filled in for every request',
  ],
  'a param that no request has': [
    { each: [{ protocol: 'x' }], fields: { protocol: { recording: 'param.protocl' } } },
    '"expected":"one of as_of, fetched_at, window_from, window_to, header.date, header.age, header.etag, header.last-modified, header.content-type, header.link, param.protocol","closest":"param.protocol"',
  ],
  'a param of a source without values': [
    { fields: { protocol: { recording: 'param.protocol' } } },
    'it has no param, because it has no `each`',
  ],
  'a header that is not recorded': [
    { fields: { observed_at: { recording: 'header.x-time' } } },
    '"given":"\\"header.x-time\\" given","expected":"one of as_of',
  ],
  'arguments of a call that are no list': [
    { request: { url: 'https://api.example', json_rpc: { method: 'x', params: 5 } } },
    'sources.mine.request',
  ],
  'a repeated object': [{ each: [{ a: 'x' }, { a: 'x' }] }, 'once'],
  'objects of different values': [{ each: [{ a: 'x' }, { b: 'x' }] }, 'the values a'],
};

test.each(Object.entries(wrong))('%s is reported', (_, [change, word]) => {
  const section = {
    table: 'tvl_reading',
    name: 'Mine',
    request: { url: 'https://api.example/x' },
    fields: { protocol: 'p', observed_at: { recording: 'as_of' }, tvl_usd: 'tvl' },
    ...change,
  };
  const problems = problemsOfLiveSources({ mine: section }, RAW);
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).toContain(word);
});

test('a source that maps the recordings of another has the params of that one', () => {
  const fetched = {
    table: 'tvl_reading',
    name: 'Mine',
    request: { url: 'https://api.example/{protocol}' },
    each: [{ protocol: 'x' }],
    fields: {
      protocol: { recording: 'param.protocol' },
      observed_at: { recording: 'as_of' },
      tvl_usd: 'tvl',
    },
  };
  const { request: _request, each: _each, ...mapping } = fetched;
  const second = { ...mapping, recordings_of: 'first' };
  expect(problemsOfLiveSources({ first: fetched, second }, RAW)).toEqual([]);
  const wrong = { ...second, fields: { ...second.fields, protocol: { recording: 'param.network' } } };
  expect(problemsOfLiveSources({ first: fetched, second: wrong }, RAW)).toMatchObject([
    { where: 'sources.second.fields.protocol.recording' },
  ]);
});

test('hosts are checked', () => {
  expect(
    problemsOfHosts({ 'api.example': { requests_per_minute: 5, address: 'http://127.0.0.1:80' } }),
  ).toEqual([]);
  expect(problemsOfHosts({ 'https://api.example': {} })).toHaveLength(1);
  expect(problemsOfHosts({ 'api.example': { adress: 'http://x' } })[0]?.closest).toBe('address');
});
