// What a fetched source may contain in the `sources` section: the request, its paging, its windows and its guards, in addition to the
// mapping that file sources have.
import { type Static, Strict, Type } from '../../../../schemas/define.ts';
import { SourceSection } from '../../files/section.ts';
import { ChainSection } from '../evm/chain-section.ts';

const Opt = Type.Optional;
const Text = (description: string) => Type.String({ minLength: 1, description });
const Count = (description: string, maximum = 1_000_000) =>
  Type.Integer({ minimum: 1, maximum, description });
const Duration = (description: string) =>
  Type.String({
    pattern: '^[1-9][0-9]*(s|m|h|d)$',
    description: `${description}, for example 30s, 5m, 1h or 1d`,
  });
const Texts = (description: string) =>
  Type.Record(Type.String({ minLength: 1 }), Type.String(), { description });

export const RequestSection = Strict(
  {
    method: Opt(Type.Enum(['GET', 'POST'])),
    url: Type.String({
      pattern: '^https?://[^\\s/]+(/\\S*)?$',
      description:
        'an http or https address; {name} stands for a value, a name in braces after $ for an environment variable',
    }),
    query: Opt(Texts('an object of query parameters; empty ones are omitted')),
    headers: Opt(Texts('an object of headers')),
    json: Opt(Type.Unknown({ description: 'a JSON body; the text `=number {page}` becomes a number' })),
    graphql: Opt(
      Strict(
        { query: Text('a GraphQL query'), variables: Opt(Type.Unknown()) },
        'an object with query and variables, sent as a POST',
      ),
    ),
    json_rpc: Opt(
      Strict(
        {
          method: Text('a JSON-RPC method'),
          params: Opt(
            Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
              description: 'a list of arguments, or an object of named ones',
            }),
          ),
        },
        'an object with method and params (a list, or an object), sent as a POST',
      ),
    ),
    chain: Opt(ChainSection),
    near: Opt(Strict({ read: Type.Enum(['block', 'validators']) }, 'an object with read')),
    git: Opt(
      Strict({ history: Duration('how far back commits and tags are read') }, 'an object with history'),
    ),
    timeout: Opt(Duration('the time limit of one attempt')),
  },
  'an object with method, url, query, headers, and json, graphql, json_rpc, chain, near or git',
);
export type RequestSection = Static<typeof RequestSection>;

const Pages = { max_pages: Opt(Count('the maximum number of pages; more are an error', 100_000)) };
const Field = Text('a dotted path');

export const PagerSection = Type.Union(
  [
    Strict({ kind: Type.Literal('none') }),
    Strict({
      kind: Type.Literal('page'),
      first: Opt(Type.Integer({ minimum: 0 })),
      size: Opt(Count('the records of a full page')),
      ...Pages,
    }),
    Strict({
      kind: Type.Literal('offset'),
      size: Count('the records of a full page'),
      total: Opt(Field),
      ...Pages,
    }),
    Strict({ kind: Type.Literal('cursor'), next: Field, ...Pages }),
    Strict({
      kind: Type.Literal('keyset'),
      field: Field,
      order: Type.Enum(['asc', 'desc']),
      size: Opt(Count('the records of a full page')),
      time: Opt(Field),
      clock: Opt(
        Strict(
          {
            starts_at: Type.Integer({ minimum: 0, description: 'Unix seconds of step 0' }),
            step_s: Count('seconds of a step'),
          },
          'an object with starts_at and step_s, for a field that counts steps of time',
        ),
      ),
      ...Pages,
    }),
    Strict({ kind: Type.Literal('link'), ...Pages }),
  ],
  {
    description:
      'an object with kind none, page, offset, cursor, keyset or link, and what that kind needs (docs/live-sources.md)',
  },
);
export type PagerSection = Static<typeof PagerSection>;

export const WindowSection = Strict(
  {
    history: Duration('how far back the first start reads'),
    step: Duration('the longest window that one reading covers'),
    overlap: Opt(Duration('how much of the newest window is read again')),
    lag: Opt(Duration('how far behind the clock the source becomes complete')),
  },
  'an object with history, step, overlap and lag',
);
export type WindowSection = Static<typeof WindowSection>;

export const GuardSection = Strict(
  {
    min_records: Opt(
      Type.Integer({
        minimum: 0,
        description: 'the minimum number of records of a reading; 1 by default, 0 with a window',
      }),
    ),
    min_share: Opt(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'the minimum share of the last accepted count; 0.5 by default',
      }),
    ),
    present: Opt(
      Type.Array(Field, { description: 'a list of fields that at least half of the records must have' }),
    ),
    counted: Opt(
      Type.Array(Field, {
        description:
          'a list of fields; the records that have one must not drop below min_share of the last count',
      }),
    ),
    max_zero_share: Opt(
      Type.Record(Type.String({ minLength: 1 }), Type.Number({ minimum: 0, maximum: 1 }), {
        description: 'an object that maps fields to the largest credible share of zeros',
      }),
    ),
    max_same: Opt(Count('the number of different readings in a row that may have the same newest record')),
    max_bytes: Opt(Count('the maximum size of a body in bytes', 2_000_000_000)),
    max_total_bytes: Opt(Count('the maximum size of all bodies of a reading in bytes', 2_000_000_000)),
    max_values: Opt(
      Count('the maximum number of values in all bodies of a reading, at any depth', 100_000_000),
    ),
  },
  'an object with min_records, min_share, present, counted, max_zero_share, max_same, max_bytes, max_total_bytes and max_values',
);
export type GuardSection = Static<typeof GuardSection>;

const { table, delimiter, records, where, name, url, license, chain, expects, fields } =
  SourceSection.properties;

/** Everything but the mapping is about fetching; a source with `recordings_of` maps what another source fetches. */
export const LiveSection = Strict({
  table,
  request: Opt(RequestSection),
  recordings_of: Opt(Text('the id of the source whose recordings it maps')),
  every: Opt(Duration('how often it is read')),
  each: Opt(
    Type.Array(Type.Record(Type.String(), Type.String()), {
      minItems: 1,
      description:
        'a list of objects of values; the request is sent for each, with its value in place of {name}',
    }),
  ),
  pager: Opt(PagerSection),
  window: Opt(WindowSection),
  guards: Opt(GuardSection),
  format: Opt(Type.Enum(['json', 'ndjson', 'csv'])),
  delimiter,
  records,
  entries: Opt(
    Type.Boolean({ description: 'true if the records are the members of an object; `@key` is their name' }),
  ),
  columns: Opt(Text('the dotted path of the column names, if the records are lists')),
  where,
  name,
  url,
  license,
  chain,
  attribution: Opt(Text('the attribution to show')),
  terms_url: Opt(Type.String({ pattern: '^https?://', description: 'the address of its terms' })),
  redistributable: Opt(
    Type.Boolean({ description: 'false if its rows may not be published; they do not land then' }),
  ),
  is_on: Opt(Type.Boolean({ description: 'false to turn it off' })),
  expects,
  fields,
});
export type LiveSection = Static<typeof LiveSection>;

/** Budget and address of one host, in the section `hosts`. */
export const HostSection = Strict({
  in_flight: Opt(Count('requests at the same time', 100)),
  requests_per_minute: Opt(
    Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'a number above 0' }),
  ),
  bytes_per_day: Opt(Type.Integer({ minimum: 1, description: 'a number of bytes' })),
  address: Opt(
    Type.String({
      pattern: '^https?://[^\\s/]+/?$',
      description: 'an origin to send its requests to, such as a mirror or a node of your own',
    }),
  ),
});
export type HostSection = Static<typeof HostSection>;
