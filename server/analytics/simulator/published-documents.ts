// The published documents that a simulation reads: looked up by id, parsed once, and recorded for the hash of the inputs.
import { oncePer } from '../../../platform/base/once-per.ts';
import type { ExitInputs, ReturnInputs } from '../../../schemas/analytics.ts';
import type { BorrowerTranches, RateModel } from '../../../schemas/borrowing.ts';
import type { Static } from '../../../schemas/define.ts';
import type { DetectorState } from '../../../schemas/detector-state.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { LendingMarketSchema, LendingVaultSchema } from '../../../schemas/lending.ts';
import type { OraclePairSchema } from '../../../schemas/oracles.ts';
import type { PoolState } from '../../../schemas/pools.ts';
import { unwrapped } from '../../../schemas/wrapped-coins.ts';
import type { DatasetEntry } from '../../../snapshots/layout.ts';
import type { Documents } from '../../data/documents.ts';
import type { LoadedVersion } from '../../services.ts';
import { depthInPools, type SymbolDepth } from '../pool-depths.ts';
import type { InputDocument } from '../task.ts';

export type LendingVault = Static<typeof LendingVaultSchema>;

export type LendingMarket = Static<typeof LendingMarketSchema>;

/** The markets of a version. `lending`: those that lend a symbol (upper case), largest first. `symbols`: all symbols that markets name. */
interface MarketIndex {
  readonly lending: ReadonlyMap<string, readonly LendingMarket[]>;
  readonly symbols: ReadonlySet<string>;
  /** Markets by the feeds behind them, `<chain>:<feed_address>`. */
  readonly reading: ReadonlyMap<string, readonly LendingMarket[]>;
}

function indexOf(markets: readonly LendingMarket[]): MarketIndex {
  const lending = new Map<string, LendingMarket[]>();
  const symbols = new Set<string>();
  for (const market of markets) {
    const loan = market.loan_symbol?.toUpperCase();
    if (market.collateral_symbol !== null) symbols.add(market.collateral_symbol.toUpperCase());
    if (loan === undefined) continue;
    symbols.add(loan);
    lending.set(loan, [...(lending.get(loan) ?? []), market]);
  }
  for (const list of lending.values()) list.sort((a, b) => (b.supplied_usd ?? 0) - (a.supplied_usd ?? 0));
  return { lending, symbols, reading: marketsByFeed(markets) };
}

export const idOf = ({ chain, market_id }: LendingMarket): string => `${chain}:${market_id}`;

/** Markets by the feeds behind them, `<chain>:<feed_address>`. */
function marketsByFeed(markets: Iterable<LendingMarket>): ReadonlyMap<string, readonly LendingMarket[]> {
  const reading = new Map<string, LendingMarket[]>();
  for (const market of markets)
    for (const id of feedsOf(market)) reading.set(id, [...(reading.get(id) ?? []), market]);
  return reading;
}

export const feedsOf = (market: LendingMarket | undefined): readonly string[] =>
  market === undefined ? [] : market.feeds.map((address) => `${market.chain}:${address}`);

const marketIndex = oncePer((documents: Documents) =>
  indexOf(
    [...documents.keys()].flatMap((key) => {
      const bytes = documents.get(key);
      return bytes === undefined ? [] : [JSON.parse(bytes.toString('utf8')) as LendingMarket];
    }),
  ),
);

/** Every dataset that a simulation reads. */
export const SIMULATOR_DATASETS = [
  ...(['lending-markets', 'lending-vaults', 'rate-models', 'borrower-tranches', 'exposure-graph'] as const),
  ...(['pool-states', 'exit-inputs', 'return-inputs', 'detector-state', 'oracle-pairs'] as const),
  'oracle-paths' as const,
];
type SimulatedDataset = (typeof SIMULATOR_DATASETS)[number];

export class PublishedDocuments {
  readonly #version: LoadedVersion;
  readonly #identify: (bytes: Uint8Array) => string;
  /** Hash of each used document, by dataset and key. */
  readonly used = new Map<string, string>();

  constructor(version: LoadedVersion, identify: (bytes: Uint8Array) => string) {
    this.#version = version;
    this.#identify = identify;
  }

  /** @param id `<chain>:<market_id>` */
  market(id: string): LendingMarket | undefined {
    return this.#parse<LendingMarket>('lending-markets', id.replace(':', '|'));
  }

  rateModel(market: string): RateModel | undefined {
    return this.#parse<RateModel>('rate-models', market);
  }

  tranches(market: string): BorrowerTranches | undefined {
    return this.#parse<BorrowerTranches>('borrower-tranches', market);
  }

  /** @param id `<chain>:<vault_address>` */
  vault(id: string): LendingVault | undefined {
    return this.#parse<LendingVault>('lending-vaults', id.replace(':', '|'));
  }

