// Development in the demo world: repositories of protocols and blockchains with their daily commits, merges and releases. Some are active,
// some quiet; one is dormant, one is written only by a bot, and one is a fork.

import { DAY_S } from '../../../platform/base/time.ts';
import type { ColumnsDelivery, Interval, Source } from '../../define/source.ts';
import { hash, hexDigits, unit } from './scenario/hash.ts';
import { type DemoSettings, firstDay } from './scenario/settings.ts';

const FACTS = { kind: 'simulated', url: null, chain: null, license: null } as const;
const MIN_DAYS = 9;
/** Days before the first day, so that a score covers its full thirty days from the start. */
const DAYS_BEFORE = 31;

interface Repository {
  readonly repository: string;
  readonly name: string;
  readonly kind: 'protocol' | 'blockchain';
  /** Commits on a normal day. */
  readonly daily: number;
  readonly authors: number;
  /** Days from one release to the next; 0 for none. */
  readonly release_days: number;
  readonly state?: 'asleep' | 'bot' | 'fork';
}

const of =
  (kind: Repository['kind']) =>
  (
    name: string,
    repository: string,
    [daily, authors, release_days]: readonly [daily: number, authors: number, release_days: number],
  ): Repository => ({ repository, name, kind, daily, authors, release_days });
const protocol = of('protocol');
const blockchain = of('blockchain');

const REPOSITORIES: readonly Repository[] = [
  protocol('Aave', 'aave-demo/core', [3, 8, 12]),
  protocol('Aave', 'aave-demo/interface', [4, 9, 9]),
  { ...protocol('Aave', 'aave-demo/borrowed', [20, 9, 3]), state: 'fork' },
  protocol('Balancer', 'balancer-demo/vault', [4, 8, 13]),
  protocol('Compound', 'compound-demo/comet', [2, 5, 20]),
  protocol('Curve Finance', 'curve-demo/pools', [3, 6, 15]),
  protocol('Frax', 'frax-demo/frax', [2, 4, 0]),
  protocol('GMX', 'gmx-demo/synthetics', [5, 7, 11]),
  protocol('Lido', 'lido-demo/lido-dao', [7, 12, 8]),
  protocol('MakerDAO', 'maker-demo/dss', [1, 3, 0]),
  protocol('Morpho', 'morpho-demo/blue', [5, 9, 14]),
  protocol('Pendle', 'pendle-demo/core', [3, 5, 12]),
  { ...protocol('Synthetix', 'synthetix-demo/v3', [2, 4, 21]), state: 'asleep' },
  { ...protocol('Tether', 'tether-demo/contracts', [3, 1, 10]), state: 'bot' },
  protocol('Uniswap', 'uniswap-demo/v4', [8, 15, 7]),
  protocol('Yearn Finance', 'yearn-demo/vaults', [4, 6, 16]),
  blockchain('Arbitrum', 'arbitrum-demo/nitro', [9, 18, 6]),
  blockchain('Avalanche', 'avalanche-demo/node', [7, 13, 7]),
  blockchain('Base', 'base-demo/node', [3, 8, 9]),
  blockchain('Ethereum', 'ethereum-demo/client', [14, 31, 5]),
  blockchain('NEAR', 'near-demo/core', [8, 16, 8]),
  blockchain('Optimism', 'optimism-demo/monorepo', [16, 28, 4]),
  blockchain('Polygon', 'polygon-demo/bor', [5, 10, 10]),
  blockchain('Solana', 'solana-demo/validator', [12, 24, 5]),
];

interface Commit {
  readonly repository: string;
  readonly commit_id: string;
  readonly author: string;
  readonly is_bot: boolean;
  readonly committed_at: number;
  readonly parents: number;
  readonly lines: number;
}

export function developmentDemoSources(settings: DemoSettings): readonly Source[] {
  const { seed } = settings;
  const start = firstDay(settings.startedAt, Math.max(settings.days, MIN_DAYS) + DAYS_BEFORE);
  const source = (id: string, table: string, deliver: (interval: Interval) => ColumnsDelivery): Source => ({
    facts: { ...FACTS, id: `demo-${id}`, name: `Demo world (simulated): ${id.replaceAll('-', ' ')}` },
    table,
    async *deliveries(interval) {
      const delivery = deliver(interval);
      if (delivery.count > 0) yield delivery;
    },
  });
  return [
    source('repositories', 'development_repository', ({ from, to }) =>
      registryDelivery(from < start && start <= to ? start : null),
    ),
    source('commits', 'development_commit', (interval) =>
      commitDelivery(inside(interval, start, (index, day) => commitsOn(seed, index, { day, start }))),
    ),
    source('releases', 'development_release', (interval) =>
      releaseDelivery(inside(interval, start, (index, day) => releasesOn(seed, index, { day, start }))),
    ),
  ];
}

