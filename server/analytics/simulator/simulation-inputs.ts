// Turns a spec into the input of a calculation: looks up what its positions name in the published documents, and records what is
// missing.
import type { GapList } from '../../../models/gaps.ts';
import { type Calculation, returnsName } from '../../../models/simulator/calculate.ts';
import type {
  Loan,
  MissingInputs,
  PoolShares,
  Position,
  Shock,
  SimulatedMarket,
  SimulatedVault,
} from '../../../models/simulator/inputs.ts';
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import type { SimulatedPosition } from '../../../schemas/simulator-request.ts';
import { EVERYTHING } from '../../../schemas/values.ts';
import { fieldFailure } from '../../define/failure.ts';
import { sharesOf } from '../pool-depths.ts';
import type { InputDocument } from '../task.ts';
import { checkAmounts } from './amounts.ts';
import { simulatedLoan } from './loan.ts';
import { type MarketSources, simulatedMarket, simulatedVault } from './markets.ts';
import { idOf, type LendingMarket, type PublishedDocuments } from './published-documents.ts';
import type { SimulationSpec } from './simulation-spec.ts';

export interface SimulationInputs {
  readonly calculation: Calculation;
  readonly documents: Readonly<Record<string, InputDocument>>;
  /** Key of each position in the order of the request; null for a position that lacks an input. */
  readonly keys: readonly (string | null)[];
  /** Ids of the pools that take an asset, by asset. */
  readonly pools: ReadonlyMap<string, readonly string[]>;
  /** Reported withdrawable amounts that exceed what is supplied and not borrowed, by market, USD. */
  readonly limited: ReadonlyMap<string, number>;
}

/** Number of markets, of those that lend most of an asset, in which its depth is looked up. */
const DEPTH_SOURCES = 3;

/** @throws Failure `validation_failed` for a market, vault or pool that is not published */
export function simulationInputs(
  spec: SimulationSpec,
  published: PublishedDocuments,
  gaps: GapList,
): SimulationInputs {
  const found = new InputCollector(spec, published, gaps);
  const positions = spec.positions.map((position, index) => found.position(position, index));
  checkAmounts(spec.positions, positions, {
    published,
    markets: found.markets,
    vaults: found.vaults,
  });
  const input = {
    shocks: found.shocks(),
    markets: [...found.markets.values()],
    vaults: [...found.vaults.values()],
    positions: positions.filter((position) => position !== null),
    horizon_hours: spec.horizon_hours,
    first_to_leave: spec.assumptions.first_to_leave === true,
    missing: found.missing,
  };
  if (spec.scenario === null) checkSubjects(spec, published, new Set(assetsOf(input)));
  const { documents, pools, ...rest } = inputsOfAssets(spec, { published, gaps, input });
  return {
    calculation: { input, ...rest },
    documents,
    pools,
    keys: positions.map((position) => position?.key ?? null),
    limited: found.limited,
  };
}