  holdings(vault: string): ExposureNode | undefined {
    return this.#parse<ExposureNode>('exposure-graph', `vault:${vault}`);
  }

  pool(id: string): PoolState | undefined {
    return this.#parse<PoolState>('pool-states', id);
  }

  /** How much pools take of an asset; null without a price of the asset, or if no pool takes it. */
  pooledDepth(symbol: string): SymbolDepth | null {
    if (!this.hasReturns(symbol)) return null;
    const pools = this.#version.dataset('pool-states')?.documents;
    const found = depthInPools(unwrapped(symbol, null), pools, (one) => this.hasReturns(one));
    for (const [id, hash] of found?.pools ?? []) this.used.set(`pool-states/${id}`, hash);
    return found;
  }

  exitInputs(market: string): ExitInputs | undefined {
    return this.#parse<ExitInputs>('exit-inputs', market);
  }

  /** USD; null without returns. */
  priceOf(symbol: string): number | null {
    return this.#parse<ReturnInputs>('return-inputs', symbol)?.price_usd ?? null;
  }

  hasReturns(symbol: string): boolean {
    return this.#bytes('return-inputs', symbol) !== undefined;
  }

  /** A document for a worker to parse. */
  document(dataset: SimulatedDataset, key: string): InputDocument | undefined {
    const bytes = this.#bytes(dataset, key);
    return bytes === undefined ? undefined : { hash: this.#remember(dataset, key, bytes), bytes };
  }

  has(dataset: SimulatedDataset): boolean {
    return this.entry(dataset) !== undefined;
  }

  entry(dataset: SimulatedDataset): DatasetEntry | undefined {
    return this.#version.dataset(dataset)?.entry;
  }

  /** The states of the peg detectors. */
  get detectorStates(): readonly PublishedState[] {
    const dataset = this.#version.dataset('detector-state');
    return dataset === undefined ? [] : detectorStatesIn(dataset.documents);
  }

  /** Feeds that update on time. */
  get feeds(): readonly PublishedFeed[] {
    const dataset = this.#version.dataset('oracle-pairs');
    if (dataset === undefined) return [];
    const { reading } = this.index;
    return feedsIn(dataset.documents).map((feed) => ({
      ...feed,
      markets: reading.get(`${feed.chain}:${feed.feed_address}`) ?? [],
    }));
  }

  get index(): MarketIndex {
    const dataset = this.#version.dataset('lending-markets');
    if (dataset === undefined) return { lending: new Map(), symbols: new Set(), reading: new Map() };
    return marketIndex(dataset.documents);
  }

  #parse<T>(dataset: SimulatedDataset, key: string): T | undefined {
    const bytes = this.#bytes(dataset, key);
    if (bytes === undefined) return undefined;
    this.#remember(dataset, key, bytes);
    return JSON.parse(bytes.toString('utf8')) as T;
  }

  #bytes(dataset: SimulatedDataset, key: string): Buffer | undefined {
    return this.#version.dataset(dataset)?.documents.get(key);
  }

  #remember(dataset: string, key: string, bytes: Uint8Array): string {
    const hash = this.#identify(bytes);
    this.used.set(`${dataset}/${key}`, hash);
    return hash;
  }
}

// The feeds and detector states of a version, parsed once.

/** A feed that updates on time, and the markets that read it. */
interface PublishedFeed extends Omit<Static<typeof OraclePairSchema>, 'last_update_at' | 'status'> {
  readonly provider: string;
  readonly last_at: number;
  readonly markets: readonly LendingMarket[];
}

interface PublishedState extends DetectorState {
  /** The key of its document. */
  readonly key: string;
}

const detectorStatesIn: (documents: Documents) => readonly PublishedState[] = oncePer((documents) =>
  parsed<DetectorState>(documents).map(([key, state]) => ({ ...state, key })),
);

/** Feeds that update on time. A feed that is already silent, or that cannot be judged, cannot fall silent. */
const feedsIn: (documents: Documents) => readonly Omit<PublishedFeed, 'markets'>[] = oncePer((documents) =>
  parsed<readonly Static<typeof OraclePairSchema>[]>(documents).flatMap(([provider, rows]) =>
    rows.flatMap(({ last_update_at, status, ...feed }) =>
      status !== 'fresh' || last_update_at === null
        ? []
        : [{ ...feed, provider, last_at: Date.parse(last_update_at) / 1_000 }],
    ),
  ),
);

const parsed = <T>(documents: Documents): readonly (readonly [string, T])[] =>
  [...documents.keys()].map((key) => [key, JSON.parse(documents.get(key)?.toString('utf8') ?? 'null') as T]);
