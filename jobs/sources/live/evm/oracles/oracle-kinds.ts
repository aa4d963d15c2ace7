// Recognises oracles of lending markets by everything that a contract of a kind answers: Morpho's oracles over feeds and vaults in both
// versions, and those that switch between two others. A contract that answers as two kinds is of none.
import { contractFunction } from '../../../../../platform/base/contract-abi.ts';
import { type Ask, askEach, NO_ADDRESS, question } from '../contract-call.ts';

const address = (name: string) => contractFunction(name, {}, 'address');
const uint = (name: string) => contractFunction(name, {}, 'uint256');

/** As declared by morpho-org/morpho-blue-oracles; the names of meta oracles are those of published contracts. */
const ABI = {
  price: uint('price'),
  scale: uint('SCALE_FACTOR'),
  baseVault: address('BASE_VAULT'),
  quoteVault: address('QUOTE_VAULT'),
  baseSample: uint('BASE_VAULT_CONVERSION_SAMPLE'),
  quoteSample: uint('QUOTE_VAULT_CONVERSION_SAMPLE'),
  baseFeed1: address('BASE_FEED_1'),
  baseFeed2: address('BASE_FEED_2'),
  quoteFeed1: address('QUOTE_FEED_1'),
  quoteFeed2: address('QUOTE_FEED_2'),
  vault: address('VAULT'),
  sample: uint('VAULT_CONVERSION_SAMPLE'),
  primary: address('primaryOracle'),
  backup: address('backupOracle'),
  current: address('currentOracle'),
  threshold: uint('deviationThreshold'),
  challengeS: uint('challengeTimelockDuration'),
  healingS: uint('healingTimelockDuration'),
  isOfFactory: contractFunction('isMorphoChainlinkOracleV2', { target: 'address' }, 'bool'),
} as const;

/** What an oracle reads, in the order in which its contract names it. */
export interface LegSource {
  readonly side: 'base' | 'quote';
  readonly role: 'feed' | 'vault';
  readonly contract: string;
  /** Shares that are converted; null for a feed. */
  readonly sample: bigint | null;
}

interface OracleContract {
  readonly oracle: string;
  /** Null if it reverts. */
  readonly price: bigint | null;
  readonly kindBy: 'factory' | 'interface' | 'registry';
}

export type OracleFacts = OracleContract &
  (
    | {
        readonly kind: 'morpho_v1' | 'morpho_v2' | 'aave';
        readonly scale: bigint;
        readonly sources: readonly LegSource[];
      }
    | {
        readonly kind: 'meta';
        readonly current: string;
        readonly standby: string;
        readonly threshold: bigint;
        readonly challengeS: bigint;
        readonly healingS: bigint;
      }
    | { readonly kind: 'unknown' }
  );

export const priceQuestion = (oracle: string) => question(ABI.price, oracle);
/** The other oracle that one which switches reads now. */
export const currentQuestion = (oracle: string) => question(ABI.current, oracle);

const probesOf = (oracle: string) => ({
  price: question(ABI.price, oracle),
  scale: question(ABI.scale, oracle),
  baseVault: question(ABI.baseVault, oracle),
  quoteVault: question(ABI.quoteVault, oracle),
  baseSample: question(ABI.baseSample, oracle),
  quoteSample: question(ABI.quoteSample, oracle),
  baseFeed1: question(ABI.baseFeed1, oracle),
  baseFeed2: question(ABI.baseFeed2, oracle),
  quoteFeed1: question(ABI.quoteFeed1, oracle),
  quoteFeed2: question(ABI.quoteFeed2, oracle),
  vault: question(ABI.vault, oracle),
  sample: question(ABI.sample, oracle),
  primary: question(ABI.primary, oracle),
  backup: question(ABI.backup, oracle),
  current: question(ABI.current, oracle),
  threshold: question(ABI.threshold, oracle),
  challengeS: question(ABI.challengeS, oracle),
  healingS: question(ABI.healingS, oracle),
});

