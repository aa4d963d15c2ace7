// Reads what vaults may hold of a market or vault, and what a forced withdrawal costs. These change rarely, so they are kept from one reading
// to the next and read again in turn.
import { type ContractFunction, contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, question } from '../contract-call.ts';
import { adapterIdData, capIdOf, EULER_CONFIG, MORPHO_CONFIG, marketIdData } from './cap-ids.ts';
import type { MarketAtBlock } from './market-state.ts';
import { type Holding, holdingKey, type Limits, type VaultDraft } from './vault-totals.ts';

/** As declared by morpho-org/public-allocator. */
const FLOW_CAPS = contractFunction(
  'flowCaps',
  { vault: 'address', id: 'bytes32' },
  { maxIn: 'uint128', maxOut: 'uint128' },
);
const IS_ALLOCATOR = contractFunction('isAllocator', { account: 'address' }, 'bool');
const ABSOLUTE_CAP = contractFunction('absoluteCap', { id: 'bytes32' }, 'uint256');
const RELATIVE_CAP = contractFunction('relativeCap', { id: 'bytes32' }, 'uint256');
const PENALTY = contractFunction('forceDeallocatePenalty', { adapter: 'address' }, 'uint256');

interface VaultHolding {
  readonly draft: VaultDraft;
  readonly holding: Holding;
}

export interface LimitSources {
  readonly markets: ReadonlyMap<string, MarketAtBlock>;
  /** The public allocator of version 1; null if it is not known. */
  readonly allocator: string | null;
}

export async function readLimits(
  ask: Ask,
  drafts: readonly VaultDraft[],
  { markets, allocator }: LimitSources,
): Promise<{ readonly [holding: string]: Limits }> {
  const holdings = drafts.flatMap((draft) =>
    draft.holdings.map((holding): VaultHolding => ({ draft, holding })),
  );
  const ofKind = (...kinds: readonly string[]) =>
    holdings.filter(({ draft }) => kinds.includes(draft.facts.kind));
  const first = ofKind('morpho_v1_0', 'morpho_v1_1');
  const flows = allocator === null ? new Map<string, Flow>() : await readFlows(ask, first, allocator);
  const configs = await readConfigs(ask, first, MORPHO_CONFIG);
  return Object.fromEntries([
    ...configs.map(([key, limits]): [string, Limits] => [key, { ...limits, ...flows.get(key) }]),
    ...(await readConfigs(ask, ofKind('euler_earn'), EULER_CONFIG)),
    ...(await readCaps(ask, ofKind('morpho_v2'), markets)),
  ]);
}

const limitsOf = ({ draft, holding }: VaultHolding, limits: Partial<Limits>): [string, Limits] => [
  holdingKey(draft.vault, holding),
  { absolute: null, relative: null, penalty: null, maxIn: null, maxOut: null, ...limits },
];
const digits = (value: bigint | null | undefined) => value?.toString() ?? null;

type Flow = Pick<Limits, 'maxIn' | 'maxOut'>;

/** What anyone may move; nothing in a vault that does not let the allocator act. */
async function readFlows(
  ask: Ask,
  holdings: readonly VaultHolding[],
  allocator: string,
): Promise<ReadonlyMap<string, Flow>> {
  const answers = await askEach(
    ask,
    holdings,
    ({ draft: { vault }, holding }) => ({
      isAllocator: question(IS_ALLOCATOR, vault, { account: allocator }),
      caps: question(FLOW_CAPS, allocator, { vault, id: holding.held }),
    }),
    { mayRevert: true },
  );
  return new Map(
    answers.map(({ item: { draft, holding }, answers: { isAllocator, caps } }): [string, Flow] => {
      const key = holdingKey(draft.vault, holding);
      if (isAllocator === false) return [key, { maxIn: '0', maxOut: '0' }];
      const known = isAllocator === true ? caps : null;
      return [key, { maxIn: digits(known?.maxIn), maxOut: digits(known?.maxOut) }];
    }),
  );
}

async function readConfigs(
  ask: Ask,
  holdings: readonly VaultHolding[],
  abi: ContractFunction<{ readonly id: string }, { readonly cap: bigint }>,
) {
  const answers = await askEach(ask, holdings, ({ draft, holding }) => ({
    config: question(abi, draft.vault, { id: holding.held }),
  }));
  return answers.map(({ item, answers: { config } }) => limitsOf(item, { absolute: digits(config?.cap) }));
}

async function readCaps(
  ask: Ask,
  holdings: readonly VaultHolding[],
  markets: ReadonlyMap<string, MarketAtBlock>,
) {
  const identified = holdings.flatMap((one) => {
    const id = idOf(one.holding, markets);
    return id === null ? [] : [{ ...one, id }];
  });
  const answers = await askEach(ask, identified, ({ draft: { vault }, holding: { via }, id }) => ({
    absolute: question(ABSOLUTE_CAP, vault, { id }),
    relative: question(RELATIVE_CAP, vault, { id }),
    penalty: question(PENALTY, vault, { adapter: via ?? vault }),
  }));
  return answers.map(({ item, answers: { absolute, relative, penalty } }) =>
    limitsOf(item, { absolute: digits(absolute), relative: digits(relative), penalty: digits(penalty) }),
  );
}

/** The id that is of this holding alone; null for an adapter that is not known. */
function idOf({ via, kind, held }: Holding, markets: ReadonlyMap<string, MarketAtBlock>): string | null {
  if (via === null || kind === 'unknown') return null;
  if (kind === 'vault') return capIdOf(adapterIdData(via));
  const market = markets.get(held);
  return market === undefined ? null : capIdOf(marketIdData(via, market.params));
}
