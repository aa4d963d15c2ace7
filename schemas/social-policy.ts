// What is served of social channels (decisions 3, 4): which protocols on which channels, from which sentiment on a message is positive or
// negative, and how many mid-level topics a record lists.
import { Strict, Type } from './define.ts';

export interface SocialProtocol {
  /** Path value. */
  readonly protocol_id: string;
  readonly name: string;
}

export interface SocialPolicy {
  readonly channels: readonly string[];
  /** Found by `protocol_id`. */
  readonly protocols: readonly SocialProtocol[];
  readonly positive_from: number;
  readonly negative_to: number;
  readonly mid_topics_max: number;
  /** Whether our word list of crypto counts on top of VADER's own. */
  readonly crypto_words: boolean;
  /** What a message without text is: left out of all counts, or a message of sentiment 0. */
  readonly empty_messages: 'exclude' | 'neutral';
}

const NAMES = [
  'Aave, Aragon, Arbitrum, Avalanche, Balancer, Chainlink, Compound, Convex, Cosmos, Curve, dYdX, EigenLayer, Ethena, Ethereum',
  'Euler, Fluid, Frax, GMX, Lido, Liquity, MakerDAO, Morpho, NEAR, Optimism, PancakeSwap, Pendle, Polygon, Rocket Pool',
  'Solana, Spark, Uniswap, Yearn',
].flatMap((line) => line.split(', '));

export const DEFAULT_SOCIAL_POLICY: SocialPolicy = Object.freeze({
  channels: ['discord', 'reddit'],
  protocols: NAMES.map((name) => ({ protocol_id: name.toLowerCase().replaceAll(' ', ''), name })),
  positive_from: 0.05,
  negative_to: -0.05,
  mid_topics_max: 50,
  crypto_words: true,
  empty_messages: 'exclude',
});

const PathValue = Type.String({ pattern: '^[a-z0-9_-]{1,64}$', description: 'a name in lower case' });

export const SocialSection = Strict({
  channels: Type.Optional(Type.Array(PathValue, { minItems: 1 })),
  protocols: Type.Optional(
    Type.Array(Strict({ protocol_id: PathValue, name: Type.String({ minLength: 1, maxLength: 100 }) })),
  ),
  positive_from: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  negative_to: Type.Optional(Type.Number({ minimum: -1, exclusiveMaximum: 0 })),
  mid_topics_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  crypto_words: Type.Optional(Type.Boolean()),
  empty_messages: Type.Optional(Type.Enum(['exclude', 'neutral'])),
});
