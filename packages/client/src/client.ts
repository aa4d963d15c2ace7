// A typed client of the API: paths, parameters and responses come from api-types.ts, which is generated from the API document.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';
import { replayed, rows } from './pages.ts';
import { type RetryRules, retryingFetch, USUAL_RULES } from './retry.ts';

export interface Access {
  readonly baseUrl: string;
  /** Without a key only open endpoints are available. */
  readonly key?: string | undefined;
  readonly retry?: RetryRules;
}

export type Api = Client<paths>;
type Schemas = components['schemas'];

export function connect({ baseUrl, key, retry = USUAL_RULES }: Access): Api {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const api = createClient<paths>({ baseUrl, headers, fetch: retryingFetch(retry) });
  api.use({ onResponse: ({ response }) => usualSpelling(response) });
  return api;
}

/** Names under which other services of this interface send a member, with the name that the document gives it. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  mid_level_topic_based_sentiment_distrubution: 'mid_level_topic_based_sentiment_distribution',
  consensus_algorithm: 'validation_mechanism',
};

/** The response with every member under its usual name; undefined if there is nothing to change. */
async function usualSpelling(response: Response): Promise<Response | undefined> {
  if (!response.url.includes('/scores/social/') && !response.url.includes('/data/blockchain/'))
    return undefined;
  const text = await response.clone().text();
  if (!Object.keys(OTHER_SPELLINGS).some((name) => text.includes(`"${name}"`))) return undefined;
  const body: unknown = JSON.parse(
    text,
    function respell(this: Record<string, unknown>, name, value: unknown) {
      const usual = OTHER_SPELLINGS[name];
      if (usual === undefined) return value;
      this[usual] ??= value;
      return undefined;
    },
  );
  const { status, statusText, headers } = response;
  return new Response(JSON.stringify(body), { status, statusText, headers });
}

type CoverageFilter = Omit<
  NonNullable<paths['/v2/data-manifest/coverage']['get']['parameters']['query']>,
  'cursor'
>;

/** Coverage rows of all pages, worst covered first. */
export const coverage = (api: Api, filter: CoverageFilter = {}): AsyncGenerator<Schemas['CoverageRow']> =>
  rows((cursor) =>
    api.GET('/v2/data-manifest/coverage', {
      params: { query: { ...filter, ...(cursor !== undefined && { cursor }) } },
    }),
  );

type EventFilter = Omit<
  NonNullable<paths['/v2/events/replay']['get']['parameters']['query']>,
  'since_event_id'
>;

/** Past events of all pages, in order. Store the last `event_id` to continue from there. */
export const events = (
  api: Api,
  filter: EventFilter = {},
  lastEventId?: string,
): AsyncGenerator<Schemas['Event']> =>
  replayed(
    (since) =>
      api.GET('/v2/events/replay', {
        params: { query: { ...filter, ...(since !== undefined && { since_event_id: since }) } },
      }),
    lastEventId,
  );
