// The figures of a vault at one block, from what its contract accounts for, what it holds, and the markets and vaults that it holds. A vault
// of which one of these is missing has no figures.
import type { MarketAtBlock } from './market-state.ts';
import { minOf, suppliedBy } from './morpho-interest.ts';
import {
  assetsFor,
  backedTotals,
  bookedTotals,
  EULER_VIRTUAL,
  morphoVirtual,
  NO_VIRTUAL,
  rateLimitedTotals,
  type ShareTotals,
  type VaultFacts,
} from './share-value.ts';

export interface Holding {
  /** The adapter that holds it; null for the vault itself. */
  readonly via: string | null;
  readonly kind: 'market' | 'vault' | 'unknown';
  /** Id of the market, or address. */
  readonly held: string;
  readonly shares: bigint | null;
  /** What the contract says that it is worth; null for a market, whose state says it. */
  readonly stated: bigint | null;
  readonly queueIndex: number | null;
  readonly isLiquidity: boolean;
}

export interface Gates {
  readonly receiveSharesGate: string;
  readonly sendSharesGate: string;
  readonly receiveAssetsGate: string;
  readonly sendAssetsGate: string;
}

export type VaultAccount =
  | {
      readonly form: 'booked';
      readonly supply: bigint;
      readonly lastAssets: bigint;
      readonly lost: bigint | null;
      readonly fee: bigint;
      readonly addressOne: bigint;
    }
  | {
      readonly form: 'limited';
      readonly supply: bigint;
      readonly lastAssets: bigint;
      readonly lastUpdate: bigint;
      readonly maxRate: bigint;
      /** The fees as set, and whether their recipients may receive shares. */
      readonly performanceFee: bigint;
      readonly managementFee: bigint;
      readonly mayPerform: boolean;
      readonly mayManage: boolean;
      readonly idle: bigint;
      readonly addressOne: bigint;
      readonly gates: Gates;
    }
  | { readonly form: 'lent'; readonly supply: bigint; readonly idle: bigint; readonly debt: bigint }
  | { readonly form: 'plain'; readonly supply: bigint; readonly assets: bigint; readonly perShare: bigint };

export interface VaultDraft {
  readonly vault: string;
  readonly facts: VaultFacts;
  readonly account: VaultAccount;
  readonly holdings: readonly Holding[];
}

export interface VaultEntry {
  readonly vault: string;
  readonly facts: VaultFacts;
}

/** A draft, or why there is none. */
export type DraftResult = VaultDraft | { readonly vault: string; readonly why: string };

/** What a vault may hold, and what a forced withdrawal costs. Digits, because they are kept as JSON; null if unknown or without such a limit. */
export interface Limits {
  readonly absolute: string | null;
  readonly relative: string | null;
  readonly penalty: string | null;
  /** What anyone may move into it, and out of it, by the public allocator. */
  readonly maxIn: string | null;
  readonly maxOut: string | null;
}

/** Names a holding in the state of a reading. */
export const holdingKey = (vault: string, { via, held }: Pick<Holding, 'via' | 'held'>): string =>
  [vault, via ?? '', held].join('|');

export interface ValuedHolding extends Holding {
  readonly assets: bigint | null;
}

export interface VaultFigures {
  readonly draft: VaultDraft;
  readonly quoted: ShareTotals;
  readonly feeShares: bigint;
  /** Null if a part cannot be judged. */
  readonly real: bigint | null;
  readonly undistributed: bigint | null;
  readonly holdings: readonly ValuedHolding[];
}

export interface FigureSources {
  readonly drafts: ReadonlyMap<string, VaultDraft>;
  readonly markets: ReadonlyMap<string, MarketAtBlock>;
  /** Time of the block. */
  readonly now: bigint;
}

/** The figures of every draft, or why it has none. A vault that another one holds is computed first. */
export function figuresOf(sources: FigureSources): ReadonlyMap<string, VaultFigures | string> {
  const found = new Map<string, VaultFigures | string>();
  const heldFigures = (vault: string): VaultFigures | string | null => {
    const draft = sources.drafts.get(vault);
    if (draft === undefined) return null;
    const known = found.get(vault);
    if (known !== undefined) return known;
    found.set(vault, 'it holds itself');
    const figures = figuresOfOne(draft, sources, heldFigures);
    found.set(vault, figures);
    return figures;
  };
  for (const vault of sources.drafts.keys()) heldFigures(vault);
  return found;
}