export async function recogniseOracles(
  ask: Ask,
  oracles: readonly string[],
  factories: readonly string[],
): Promise<ReadonlyMap<string, OracleFacts>> {
  const vouched = await askEach(
    ask,
    oracles.flatMap((oracle) => factories.map((factory) => ({ oracle, factory }))),
    ({ oracle, factory }) => ({ isOwn: question(ABI.isOfFactory, factory, { target: oracle }) }),
    { mayRevert: true },
  );
  const ofFactory = new Set(
    vouched.flatMap(({ item, answers }) => (answers.isOwn === true ? [item.oracle] : [])),
  );
  const probed = await askEach(ask, oracles, probesOf, { mayRevert: true });
  return new Map(
    probed.map(({ item, answers }) => {
      const kindBy = ofFactory.has(item) ? ('factory' as const) : ('interface' as const);
      return [item, factsOf({ oracle: item, price: answers.price, kindBy }, answers)];
    }),
  );
}

interface ProbeAnswers {
  readonly scale: bigint | null;
  readonly baseVault: string | null;
  readonly quoteVault: string | null;
  readonly baseSample: bigint | null;
  readonly quoteSample: bigint | null;
  readonly baseFeed1: string | null;
  readonly baseFeed2: string | null;
  readonly quoteFeed1: string | null;
  readonly quoteFeed2: string | null;
  readonly vault: string | null;
  readonly sample: bigint | null;
  readonly primary: string | null;
  readonly backup: string | null;
  readonly current: string | null;
  readonly threshold: bigint | null;
  readonly challengeS: bigint | null;
  readonly healingS: bigint | null;
}

function factsOf(contract: OracleContract, answers: ProbeAnswers): OracleFacts {
  const kinds = [feedsIn(answers), metaIn(answers)].filter((one) => one !== null);
  const [own] = kinds;
  return own === undefined || kinds.length > 1 ? { ...contract, kind: 'unknown' } : { ...contract, ...own };
}

/** The oldest version 1 has no sample: it converts one unit of the share, 10^0. */
function feedsIn(answers: ProbeAnswers) {
  const { scale, baseVault, quoteVault, baseSample, quoteSample, vault } = answers;
  const { baseFeed1, baseFeed2, quoteFeed1, quoteFeed2 } = answers;
  if (scale === null || baseFeed1 === null || baseFeed2 === null) return null;
  if (quoteFeed1 === null || quoteFeed2 === null) return null;
  const legs = (base: LegSource[], quote: LegSource[]): LegSource[] =>
    [
      ...base,
      feed('base', baseFeed1),
      feed('base', baseFeed2),
      ...quote,
      feed('quote', quoteFeed1),
      feed('quote', quoteFeed2),
    ].filter(({ contract }) => contract !== NO_ADDRESS);
  const isSecond = baseVault !== null && quoteVault !== null && baseSample !== null && quoteSample !== null;
  if (isSecond && vault === null) {
    const base: LegSource = { side: 'base', role: 'vault', contract: baseVault, sample: baseSample };
    const quote: LegSource = { side: 'quote', role: 'vault', contract: quoteVault, sample: quoteSample };
    return { kind: 'morpho_v2' as const, scale, sources: legs([base], [quote]) };
  }
  if (vault === null || baseVault !== null || quoteVault !== null) return null;
  const base: LegSource = { side: 'base', role: 'vault', contract: vault, sample: answers.sample ?? 1n };
  return { kind: 'morpho_v1' as const, scale, sources: legs([base], []) };
}

const feed = (side: LegSource['side'], contract: string): LegSource => ({
  side,
  role: 'feed',
  contract,
  sample: null,
});

/** A contract that has feeds of its own as well is not one. */
function metaIn(answers: ProbeAnswers) {
  const { primary, backup, current, threshold, challengeS, healingS } = answers;
  if (answers.scale !== null || answers.baseFeed1 !== null) return null;
  if (primary === null || backup === null || current === null) return null;
  if (threshold === null || challengeS === null || healingS === null) return null;
  if (current !== primary && current !== backup) return null;
  const standby = current === primary ? backup : primary;
  return { kind: 'meta' as const, current, standby, threshold, challengeS, healingS };
}
