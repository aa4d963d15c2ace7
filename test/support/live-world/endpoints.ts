// The endpoints of the simulated world: which request is meant, the true document, and the fields that carry it.
import { ChainNode } from './chain-node.ts';
import { feedContracts } from './feed-contracts.ts';
import { nearAnswer } from './near-node.ts';
import { coinsAt, type Fall, hacksAt, poolsAt, protocolsAt } from './truth-finance.ts';
import { directoryOf, type FeedIncidents, type FeedTruth, feedTruths } from './truth-feeds.ts';
import { hubAnswer } from './truth-governance.ts';
import { curatorListing, lendingContracts, vaultListing } from './truth-lending.ts';
import { logsIn, type PlacedLog } from './truth-logs.ts';
import { deliveredAnswer, RELAY_HOSTS } from './truth-relays.ts';
import { poolContracts } from './truth-swaps.ts';
import {
  type Correction,
  fundamentalsAt,
  postsAt,
  supplyPointsAt,
  validatorDaysAt,
} from './truth-networks.ts';

/** The true incidents. Every other event would be a false alarm. */
export interface Truth {
  readonly from: number;
  readonly to: number;
  readonly feeds: FeedIncidents;
  readonly falls: readonly Fall[];
  readonly corrections: readonly Correction[];
}

export interface Question {
  readonly host: string;
  readonly path: string;
  readonly body: string;
  /** Unix seconds. */
  readonly now: number;
}

/** Fields that troubles remove or change. */
export interface Carriers {
  /** Dotted path of the records; empty if the document is the list; null without a list. */
  readonly records: string | null;
  readonly id: string;
  /** A field that every record has. */
  readonly sentinel: string;
  /** A significant number; null if there is none. */
  readonly amount: string | null;
}

export interface Endpoint {
  readonly id: string;
  readonly carriers: Carriers;
  readonly protocol: 'plain' | 'graphql' | 'json_rpc';
  readonly hosts: Pick<RegExp, 'test'>;
  readonly path: RegExp;
  readonly answer: (question: Question) => unknown;
}

/** Returns null for an unknown request. */
export type Finder = (host: string, path: string) => Endpoint | null;

export interface Endpoints {
  readonly find: Finder;
  readonly feeds: readonly FeedTruth[];
  /** All contract logs, in chain order. */
  readonly logs: readonly PlacedLog[];
}

export function endpointsOf(truth: Truth): Endpoints {
  const feeds = feedTruths(truth.from, truth.to, truth.feeds);
  const logs = logsIn(truth.from, truth.to);
  const endpoints = [
    ...financial(truth),
    ...networks(truth),
    ...histories(),
    ...lists(),
    ...chains(feeds, logs),
  ];
  return {
    feeds,
    logs,
    find: (host, path) =>
      endpoints.find((one) => one.hosts.test(host) && one.path.test(path.split('?')[0] ?? '')) ?? null,
  };
}

const endpoint = (
  id: string,
  [hosts, path]: readonly [RegExp, RegExp],
  carriers: Carriers,
  answer: Endpoint['answer'],
  protocol: Endpoint['protocol'] = 'plain',
): Endpoint => ({ id, hosts, path, protocol, answer, carriers });

const financial = ({ falls }: Truth): readonly Endpoint[] => [
  endpoint(
    'pools',
    [/^yields\.llama\.fi$/, /^\/pools$/],
    { records: 'data', id: 'pool', sentinel: 'project', amount: 'tvlUsd' },
    ({ now }) => poolsAt(now),
  ),
  endpoint(
    'protocols',
    [/^api\.llama\.fi$/, /^\/protocols$/],
    { records: '', id: 'slug', sentinel: 'category', amount: 'tvl' },
    ({ now }) => protocolsAt(now, falls),
  ),
  endpoint(
    'hacks',
    [/^api\.llama\.fi$/, /^\/hacks$/],
    { records: '', id: 'name', sentinel: 'date', amount: 'amount' },
    ({ now }) => hacksAt(now),
  ),
  endpoint(
    'coins',
    [/^stablecoins\.llama\.fi$/, /^\/stablecoins$/],
    { records: 'peggedAssets', id: 'id', sentinel: 'symbol', amount: null },
    ({ now }) => coinsAt(now),
  ),
];

