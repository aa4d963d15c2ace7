// What can be searched: the entries of every list that the reader may read, loaded when the search is first used.
import { isOffered, isRefused } from './access.ts';
import { ask, type Meta, target } from './api.ts';
import type { RiskEvent } from './api-shapes.ts';
import { caption, timeText } from './format.ts';
import { MAX_ROWS } from './pager.ts';
import { type Entry, type Group, searchResults } from './search-rank.ts';
import { link } from './state.ts';
import { namingParts } from './subject-parts.ts';

type Row = Readonly<Record<string, unknown>>;

interface SearchList {
  /** The whole list first; others are read if it may not be read. */
  readonly addresses: () => readonly string[];
  readonly entriesOf: (row: Row, meta: Meta) => readonly Entry[];
}

const text = (row: Row, name: string): string => {
  const value = row[name];
  return typeof value === 'string' ? value : '';
};

const dataset = (id: string, list?: string) => () => [
  target(`/v2/datasets/${id}`),
  ...(list === undefined ? [] : [target(list, { limit: MAX_ROWS })]),
];

const on = (row: Row): string => (text(row, 'chain') === '' ? '' : ` on ${text(row, 'chain')}`);

const LISTS: readonly SearchList[] = [
  {
    addresses: () => [target('/v2/scores/overall')],
    entriesOf: (row) => [protocolEntry(text(row, 'protocol'))],
  },
  {
    addresses: dataset('pegs', '/v2/pegs'),
    entriesOf: (row) => [
      {
        kind: 'pegged asset',
        name: text(row, 'symbol'),
        aliases: [text(row, 'asset_name')],
        context: `pegged asset${on(row)}`,
        href: link('/pegs', { chain: text(row, 'chain'), symbol: text(row, 'asset_name') }),
      },
    ],
  },
  {
    addresses: dataset('feeds', '/v2/feeds'),
    entriesOf: (row) => [
      {
        kind: 'feed',
        name: text(row, 'pair') || text(row, 'feed_address'),
        aliases: [text(row, 'feed_address')],
        context: `feed${on(row)}`,
        href: link('/pegs', { chain: text(row, 'chain'), feed: text(row, 'feed_address') }),
      },
    ],
  },
  {
    addresses: dataset('lending-markets', '/v2/lending/markets'),
    entriesOf: (row) => [
      {
        kind: 'market',
        name: text(row, 'name') || text(row, 'market_id'),
        aliases: [text(row, 'market_id')],
        context: `market of ${text(row, 'protocol')}${on(row)}`,
        href: link('/lending', { chain: text(row, 'chain'), market: text(row, 'market_id') }),
      },
      protocolEntry(text(row, 'protocol')),
    ],
  },
  { addresses: dataset('lending-vaults'), entriesOf: vaultEntries },
  // Those in no registry, too.
  { addresses: () => [target('/v2/vaults', { limit: MAX_ROWS })], entriesOf: vaultEntries },
  { addresses: () => [target('/v2/lending/oracles', { limit: MAX_ROWS })], entriesOf: oracleEntries },
  {
    addresses: () => [
      target('/v2/datasets/yield-opportunities'),
      target('/v2/yield/opportunities', { limit: MAX_ROWS }),
    ],
    entriesOf: (row) => [
      {
        kind: 'yield',
        name: text(row, 'name'),
        aliases: [text(row, 'id')],
        context: `yield${on(row)}`,
        href: link('/yields', { id: text(row, 'id') }),
      },
    ],
  },
  { addresses: dataset('exposure-graph'), entriesOf: assetEntries },
  {
    addresses: dataset('networks', '/v2/networks'),
    entriesOf: (row) => [
      {
        kind: 'network',
        name: text(row, 'network'),
        context: 'network',
        href: link('/networks', { network: text(row, 'network') }),
      },
    ],
  },
  {
    addresses: () => [target('/v2/event-types')],
    entriesOf: (row) => [
      {
        kind: 'event type',
        name: text(row, 'type'),
        aliases: [text(row, 'summary')],
        context: 'event type',
        href: link('/events', { type: text(row, 'type') }),
      },
    ],
  },
  { addresses: () => [target('/v2/events', { order: 'desc', limit: 200 })], entriesOf: eventEntries },
  {
    addresses: () => [target('/v2/datasets')],
    entriesOf: (row) => [
      {
        kind: 'dataset',
        name: `${text(row, 'title') || text(row, 'id')} (${text(row, 'id')})`,
        aliases: [text(row, 'id'), text(row, 'title')],
        context: 'dataset',
        href: link('/datasets', { id: text(row, 'id') }),
      },
    ],
  },
];

