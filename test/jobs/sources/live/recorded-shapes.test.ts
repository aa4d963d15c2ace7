// Shipped sources, checked against responses recorded by others and against the contracts that the services publish.
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { liveSourceOf, type LiveSource } from '../../../../jobs/sources/live/fetch/live-source.ts';
import type { LiveSection } from '../../../../jobs/sources/live/fetch/section.ts';
import { SHIPPED_SOURCES } from '../../../../jobs/sources/live/shipped/shipped.ts';
import { domains } from '../../../../jobs/registry.ts';
import { describeRealData, realData } from '../../../support/real-data.ts';
import { landRecordings } from './land-recordings.ts';
import { openFixture } from './fetching-fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const sectionOf = (id: string): LiveSection => {
  const section = SHIPPED_SOURCES[id];
  if (section === undefined) throw new Error(`${id} is not shipped`);
  return section;
};
const text = (path: string) => readFileSync(realData(path), 'utf8');

interface Recorded {
  readonly id: string;
  readonly at: string;
  readonly body: () => string;
  readonly rows: number;
}

const RECORDED: readonly Recorded[] = [
  {
    id: 'chainlink-directory',
    at: '2026-11-01',
    body: () => text('oracles/chainlink-feeds-mainnet.json'),
    rows: 287,
  },
  {
    id: 'defillama-stablecoins',
    at: '2026-11-01',
    body: () => `{"peggedAssets": ${text('yields/stablecoins-stablecoins.json')}}`,
    rows: 419,
  },
  {
    id: 'ethereum-validators',
    at: '2026-08-22',
    body: () => text('recorded/validatorqueue/historical_data-2026-08-22.json'),
    rows: 1_179,
  },
  {
    id: 'near-validators',
    at: '2026-11-01',
    body: () => text('network-b/validation_status_response.json'),
    rows: 1,
  },
  {
    id: 'github-releases',
    at: '2019-11-01',
    body: () => text('recorded/github/hub4j/releases-page1.body.json'),
    rows: 30,
  },
  {
    id: 'reddit-comments',
    at: '2017-04-18',
    body: () => text('recorded/reddit/comments-first-page.json').replace(/"after": "[^"]*"/, '"after": null'),
    rows: 16,
  },
  {
    id: 'discord-messages',
    at: '2017-07-12',
    body: () => `[${text('recorded/discord/message.json')}]`,
    rows: 1,
  },
];

/** The first partition of a source, requested from the local server. */
const locally = (id: string): LiveSource => {
  const { request, each, ...rest } = sectionOf(id);
  const url = 'https://api.example/x';
  return liveSourceOf(id, {
    ...rest,
    ...(each === undefined ? {} : { each: each.slice(0, 1) }),
    request: { ...request, url },
  } as LiveSection);
};

describeRealData('recorded answers', () => {
  test.each(RECORDED)(
    '$id: guards accept a recorded response of the service, and every row lands',
    async (one) => {
      const body = one.body();
      const { start, recordings, folder, close } = await openFixture(
        (_, count) => ({ body: count === 1 ? body : '[]' }),
        {
          startMs: Date.parse(`${one.at}T12:00:00Z`),
          secrets: { GITHUB_TOKEN: 'x', REDDIT_TOKEN: 'x', DISCORD_TOKEN: 'x', DISCORD_CHANNEL: '1' },
        },
      );
      closing.push(close);
      const source = locally(one.id);
      await start(source).once();
      const outcomes = (await recordings(one.id)).map(({ outcome, reasons }) => [outcome, ...reasons]);
      expect(outcomes[0]).toEqual(['accepted']);
      expect(outcomes.filter(([outcome]) => outcome !== 'accepted' && outcome !== 'unchanged')).toEqual([]);
      const landed = await landRecordings(source, folder, {
        tables: domains.flatMap(({ raw }) => raw),
        closing,
      });
      expect(landed).toMatchObject({ quarantined: 0, landed: one.rows });
    },
  );
});

type Tree = { readonly [name: string]: Tree } & { readonly url?: string };

/** Fields that a source takes from a record, guards and filters included. */
const takenFrom = ({ fields, where = {}, guards = {} }: LiveSection): readonly string[] => {
  const mapped = Object.values(fields as LiveSource['mapping']['fields']).flatMap((field) =>
    typeof field === 'string' ? [field] : [field.from ?? []].flat(),
  );
  return [...new Set([...mapped, ...Object.keys(where), ...(guards.present ?? [])])];
};

/** Fields that DefiLlama's specification omits from its examples; recorded responses have them. */
const UNSPECIFIED: readonly string[] = [...['slug', 'listedAt', 'audits', 'yieldBearing', 'apyMean30d']];

describeRealData('published contracts', () => {
  const paths = JSON.parse(text('recorded/defillama/defillama-openapi-free.json')) as Tree;
  const llama = Object.entries(SHIPPED_SOURCES)
    .filter(([id, { request }]) => id.startsWith('defillama-') && request !== undefined)
    .map(([id]) => id)
    // The list of incidents is public, but not in the specification.
    .filter((id) => id !== 'defillama-hacks');

  test.each(llama)('%s requests a path of the specification, and takes its fields', (id) => {
    const section = sectionOf(id);
    const url = new URL(section.request?.url ?? '');
    const operation = paths['paths']?.[url.pathname]?.['get'];
    const servers = (operation?.['servers'] ?? paths['servers']) as unknown as readonly {
      readonly url: string;
    }[];
    expect(servers.map((server) => server.url)).toContain(url.origin);
    const document = operation?.['responses']?.['200']?.['content']?.['application/json']?.['schema'];
    const list = section.records === '' ? document : document?.['properties']?.[section.records ?? ''];
    const known = Object.keys(list?.['items']?.['properties'] ?? {});
    expect(known.length).toBeGreaterThan(4);
    expect(takenFrom(section).filter((name) => ![...known, ...UNSPECIFIED].includes(name))).toEqual([]);
  });

  const relays = Object.entries(SHIPPED_SOURCES).filter(([, { table }]) => table === 'relay_payment');

  test('every relay is requested with the path and parameters of the specification, and its fields are taken', () => {
    const operation = parse(text('recorded/relay/apis/relay/data/proposer_payload_delivered.yaml'))['get'];
    const names = (operation.parameters as readonly { readonly name: string }[]).map(({ name }) => name);
    const types = parse(text('recorded/relay/types/bids.yaml'));
    const own = types['BidTraceV2'].allOf.flatMap((one: { properties?: object }) =>
      Object.keys(one.properties ?? {}),
    );
    const fields = [...Object.keys(types['BidTraceV1'].properties), ...own];
    expect(relays.length).toBe(5);
    for (const [, section] of relays) {
      const { url = '', query = {} } = section.request ?? {};
      expect(new URL(url).pathname).toBe('/relay/v1/data/bidtraces/proposer_payload_delivered');
      expect(Object.keys(query).filter((name) => !names.includes(name))).toEqual([]);
      expect(takenFrom(section).filter((name) => !fields.includes(name))).toEqual([]);
    }
  });
});