const queryOf = (host: string, path: string) => new URL(`http://${host}${path}`).searchParams;

const networks = ({ corrections }: Truth): readonly Endpoint[] => [
  endpoint(
    'fundamentals',
    [/^api\.growthepie\.com$/, /^\/v1\/fundamentals\.json$/],
    { records: '', id: 'origin_key', sentinel: 'date', amount: 'value' },
    ({ now }) => fundamentalsAt(now, corrections),
  ),
  endpoint(
    'validator-days',
    [/^raw\.githubusercontent\.com$/, /\/historical_data\.json$/],
    { records: '', id: 'date', sentinel: 'staked_amount', amount: 'validators' },
    ({ now }) => validatorDaysAt(now),
  ),
  endpoint(
    'supply',
    [/^ultrasound\.money$/, /\/supply-over-time$/],
    { records: 'd1', id: 'timestamp', sentinel: 'supply', amount: 'supply' },
    ({ now }) => supplyPointsAt(now),
  ),
  endpoint(
    'near',
    [/^free\.rpc\.fastnear\.com$/, /^\/$/],
    { records: null, id: 'epoch_height', sentinel: 'current_validators', amount: null },
    ({ body, now }) => nearAnswer(body, now),
    'json_rpc',
  ),
  endpoint(
    'hub',
    [/^hub\.snapshot\.org$/, /^\/graphql$/],
    { records: 'data.votes', id: 'id', sentinel: 'created', amount: null },
    ({ body, now }) => hubAnswer(body, now),
    'graphql',
  ),
];

/** Past entries, newest first. */
const histories = (): readonly Endpoint[] => [
  endpoint(
    'posts',
    [/./, /^\/posts\.json$/],
    { records: 'latest_posts', id: 'id', sentinel: 'created_at', amount: null },
    ({ host, path, now }) => postsAt(host, queryOf(host, path).get('before'), now),
  ),
  {
    ...endpoint(
      'payments',
      [/./, /\/proposer_payload_delivered$/],
      { records: '', id: 'slot', sentinel: 'block_hash', amount: null },
      ({ host, path, now }) => deliveredAnswer(host, queryOf(host, path), now),
    ),
    hosts: { test: (host) => RELAY_HOSTS.has(host) },
  },
];

const lists = (): readonly Endpoint[] => [
  endpoint(
    'vaults',
    [/^raw\.githubusercontent\.com$/, /\/vaults-listing\.json$/],
    { records: '', id: 'address', sentinel: 'chainId', amount: null },
    vaultListing,
  ),
  endpoint(
    'curators',
    [/^raw\.githubusercontent\.com$/, /\/curators-listing\.json$/],
    { records: '', id: 'id', sentinel: 'addresses', amount: null },
    ({ now }) => curatorListing(now),
  ),
];

function chains(feeds: readonly FeedTruth[], logs: readonly PlacedLog[]): readonly Endpoint[] {
  const node = new ChainNode(
    new Map([...feedContracts(feeds), ...lendingContracts(), ...poolContracts()]),
    logs,
  );
  return [
    endpoint(
      'directory',
      [/^reference-data-directory\.vercel\.app$/, /^\/feeds-mainnet\.json$/],
      { records: '', id: 'name', sentinel: 'heartbeat', amount: null },
      () => directoryOf(feeds),
    ),
    endpoint(
      'node',
      [/^(ethereum-rpc\.publicnode\.com|eth\.drpc\.org|eth\.llamarpc\.com)$/, /^\/$/],
      { records: null, id: 'id', sentinel: 'result', amount: null },
      ({ body, now }) => node.answer(body, now),
      'json_rpc',
    ),
  ];
}