/** Calls `on` for every repository and day, and keeps what falls within the interval. */
function inside<T extends { readonly committed_at: number }>(
  { from, to }: Interval,
  start: number,
  on: (index: number, day: number) => readonly T[],
): readonly T[] {
  const first = Math.max(start, from - (((from % DAY_S) + DAY_S) % DAY_S));
  const found: T[] = [];
  for (let day = first; day <= to; day += DAY_S) {
    for (const index of REPOSITORIES.keys())
      found.push(...on(index, day).filter(({ committed_at: at }) => at > from && at <= to));
  }
  return found;
}

interface CommitDay {
  readonly day: number;
  readonly start: number;
}

/** A dormant repository had its last commit on its first day. A few bots commit to active ones. */
function commitsOn(seed: number, index: number, { day, start }: CommitDay): readonly Commit[] {
  const one = REPOSITORIES[index];
  if (one === undefined || (one.state === 'asleep' && day > start)) return [];
  const own = hash(hash(seed, 4_000 + index), day / DAY_S);
  const isWeekend = (day / DAY_S + 3) % 7 >= 5;
  const count = Math.round(one.daily * (isWeekend ? 0.3 : 0.6 + 0.8 * unit(own, 0)));
  return Array.from({ length: Math.max(count, one.state === undefined ? 0 : 2) }, (_, at) => {
    const rank = Math.floor(one.authors * unit(own, 100 + at) ** 2);
    const is_bot = one.state === undefined && one.daily > 6 && hash(own, 500 + at) % 9 === 0;
    return {
      repository: one.repository,
      commit_id: hexDigits(hash(own, 900 + at), 32) + at.toString(16).padStart(8, '0'),
      author: hexDigits(hash(hash(seed, 4_500 + index), is_bot ? 999 : rank), 16),
      is_bot,
      committed_at: day + (Math.floor((DAY_S * (at + unit(own, 300 + at))) / Math.max(count, 2)) % DAY_S),
      parents: hash(own, 700 + at) % 6 === 0 ? 2 : 1,
      // A program changes the same line again and again.
      lines: one.state === 'bot' ? 1 : 1 + (hash(own, 800 + at) % 400),
    };
  });
}

function releasesOn(seed: number, index: number, { day, start }: CommitDay) {
  const one = REPOSITORIES[index];
  const since = (day - start) / DAY_S;
  if (one === undefined || one.release_days === 0 || one.state === 'asleep' || since % one.release_days !== 0)
    return [];
  const tag = `v1.${since / one.release_days}.0`;
  return [{ repository: one.repository, tag, committed_at: day + (hash(seed, 4_900 + index) % DAY_S) }];
}

function registryDelivery(at: number | null): ColumnsDelivery {
  const rows = at === null ? [] : REPOSITORIES;
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      repository: rows.map(({ repository }) => repository),
      name: rows.map(({ name }) => name),
      kind: rows.map(({ kind }) => kind),
      is_fork: rows.map(({ state }) => state === 'fork'),
      observed_at: rows.map(() => at),
    },
  };
}

const commitDelivery = (commits: readonly Commit[]): ColumnsDelivery => ({
  kind: 'columns',
  count: commits.length,
  columns: {
    repository: commits.map(({ repository }) => repository),
    commit_id: commits.map(({ commit_id }) => commit_id),
    author: commits.map(({ author }) => author),
    is_bot: commits.map(({ is_bot }) => is_bot),
    committed_at: commits.map(({ committed_at }) => committed_at),
    parents: commits.map(({ parents }) => parents),
    files_changed: commits.map(({ lines }) => 1 + (lines % 7)),
    insertions: commits.map(({ lines }) => lines),
    deletions: commits.map(({ lines }) => lines >> 1),
  },
});

const releaseDelivery = (
  releases: readonly { readonly repository: string; readonly tag: string; readonly committed_at: number }[],
): ColumnsDelivery => ({
  kind: 'columns',
  count: releases.length,
  columns: {
    repository: releases.map(({ repository }) => repository),
    tag: releases.map(({ tag }) => tag),
    released_at: releases.map(({ committed_at }) => committed_at),
  },
});