class InputCollector {
  readonly markets = new Map<string, SimulatedMarket>();
  readonly vaults = new Map<string, SimulatedVault>();
  readonly limited = new Map<string, number>();
  readonly #missing = {
    loans: [] as MissingInputs['loans'][number][],
    markets: new Map<string, MissingInputs['markets'][number]>(),
    vaults: new Map<string, MissingInputs['vaults'][number]>(),
  };
  readonly #spec: SimulationSpec;
  readonly #sources: MarketSources;
  readonly #curators = new Map<string, string>();
  /** Vaults that may be of any curator. */
  readonly #withoutCurator = new Set<string>();

  constructor(spec: SimulationSpec, published: PublishedDocuments, gaps: GapList) {
    const { oracles = [] } = spec.assumptions;
    this.#spec = spec;
    this.#sources = {
      published,
      gaps,
      oracles: new Map(oracles.map(({ market, oracle }) => [market, oracle])),
      limited: this.limited,
    };
  }

  get missing(): MissingInputs {
    const { loans, markets, vaults } = this.#missing;
    return { loans, markets: [...markets.values()], vaults: [...vaults.values()] };
  }

  position(position: SimulatedPosition, index: number): Position | null {
    const key = canonicalJson(position);
    const usd = position.amount_usd ?? 0;
    if (position.kind === 'supply') {
      const market = this.#market(position.market ?? '', `positions/${index}/market`);
      return market === undefined ? null : { key, kind: 'supply', market: market.id, usd };
    }
    if (position.kind === 'vault') {
      const vault = this.#vault(position.vault ?? '', `positions/${index}/vault`);
      return vault === undefined ? null : { key, kind: 'vault', vault: vault.id, usd };
    }
    if (position.kind === 'pool') {
      const pool: PoolShares | undefined = poolShares(position, index, this.#sources);
      return pool === undefined ? null : { key, kind: 'pool', pool, usd };
    }
    const loan: Loan | undefined = simulatedLoan(position, index, {
      ...this.#sources,
      include: (market) => this.#include(market)?.id ?? null,
    });
    if (loan !== undefined) return { key, kind: 'borrow', loan };
    const { collateral = [], debt = [], market = null } = position;
    this.#missing.loans.push({
      collateral: collateral.map(({ asset }) => ({ asset })),
      debt: debt.map(({ asset, market: own = market }) => ({ asset, market: own })),
    });
    return null;
  }

  /**
   * The shocks, with each curator replaced by its vaults.
   * @throws Failure `validation_failed` if two shocks affect one vault, directly and through its curator
   */
  shocks(): Calculation['input']['shocks'] {
    const shockOf = new Map<string, number>();
    return this.#spec.shocks.flatMap<Shock>(({ kind, subject, path }, index) => {
      if (kind !== 'vault_outflow') return [{ kind, subject, path }];
      return this.#vaultsOf(subject).map((vault) => {
        const other = shockOf.get(vault);
        if (other !== undefined)
          throw fieldFailure(
            `shocks/${index}`,
            `contradicts shocks/${other}: both affect the vault ${vault}`,
          );
        shockOf.set(vault, index);
        return { kind, subject: vault, path };
      });
    });
  }

  #vaultsOf(subject: string): readonly string[] {
    if (!isAboutCurator({ subject })) return [subject];
    const curator = subject.slice(subject.indexOf(':') + 1).toLowerCase();
    const own = [...this.#curators].flatMap(([vault, id]) => (id.toLowerCase() === curator ? [vault] : []));
    // One shock is enough to make such a vault unknown.
    const maybe = [...this.#withoutCurator];
    this.#withoutCurator.clear();
    return [...own, ...maybe];
  }

  #market(id: string, field: string): SimulatedMarket | undefined {
    const market = this.#sources.published.market(id);
    if (market === undefined) throw fieldFailure(field, 'is not a market of the current version');
    return this.#include(market);
  }

  #include(market: LendingMarket): SimulatedMarket | undefined {
    const id = idOf(market);
    const known = this.markets.get(id);
    if (known !== undefined) return known;
    const made = simulatedMarket(market, this.#sources);
    if (made !== undefined) this.markets.set(id, made);
    else
      this.#missing.markets.set(id, {
        id,
        asset: market.loan_symbol?.toUpperCase() ?? null,
        collateral: market.collateral_symbol?.toUpperCase() ?? null,
      });
    return made;
  }

  #vault(id: string, field: string): SimulatedVault | undefined {
    const known = this.vaults.get(id);
    if (known !== undefined) return known;
    const { published, gaps } = this.#sources;
    const registered = published.vault(id);
    if (registered === undefined) throw fieldFailure(field, 'is not a vault of the current version');
    const isOfUnknownCurator = registered.curator === null && this.#spec.shocks.some(isAboutCurator);
    if (registered.curator !== null) this.#curators.set(id, registered.curator);
    if (isOfUnknownCurator) {
      this.#withoutCurator.add(id);
      gaps.add('parameter_unknown', `curator of ${id}`);
    }
    const found = simulatedVault(id, registered, {
      published,
      gaps,
      include: (market) => this.#include(market),
    });
    const made = isOfUnknownCurator ? undefined : found;
    if (made !== undefined) this.vaults.set(id, made);
    else this.#missing.vaults.set(id, { id, asset: registered.asset_symbol?.toUpperCase() ?? null });
    return made;
  }
}

const isAboutCurator = ({ subject }: { readonly subject: string }): boolean =>
  subject.toLowerCase().startsWith('curator:');

const OF_MARKETS: ReadonlySet<string> = new Set(['withdrawable', 'utilization']);

/** @throws Failure `validation_failed` for a shock to something that neither the positions nor the published data contain */
function checkSubjects(
  { shocks }: SimulationSpec,
  published: PublishedDocuments,
  held: ReadonlySet<string>,
): void {
  const isAsset = (symbol: string) =>
    held.has(symbol) || published.index.symbols.has(symbol) || published.hasReturns(symbol);
  for (const [index, { kind, subject }] of shocks.entries()) {
    if (subject === EVERYTHING || isAboutCurator({ subject })) continue;
    const field = `shocks/${index}/subject`;
    if (kind === 'vault_outflow') {
      if (published.vault(subject) === undefined)
        throw fieldFailure(field, 'is not a vault of the current version');
    } else if (OF_MARKETS.has(kind) || subject.includes(':')) {
      if (published.market(subject) === undefined)
        throw fieldFailure(field, 'is not a market of the current version');
    } else if (!isAsset(subject))
      throw fieldFailure(field, 'is not an asset of the positions or of the current version');
  }
}

