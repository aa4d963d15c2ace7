// One local server that plays all keyless sources: small answers in the shape of the real ones, as of the moment at which they are asked.
import { liveSources } from '../../../jobs/live/configured.ts';
import { SHIPPED_SOURCES } from '../../../jobs/live/shipped.ts';
import type { Asked, Reply } from '../net/replay-server.ts';

const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
const seconds = (ms: number) => Math.floor(ms / 1000);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Where each host of the keyless sources is to be reached, for the section `hosts`. */
export function hostsAt(address: string) {
  const sources = liveSources(SHIPPED_SOURCES).filter(
    ({ request, needs }) => request !== null && needs.length === 0,
  );
  const names = sources.flatMap(({ request, partitions }) =>
    partitions.map(({ params }) => {
      const [, host = ''] = /^https:\/\/([^/]+)/.exec(request?.url ?? '') ?? [];
      return host.replace('{host}', params['host'] ?? '');
    }),
  );
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, { address, requests_per_minute: 6_000 }]),
  );
}

const pools = () => ({
  status: 'success',
  data: times(24, (index) => ({
    chain: index % 2 === 0 ? 'Ethereum' : 'OP Mainnet',
    project: 'aave-v3',
    symbol: 'USDC',
    tvlUsd: 5_000_000 + index,
    apyBase: 3.25,
    apyReward: null,
    apy: 3.25,
    pool: `0000-${index}`,
    stablecoin: true,
    ilRisk: 'no',
    exposure: 'single',
    poolMeta: null,
    outlier: false,
    count: 700,
    apyMean30d: 3.1,
  })),
});

const protocols = () =>
  times(30, (index) => ({
    name: `Protocol ${index}`,
    slug: `protocol-${index}`,
    category: index < 4 ? 'Restaking' : 'Lending',
    tvl: 40_000_000 + index,
    audits: '2',
    listedAt: 1_700_000_000,
  }));

const stablecoins = () => ({
  peggedAssets: times(12, (index) => ({
    id: String(index),
    name: `Coin ${index}`,
    symbol: `C${index}`,
    pegType: 'peggedUSD',
    pegMechanism: 'fiat-backed',
  })),
});

const feeds = () =>
  times(25, (index) => ({
    name: `A${index} / USD`,
    proxyAddress: `0x${String(index).padStart(40, '0')}`,
    heartbeat: 3_600,
    threshold: 0.5,
    decimals: 8,
    feedCategory: 'low',
    docs: { baseAsset: `A${index}`, quoteAsset: 'USD', productType: 'Price', assetClass: 'Crypto' },
  }));

const fundamentals = (nowMs: number) =>
  times(10, (day) => day + 1).flatMap((ago) =>
    ['arbitrum', 'base', 'optimism'].flatMap((origin_key) =>
      ['txcount', 'tvl', 'fees_paid_usd'].map((metric_key, index) => ({
        metric_key,
        origin_key,
        date: iso(nowMs - ago * DAY_MS).slice(0, 10),
        value: 1_000_000 * (index + 1) + ago,
      })),
    ),
  );

const validators = (nowMs: number) =>
  times(60, (index) => ({
    date: iso(nowMs - (60 - index) * DAY_MS).slice(0, 10),
    validators: 900_000 + index,
    entry_queue: 1_000,
    entry_wait: 2.5,
    exit_queue: 10,
    exit_wait: 0.1,
    ave_entry_churn: 256,
    ave_exit_churn: 256,
    supply: 121_000_000,
    staked_amount: 42_000_000 + index,
    apr: 2.6,
  }));

const nearValidators = () => {
  const seats = times(5, (index) => ({
    account_id: `v${index}.near`,
    public_key: 'ed25519:x',
    is_slashed: false,
    stake: `${index + 1}000000000000000000000000000000`,
    shards: [0],
    num_produced_blocks: 10,
    num_expected_blocks: 10,
  }));
  const result = {
    epoch_height: 4_000,
    epoch_start_height: 1,
    current_validators: seats,
    next_validators: seats,
  };
  return {
    jsonrpc: '2.0',
    id: 1,
    result: { ...result, current_fishermen: [], current_proposals: [], prev_epoch_kickout: [] },
  };
};

interface GraphqlBody {
  readonly query: string;
  readonly variables: { readonly space: string; readonly from: number; readonly to: number };
}

/** Three closed proposals a space, two votes each; a vote whose power is not final must not land. */
function snapshot({ query, variables }: GraphqlBody, nowMs: number) {
  const { space, from, to } = variables;
  const within = ({ created }: { readonly created: number }) => created >= from && created <= to;
  const proposals = times(3, (index) => {
    const created = seconds(nowMs - (index + 6) * DAY_MS) - (seconds(nowMs) % 86_400);
    const type = index === 2 ? 'weighted' : 'basic';
    const span = { start: created + 3_600, end: created + 4 * 86_400 };
    return {
      id: `0x${space.length}${index}ab`,
      author: `0xa${index}`,
      created,
      ...span,
      state: 'closed',
      type,
      scores_state: 'final',
      space: { id: space },
    };
  });
  if (query.includes('proposals(')) return { data: { proposals: proposals.reverse().filter(within) } };
  const votes = proposals.flatMap((proposal) =>
    times(2, (index) => ({
      id: `${proposal.id}v${index}`,
      voter: `0xb${index}`,
      created: proposal.start + 60 * (index + 1),
      choice: proposal.type === 'basic' ? index + 1 : { '1': 60, '2': 40 },
      vp: 1_234.567890123456,
      vp_state: index === 1 && proposal.type === 'weighted' ? 'pending' : 'final',
      proposal,
    })),
  );
  return { data: { votes: votes.filter(within).sort((a, b) => a.created - b.created) } };
}

function posts(before: string | null, nowMs: number) {
  const last = before === null ? 1_000 : Number(before);
  return {
    latest_posts: times(20, (index) => last - index)
      .filter((id) => id > 900)
      .map((id) => ({
        id,
        username: `user${id % 7}`,
        created_at: iso(nowMs - (1_000 - id) * 3_600_000),
        raw: 'This proposal is great, I love the new risk parameters.',
        post_type: 1,
        hidden: false,
      })),
  };
}

export function standIn({ path, body }: Asked, nowMs: number, delayMs = 0): Reply {
  const url = new URL(`http://stand-in${path}`);
  const answer = answerOf(url, body, nowMs);
  const headers = { 'content-type': 'application/json', date: new Date(nowMs).toUTCString() };
  return answer === undefined
    ? { status: 404, headers, delayMs }
    : { body: JSON.stringify(answer), headers, delayMs };
}

function answerOf({ pathname, searchParams }: URL, body: string, nowMs: number): unknown {
  if (pathname === '/pools') return pools();
  if (pathname === '/protocols') return protocols();
  if (pathname === '/stablecoins') return stablecoins();
  if (pathname.startsWith('/feeds-')) return feeds();
  if (pathname === '/v1/fundamentals.json') return fundamentals(nowMs);
  if (pathname.endsWith('/historical_data.json')) return validators(nowMs);
  if (pathname === '/posts.json') return posts(searchParams.get('before'), nowMs);
  if (pathname === '/graphql') return snapshot(JSON.parse(body), nowMs);
  return pathname === '/' ? nearValidators() : undefined;
}