const protocolEntry = (protocol: string): Entry => ({
  kind: 'protocol',
  name: protocol,
  context: 'protocol',
  href: link('/protocols', { protocol }),
});

function vaultEntries(row: Row): readonly Entry[] {
  const [chain, vault, curator] = [text(row, 'chain'), text(row, 'vault_address'), text(row, 'curator_name')];
  return [
    {
      kind: 'vault',
      name: text(row, 'name') || vault,
      aliases: [vault, text(row, 'symbol')],
      context: `vault${curator === '' ? '' : ` of ${curator}`}${on(row)}`,
      href: link('/lending', { chain, vault }),
    },
    {
      kind: 'curator',
      name: curator,
      aliases: [text(row, 'curator')],
      context: 'curator of vaults',
      href: `${link('/lending', { curator })}#vaults`,
    },
  ];
}

interface AssumptionText {
  readonly id: string;
  readonly kind: string;
  readonly statement: string;
}

/** An oracle has the name of its market. What only says that the whole path is right has none of its own. */
function oracleEntries(row: Row): readonly Entry[] {
  const [chain, market] = [text(row, 'chain'), text(row, 'market_id')];
  const assumptions = (row['assumptions'] ?? []) as readonly AssumptionText[];
  return [
    {
      kind: 'oracle',
      name: text(row, 'name') || market,
      aliases: [text(row, 'oracle_address'), market],
      context: `oracle of a market${on(row)}`,
      href: link('/oracles', { chain, market }),
    },
    ...assumptions
      .filter(({ kind }) => kind !== 'path')
      .map(
        ({ id, statement }): Entry => ({
          kind: 'assumption',
          name: statement.replace(/\.$/, ''),
          aliases: [id],
          context: `assumption of oracles${on(row)}`,
          href: link('/contagion', { from: `assumption:${chain}:${id}` }),
        }),
      ),
  ];
}

interface HeldNode {
  readonly to: string;
  readonly kind: string;
  readonly name: string | null;
}

/** Assets that a vault, a market or another asset holds. */
function assetEntries(row: Row): readonly Entry[] {
  const edges = (row['edges'] ?? []) as readonly HeldNode[];
  const own = { to: text(row, 'node'), kind: text(row, 'kind'), name: text(row, 'name') };
  return [own, ...edges]
    .filter(({ kind }) => kind === 'asset')
    .map(({ to, name }) => ({
      kind: 'asset',
      name: name || to.replace(/^asset:/, ''),
      context: 'asset, and who holds it',
      href: `${link('/lending', { holds: to })}#holders`,
    }));
}

function eventEntries(row: Row, { names = {} }: Meta): readonly Entry[] {
  const { event_id, type, subject_id, chain, ts } = row as unknown as RiskEvent;
  const known = names as Readonly<Record<string, string>>;
  const subject = namingParts(subject_id, chain).map((part) => known[part] ?? part);
  return [
    {
      kind: 'event',
      name: `${subject.join(' ')}: ${caption(type)}`,
      aliases: [event_id],
      context: `event of ${timeText(ts)} UTC`,
      href: link('/events', { id: event_id }),
    },
  ];
}

/** Lists that cannot be read, for example without a key, are left out. */
export async function searchIndex(): Promise<readonly Entry[]> {
  const parts = await Promise.allSettled(LISTS.map(entriesIn));
  const all = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
  const named = all.filter(({ name }) => name !== '');
  return [...new Map(named.map((entry) => [`${entry.kind} ${entry.href}`, entry])).values()];
}

async function entriesIn({ addresses, entriesOf }: SearchList): Promise<readonly Entry[]> {
  const address = addresses().find((one) => isOffered(one) && !isRefused(one));
  if (address === undefined) return [];
  const { data, meta } = await ask<readonly Row[]>(address);
  return data.flatMap((row) => entriesOf(row, meta));
}

/** What a text finds. */
export const resultsIn = (index: readonly Entry[], typed: string): readonly Group[] =>
  searchResults([...eventById(typed), ...index], typed);

/** An event that is too old for the list can be found by its id. */
const eventById = (id: string): readonly Entry[] =>
  /^[0-9A-HJKMNP-TV-Z]{26}$/i.test(id)
    ? [
        {
          kind: 'event',
          name: id.toUpperCase(),
          context: 'event',
          href: link('/events', { id: id.toUpperCase() }),
        },
      ]
    : [];