/** The inputs from which the worker derives β and depth. */
function inputsOfAssets(
  spec: SimulationSpec,
  {
    published,
    gaps,
    input,
  }: { readonly published: PublishedDocuments; readonly gaps: GapList; readonly input: Calculation['input'] },
) {
  const { depth_usd = [], beta = [] } = spec.assumptions;
  const shocked = new Set(spec.shocks.filter(({ kind }) => kind === 'price').map(({ subject }) => subject));
  const all = assetsOf(input);
  const beta_source = spec.shocks.find(({ others }) => others === 'beta')?.subject ?? null;
  const followers = all.filter((asset) => !shocked.has(asset));
  for (const asset of all) if (!isPriced(asset, spec, published)) gaps.add('price_unknown', asset);
  const documents: Record<string, InputDocument> = {};
  const keep: Keep = (name, document) => {
    if (document !== undefined) documents[name] = document;
    return document === undefined ? [] : [name];
  };
  if (beta_source !== null)
    for (const asset of [beta_source, ...followers])
      keep(returnsName(asset), published.document('return-inputs', asset));
  const depths = depthSources(input, published, keep);
  return {
    documents,
    beta_source,
    followers,
    ...depths,
    assumed_betas: new Map(beta.map((entry) => [entry.asset, entry.beta])),
    assumed_depths: new Map(depth_usd.map(({ asset, usd }) => [asset, usd])),
  };
}

type Keep = (name: string, document: InputDocument | undefined) => readonly string[];

/** Market documents and pool states that show how much of each collateral can be sold. */
function depthSources(input: Calculation['input'], published: PublishedDocuments, keep: Keep) {
  const sold = [...new Set(loansOf(input).flatMap(({ collateral }) => collateral.map(({ asset }) => asset)))];
  const depth_documents = new Map(
    sold.map((asset) => {
      const markets = (published.index.lending.get(asset) ?? []).slice(0, DEPTH_SOURCES).map(idOf);
      const names = markets.flatMap((id) => keep(`depth|${id}`, published.document('exit-inputs', id)));
      return [asset, names] as const;
    }),
  );
  const pooled = sold.flatMap((asset) => {
    const found = published.pooledDepth(asset);
    if (found === null) return [];
    keep(returnsName(asset), published.document('return-inputs', asset));
    return [[asset, found] as const];
  });
  return {
    depth_documents,
    pooled_depths: new Map(pooled.map(([asset, { coins, isExact }]) => [asset, { coins, isExact }])),
    pools: new Map(pooled.map(([asset, { pools }]) => [asset, [...pools.keys()]])),
  };
}

/** Whether a feed provides the asset's price, or a shock defines its price. */
const isPriced = (asset: string, { shocks }: SimulationSpec, published: PublishedDocuments): boolean =>
  published.hasReturns(asset) ||
  shocks.some(
    ({ kind, subject }) => (kind === 'price' || kind === 'peg') && (subject === asset || subject === '*'),
  );

const loansOf = ({ markets, positions }: Calculation['input']): readonly Loan[] => [
  ...markets.flatMap(({ loans }) => loans ?? []),
  ...positions.flatMap((position) => (position.kind === 'borrow' ? [position.loan] : [])),
];

function assetsOf(input: Calculation['input']): readonly string[] {
  const lent = [...input.markets, ...input.vaults].map(({ asset }) => asset);
  // The collateral of borrowers who are unknown can be known.
  const backing = input.markets.flatMap(({ collateral }) => collateral ?? []);
  const owed = loansOf(input).flatMap(({ collateral, debt }) =>
    [...collateral, ...debt].map(({ asset }) => asset),
  );
  const pooled = input.positions.flatMap((position) =>
    position.kind === 'pool' ? position.pool.assets : [],
  );
  return [...new Set([...lent, ...backing, ...owed, ...pooled])].sort();
}

/**
 * What pool shares hold, from the pool's published state or as the caller states. Returns undefined and adds a gap for a pool whose
 * shares depend on more than its state. @throws Failure `validation_failed`
 */
function poolShares(
  { pool: id, assets }: SimulatedPosition,
  index: number,
  { published, gaps }: Pick<MarketSources, 'published' | 'gaps'>,
): PoolShares | undefined {
  if (id === undefined) return { kind: 'product', assets: assets ?? [] };
  const state = published.pool(id);
  if (state === undefined)
    throw fieldFailure(`positions/${index}/pool`, 'is not a pool of the current version');
  const shares = sharesOf(state);
  if (shares === undefined) gaps.add('pool_unknown', id);
  return shares;
}
