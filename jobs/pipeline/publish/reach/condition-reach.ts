// The reach of a condition: from its subject to assets, from those to markets, to vaults and to yields. A node is affected, or it is not
// known whether it is; taking away what is known can only move a node from the first to the second.
import { ownMember } from '../../../../platform/base/own-member.ts';
import {
  assumptionStart,
  heldNode,
  type PathInputs,
  reachByKind,
  reliances,
  type Start,
} from '../../../../models/exposure-paths.ts';
import {
  type Condition,
  type ConditionReach,
  MAX_REACH_SUBJECTS,
  REACH_GAPS,
  type ReachGap,
} from '../../../../schemas/conditions.ts';
import { type NodesByKey, on, type ReachIndex, UNKNOWN } from './reach-index.ts';

type Subject = Pick<Condition, 'subject_id' | 'symbols' | 'chain'>;

/** Null for conditions of datasets, which affect no market. */
export function reachOf(subject: Subject, index: ReachIndex): ConditionReach | null {
  const [kind = ''] = subject.subject_id.split(':');
  if (kind === 'dataset') return null;
  const walk = new ReachWalk(index, subject.chain ?? '');
  if (kind === 'assumption') return ofAssumption(subject.subject_id, walk, index);
  const start = ownMember(STARTS, subject.subject_id === 'vault:global' ? 'global' : kind);
  if (start === undefined) return UNKNOWN_REACH;
  start(walk, subject);
  const isGlobal = subject.subject_id === 'vault:global';
  return walk.result(
    kind === 'peg' || kind === 'oracle' || isGlobal || (kind === 'vault' && index.inputs.graph === null),
  );
}

const STARTS: Readonly<Record<string, (walk: ReachWalk, subject: Subject) => void>> = {
  peg: (walk, { symbols }) => walk.fromAssets(symbols.map((symbol) => `asset:${symbol.toUpperCase()}`)),
  oracle: (walk, { subject_id }) => walk.fromFeed(subject_id.split(':')[2] ?? ''),
  liquidity: (walk, { subject_id }) => walk.fromMarket(subject_id.replace('liquidity:', 'market:')),
  vault: (walk, { subject_id }) => walk.fromGraph(vaultStart(subject_id)),
  global: (walk) => walk.fromEverything(),
};

/** Of every dataset whose subjects are nodes. */
const heldNodes = ({ markets, vaults, graph, yields }: ReachIndex['inputs']): readonly string[] =>
  Object.entries({
    'lending-markets': markets,
    'lending-vaults': vaults,
    'exposure-graph': graph,
    'yield-opportunities': yields,
  }).flatMap(([dataset, rows]) => (rows?.held ?? []).flatMap((subject) => heldNode(dataset, subject) ?? []));

const vaultStart = (id: string): Start => ({
  id,
  kind: 'vault',
  name: null,
  is_broken: null,
  markets: [],
  unread: [],
});

/** As `GET /v2/exposure/paths` has it. */
function ofAssumption(subject_id: string, walk: ReachWalk, { inputs }: ReachIndex): ConditionReach {
  const [, chain = '', ...rest] = subject_id.split(':');
  const id = rest.join(':');
  const paths = inputs.paths?.rows ?? [];
  const start = assumptionStart({ chain, id }, paths, {
    markets: inputs.markets?.rows ?? [],
    held: heldNodes(inputs),
  });
  if (start === undefined) return { ...UNKNOWN_REACH, gaps: ['paths_missing'] };
  walk.fromGraph(start);
  return walk.result(true);
}

const UNKNOWN_REACH: ConditionReach = {
  markets: null,
  markets_unknown: null,
  vaults: null,
  vaults_unknown: null,
  yields: null,
  yields_unknown: null,
  usd: null,
  usd_unknown_share: null,
  gaps: ['subject_unknown'],
  subjects: [],
};

/** The nodes of one kind that are affected, and those of which it is not known. */
class AffectedNodes {
  readonly certain = new Set<string>();
  readonly possible = new Set<string>();

  get size(): number {
    return this.certain.size + this.possible.size;
  }

  /** Whether this is new. */
  add(node: string, isCertain: boolean): boolean {
    if (this.certain.has(node) || (!isCertain && this.possible.has(node))) return false;
    (isCertain ? this.certain : this.possible).add(node);
    if (isCertain) this.possible.delete(node);
    return true;
  }

