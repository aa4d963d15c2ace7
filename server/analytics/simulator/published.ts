// Published documents that a simulation reads: looked up by id, parsed once, and remembered for the hash of the inputs.

import type { ExitInputs } from '../../../schemas/analytics.ts';
import type { BorrowerTranches, RateModel } from '../../../schemas/borrowing.ts';
import type { Static } from '../../../schemas/define.ts';
import type { ExposureNode } from '../../../schemas/exposure.ts';
import type { LendingMarketSchema, LendingVaultSchema } from '../../../schemas/lending.ts';
import type { PoolState } from '../../../schemas/pools.ts';
import type { LoadedVersion } from '../../define/services.ts';
import type { InputDocument } from '../task.ts';

export type LendingMarket = Static<typeof LendingMarketSchema>;
export type LendingVault = Static<typeof LendingVaultSchema>;

/** Of a version, by symbol in upper case: the ids of the markets that lend it, largest first; and all symbols that markets name. */
export interface MarketIndex {
  readonly lending: ReadonlyMap<string, readonly LendingMarket[]>;
  readonly symbols: ReadonlySet<string>;
}

const INDEXES = new WeakMap<object, MarketIndex>();

export class Published {
  readonly #version: LoadedVersion;
  readonly #identify: (bytes: Uint8Array) => string;
  /** Hash of each document that was used, by dataset and key. */
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

  exitInputs(market: string): ExitInputs | undefined {
    return this.#parse<ExitInputs>('exit-inputs', market);
  }

  hasReturns(symbol: string): boolean {
    return this.#bytes('return-inputs', symbol) !== undefined;
  }

  /** A document to be parsed by a worker. */
  document(dataset: 'return-inputs' | 'exit-inputs', key: string): InputDocument | undefined {
    const bytes = this.#bytes(dataset, key);
    return bytes === undefined ? undefined : { hash: this.#remember(dataset, key, bytes), bytes };
  }

  get index(): MarketIndex {
    const dataset = this.#version.dataset('lending-markets');
    if (dataset === undefined) return { lending: new Map(), symbols: new Set() };
    const known = INDEXES.get(dataset.documents);
    if (known !== undefined) return known;
    const made = indexOf(
      [...dataset.documents.keys()].flatMap((key) => this.#read('lending-markets', key) ?? []),
    );
    INDEXES.set(dataset.documents, made);
    return made;
  }

  #parse<T>(dataset: string, key: string): T | undefined {
    const bytes = this.#bytes(dataset, key);
    if (bytes === undefined) return undefined;
    this.#remember(dataset, key, bytes);
    return JSON.parse(bytes.toString('utf8')) as T;
  }

  #read(dataset: string, key: string): LendingMarket | undefined {
    const bytes = this.#bytes(dataset, key);
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as LendingMarket);
  }

  #bytes(dataset: string, key: string): Buffer | undefined {
    return this.#version.dataset(dataset)?.documents.get(key);
  }

  #remember(dataset: string, key: string, bytes: Uint8Array): string {
    const hash = this.#identify(bytes);
    this.used.set(`${dataset}/${key}`, hash);
    return hash;
  }
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
  return { lending, symbols };
}

export const idOf = ({ chain, market_id }: LendingMarket): string => `${chain}:${market_id}`;