type HeldFigures = (vault: string) => VaultFigures | string | null;

interface Worth {
  readonly quoted: bigint;
  /** Null if what is behind it is unknown. */
  readonly backed: bigint | null;
}

function figuresOfOne(draft: VaultDraft, sources: FigureSources, held: HeldFigures): VaultFigures | string {
  const valued: { readonly holding: Holding; readonly worth: Worth }[] = [];
  for (const holding of draft.holdings) {
    const worth = worthOf(holding, sources, held);
    if (typeof worth === 'string') return worth;
    valued.push({ holding, worth });
  }
  const sums: Worth = {
    quoted: valued.reduce((sum, { worth }) => sum + worth.quoted, 0n),
    backed: valued.reduce<bigint | null>(
      (sum, { worth }) => (sum === null || worth.backed === null ? null : sum + worth.backed),
      0n,
    ),
  };
  const holdings = valued.map(({ holding, worth }) => ({
    ...holding,
    assets: holding.kind === 'unknown' ? null : worth.quoted,
  }));
  const totals = totalsOf(draft, sums, sources.now);
  return typeof totals === 'string' ? totals : { draft, holdings, ...totals };
}

function worthOf(holding: Holding, { markets }: FigureSources, held: HeldFigures): Worth | string {
  const { kind, held: id, shares, stated } = holding;
  if (kind === 'market') {
    const market = markets.get(id);
    if (market === undefined || shares === null) return `its market ${id} cannot be read`;
    const value = suppliedBy(shares, market.totals);
    return { quoted: value, backed: value };
  }
  if (kind === 'unknown')
    return stated === null ? `its adapter ${id} does not state its assets` : { quoted: stated, backed: null };
  // What is behind a plain vault cannot be judged: it counts as it says.
  const figures = held(id);
  if (typeof figures === 'string') return `the vault ${id} that it holds has no figures: ${figures}`;
  if (figures === null || figures.draft.account.form === 'plain')
    return stated === null
      ? `the vault ${id} that it holds cannot be read`
      : { quoted: stated, backed: stated };
  const quoted = stated ?? assetsFor(shares ?? 0n, figures.quoted);
  const own = backedOf(figures);
  return { quoted, backed: own === null ? null : minOf(quoted, assetsFor(shares ?? 0n, own)) };
}

const addressOneOf = ({ account }: VaultDraft): bigint => ('addressOne' in account ? account.addressOne : 0n);

/** The totals behind a share; null if they are unknown. */
const backedOf = ({ draft, quoted, real }: VaultFigures): ShareTotals | null =>
  real === null ? null : backedTotals({ quoted, real, givenUp: addressOneOf(draft) });

type Totals = Omit<VaultFigures, 'draft' | 'holdings'>;

function totalsOf({ account, facts }: VaultDraft, sums: Worth, now: bigint): Totals | string {
  const { supply } = account;
  if (account.form === 'booked') {
    const virtual = facts.kind === 'euler_earn' ? EULER_VIRTUAL : morphoVirtual(facts.assetDecimals);
    const { feeShares, ...quoted } = bookedTotals({ ...account, positions: sums.quoted, virtual });
    return { quoted, feeShares, real: sums.backed, undistributed: null };
  }
  if (account.form === 'limited') return limitedTotals(account, facts, { sums, now });
  const quoted = {
    assets: account.form === 'plain' ? account.assets : account.idle + account.debt,
    shares: supply,
    virtual: NO_VIRTUAL,
  };
  const real = account.form === 'plain' || sums.backed === null ? null : account.idle + sums.backed;
  return { quoted, feeShares: 0n, real, undistributed: null };
}

function limitedTotals(
  account: Extract<VaultAccount, { form: 'limited' }>,
  facts: VaultFacts,
  { sums, now }: { readonly sums: Worth; readonly now: bigint },
): Totals | string {
  try {
    const totals = rateLimitedTotals({
      ...account,
      real: account.idle + sums.quoted,
      elapsed: now - account.lastUpdate,
      performanceFee: account.mayPerform ? account.performanceFee : 0n,
      managementFee: account.mayManage ? account.managementFee : 0n,
      virtual: morphoVirtual(facts.assetDecimals),
    });
    return {
      quoted: totals,
      feeShares: totals.performanceFeeShares + totals.managementFeeShares,
      real: sums.backed === null ? null : account.idle + sums.backed,
      undistributed: totals.undistributed,
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}