  addAll(nodes: readonly string[] = [], isCertain = false): boolean {
    return nodes.reduce((isNew, node) => this.add(node, isCertain) || isNew, false);
  }
}

class ReachWalk {
  readonly #index: ReachIndex;
  readonly #chain: string;
  readonly #assets = new AffectedNodes();
  readonly #markets = new AffectedNodes();
  readonly #vaults = new AffectedNodes();
  readonly #yields = new AffectedNodes();
  readonly #gaps = new Set<ReachGap>();
  #byKind: ConditionReach['by_kind'];

  constructor(index: ReachIndex, chain: string) {
    this.#index = index;
    this.#chain = chain;
  }

  fromAssets(assets: readonly string[]): void {
    const { openAssets, incompleteMarkets, openVaults } = this.#index;
    this.#assets.addAll(assets, true);
    this.#close(this.#assets, true, isAsset);
    if (this.#assets.addAll(openAssets)) this.#gaps.add('asset_backing');
    this.#close(this.#assets, false, isAsset);
    this.#follow(this.#markets, this.#index.marketsByAsset);
    this.#maybe(this.#markets, incompleteMarkets.get(this.#chain), 'market_assets');
    this.#followPools();
    this.#follow(this.#vaults, this.#index.vaultsByAsset);
    this.#hold(this.#assets);
    this.#vaultsOfMarkets();
    this.#maybe(this.#vaults, openVaults.get(this.#chain), 'vault_holdings');
    this.#close(this.#vaults, false, isVault);
    this.#follow(this.#yields, this.#index.yieldsByAsset);
    this.#yieldsOfPayers();
  }

  fromFeed(address: string): void {
    const { marketsByFeed, marketsWithoutFeed } = this.#index;
    this.#markets.addAll(marketsByFeed.get(on(this.#chain, address)), true);
    this.#maybe(this.#markets, marketsWithoutFeed.get(this.#chain), 'market_feeds');
    this.#vaultsOfMarkets();
    this.#yieldsOfPayers();
  }

  fromMarket(market: string): void {
    this.#markets.add(market, true);
    this.#vaultsOfMarkets();
    this.#yieldsOfPayers();
  }

  /** From an assumption or a vault, by the shares of the graph. */
  fromGraph(start: Start): void {
    const { inputs, openVaults } = this.#index;
    const facts = pathInputs(inputs, start);
    const all = reliances(facts);
    const setOf: Partial<Record<string, AffectedNodes>> = {
      market: this.#markets,
      vault: this.#vaults,
      yield: this.#yields,
    };
    if (start.kind === 'vault') this.#vaults.add(start.id, true);
    for (const { node, kind, share_low, share_high } of all)
      if (share_high > 0) setOf[kind]?.add(node, share_low > 0);
    this.#maybe(this.#vaults, openVaults.get(this.#chain), 'vault_holdings');
    if (inputs.graph === null) this.#everythingMay();
    else if (start.kind === 'vault' || inputs.markets !== null) this.#byKind = reachByKind(all, facts);
    if (facts.held.length > 0) this.#gaps.add('held_back');
    const open = [
      [this.#markets, 'market_paths'],
      [this.#vaults, 'vault_holdings'],
      [this.#yields, 'yield_market'],
    ] as const;
    for (const [affected, gap] of open) if (affected.possible.size > 0) this.#gaps.add(gap);
  }

  /** Without a graph, nothing is known of what backs an asset or is held by a vault. */
  #everythingMay(): void {
    const { markets, vaults, yields } = this.#index;
    this.#maybe(this.#markets, [...markets.keys()], 'asset_backing');
    this.#maybe(this.#vaults, [...vaults.keys()], 'vault_holdings');
    this.#maybe(this.#yields, [...yields.keys()], 'asset_backing');
  }

  fromEverything(): void {
    this.#markets.addAll([...this.#index.markets.keys()], true);
    this.#vaults.addAll([...this.#index.vaults.keys()], true);
    this.#yields.addAll([...this.#index.yields.keys()], true);
  }

  /** Adds those who hold the nodes of the same set, and so on. */
  #close(affected: AffectedNodes, isCertain: boolean, isWanted: (node: string) => boolean): void {
    // A set that grows while it is walked: every added node is visited too.
    for (const node of isCertain ? affected.certain : affected.possible)
      for (const holder of this.#index.holders.get(node) ?? [])
        if (isWanted(holder) && this.#isHere(holder)) affected.add(holder, isCertain);
  }

  #isHere(holder: string): boolean {
    return isAsset(holder) || holder.split(':')[1] === this.#chain;
  }

  /** Adds what depends on the affected assets, on the chain of the condition. */
  #follow(affected: AffectedNodes, byAsset: NodesByKey): void {
    for (const [assets, isCertain] of this.#both(this.#assets))
      for (const asset of assets) affected.addAll(byAsset.get(on(this.#chain, asset)), isCertain);
  }

  /** Loans of other assets of a pool may be backed by an affected collateral. */
  #followPools(): void {
    const { markets, marketsByPool, pooledMarkets } = this.#index;
    const affected = [...this.#markets.certain, ...this.#markets.possible];
    const unknown = on(this.#chain, UNKNOWN);
    for (const pool of new Set(affected.map((node) => markets.get(node)?.pool ?? null)))
      if (pool === unknown) this.#maybe(this.#markets, pooledMarkets.get(this.#chain), 'pool_collateral');
      else if (pool !== null) this.#maybe(this.#markets, marketsByPool.get(pool), 'pool_collateral');
  }

  #vaultsOfMarkets(): void {
    this.#hold(this.#markets);
    this.#close(this.#vaults, true, isVault);
    const { openVaults, openVaultsByAsset } = this.#index;
    let before = -1;
    // What an added vault accepts can reach further vaults.
    while (before !== this.#vaults.size) {
      before = this.#vaults.size;
      this.#maybe(
        this.#vaults,
        this.#openOf(this.#lentSymbols(), openVaults, openVaultsByAsset),
        'vault_holdings',
      );
      this.#close(this.#vaults, false, isVault);
    }
  }

  /** Adds the vaults that hold the nodes. */
  #hold(held: AffectedNodes): void {
    for (const [nodes, isCertain] of this.#both(held))
      for (const node of nodes)
        for (const holder of this.#index.holders.get(node) ?? [])
          if (isVault(holder) && this.#isHere(holder)) this.#vaults.add(holder, isCertain);
  }

  #yieldsOfPayers(): void {
    const { yieldsByPayer, heldYields, openYields, openYieldsByAsset } = this.#index;
    for (const affected of [this.#markets, this.#vaults])
      for (const payer of affected.certain) this.#yields.addAll(yieldsByPayer.get(payer), true);
    for (const affected of [this.#markets, this.#vaults])
      for (const payer of affected.possible) this.#yields.addAll(yieldsByPayer.get(payer));
    this.#maybe(
      this.#yields,
      this.#openOf(this.#lentSymbols(), openYields, openYieldsByAsset),
      'yield_market',
    );
    const isReached = [this.#assets, this.#markets, this.#vaults].some((affected) => affected.size > 0);
    if (isReached) this.#maybe(this.#yields, heldYields.get(this.#chain), 'held_back');
  }

  /** What an affected market lends or an affected vault accepts, `UNKNOWN` if that is not known of one. */
  #lentSymbols(): ReadonlySet<string> {
    const { markets, vaults } = this.#index;
    const ofMarkets = [...this.#markets.certain, ...this.#markets.possible].map(
      (node) => markets.get(node)?.loan,
    );
    const ofVaults = [...this.#vaults.certain, ...this.#vaults.possible].map(
      (node) => vaults.get(node)?.asset,
    );
    return new Set([...ofMarkets, ...ofVaults].map((symbol) => symbol ?? UNKNOWN));
  }

  /** Those that may hold or be paid by what lends one of the symbols. */
  #openOf(symbols: ReadonlySet<string>, all: NodesByKey, bySymbol: NodesByKey): readonly string[] {
    if (symbols.has(UNKNOWN)) return all.get(this.#chain) ?? [];
    if (symbols.size === 0) return [];
    return [...symbols, UNKNOWN].flatMap((symbol) => bySymbol.get(on(this.#chain, symbol)) ?? []);
  }

  #maybe(affected: AffectedNodes, nodes: readonly string[] | undefined, gap: ReachGap): void {
    if (affected.addAll(nodes)) this.#gaps.add(gap);
  }

  #both(affected: AffectedNodes): readonly (readonly [nodes: ReadonlySet<string>, isCertain: boolean])[] {
    return [
      [affected.certain, true],
      [affected.possible, false],
    ];
  }

  /** `isFound`: the markets are found by their rows, so that nothing is known of them without. */
  result(isFound: boolean): ConditionReach {
    const { inputs } = this.#index;
    const isBlind = isFound && inputs.markets === null;
    const vaults = isBlind || (inputs.vaults === null && inputs.graph === null) ? undefined : this.#vaults;
    const yields = isBlind || inputs.yields === null ? undefined : this.#yields;
    const markets = isBlind ? undefined : this.#markets;
    if (inputs.markets === null) this.#gaps.add('markets_missing');
    if (vaults === undefined) this.#gaps.add('vaults_missing');
    if (yields === undefined) this.#gaps.add('yields_missing');
    const isAllKnown = vaults !== undefined && yields !== undefined;
    const dollars = this.#dollars(isBlind, isAllKnown);
    const isWhole =
      dollars.usd_unknown_share === 0 && vaults?.possible.size === 0 && yields?.possible.size === 0;
    return {
      markets: markets?.certain.size ?? null,
      markets_unknown: markets?.possible.size ?? null,
      vaults: vaults?.certain.size ?? null,
      vaults_unknown: vaults?.possible.size ?? null,
      yields: yields?.certain.size ?? null,
      yields_unknown: yields?.possible.size ?? null,
      ...dollars,
      ...(this.#byKind === undefined ? {} : { by_kind: this.#byKind }),
      gaps: isWhole ? [] : GAPS.filter((gap) => this.#gaps.has(gap)),
      subjects: [...this.#subjects()],
    };
  }

  /** `isAllKnown`: it is known whether vaults or yields are affected. */
  #dollars(isBlind: boolean, isAllKnown: boolean): Pick<ConditionReach, 'usd' | 'usd_unknown_share'> {
    if (isBlind) return { usd: null, usd_unknown_share: null };
    const known = [...this.#markets.certain].flatMap((node) => this.#index.markets.get(node)?.usd ?? []);
    const all = this.#markets.size;
    if (known.length < this.#markets.certain.size) this.#gaps.add('market_supply');
    if (this.#isHeld()) this.#gaps.add('held_back');
    const isElsewhere = this.#vaults.size + this.#yields.size > 0;
    if (all === 0 && isElsewhere) this.#gaps.add('no_market');
    const isNothing = all === 0 && !isElsewhere && isAllKnown;
    const usd = known.length > 0 || isNothing ? cents(known.reduce((sum, one) => sum + one, 0)) : null;
    return {
      usd,
      usd_unknown_share: all === 0 ? (isNothing ? 0 : null) : shareUp((all - known.length) / all),
    };
  }

  /** Whether something that is held back may be affected. */
  #isHeld(): boolean {
    const affected = [this.#markets, this.#vaults];
    return heldNodes(this.#index.inputs).some((node) =>
      affected.some(({ certain, possible }) => certain.has(node) || possible.has(node)),
    );
  }

  #subjects(): readonly string[] {
    const usdOf = (node: string) => this.#index.markets.get(node)?.usd ?? -1;
    const markets = [...this.#markets.certain].toSorted((a, b) => usdOf(b) - usdOf(a) || (a < b ? -1 : 1));
    const others = [this.#vaults, this.#yields].flatMap(({ certain }) => [...certain].toSorted());
    return [...markets, ...others].slice(0, MAX_REACH_SUBJECTS);
  }
}

const pathInputs = (inputs: ReachIndex['inputs'], start: Start): PathInputs => ({
  graph: inputs.graph?.rows ?? [],
  start,
  markets: inputs.markets?.rows ?? [],
  yields: inputs.yields?.rows ?? null,
  held: heldNodes(inputs),
});

const GAPS = Object.keys(REACH_GAPS) as ReachGap[];
const isAsset = (node: string): boolean => node.startsWith('asset:');
const isVault = (node: string): boolean => node.startsWith('vault:');
const cents = (usd: number): number => Math.round(usd * 100) / 100;
/** Rounded up, so that a small share is not shown as none. */
const shareUp = (share: number): number => Math.ceil(share * 10_000) / 10_000;
