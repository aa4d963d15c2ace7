// What is published about social channels (decisions 3, 4): which protocols on which channels, the sentiment at which a message counts as
// positive or negative, and the number of mid-level topics in a record.
import { definePolicy, oneRow, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';

const NAMES = [
  'Aave, Aragon, Arbitrum, Avalanche, Balancer, Chainlink, Compound, Convex, Cosmos, Curve, dYdX, EigenLayer, Ethena, Ethereum',
  'Euler, Fluid, Frax, GMX, Lido, Liquity, MakerDAO, Morpho, NEAR, Optimism, PancakeSwap, Pendle, Polygon, Rocket Pool',
  'Solana, Spark, Uniswap, Yearn',
].flatMap((line) => line.split(', '));

const PathValue = (description: string) =>
  Type.String({ pattern: '^[a-z0-9_-]{1,64}$', expected: 'a name in lower case', description });

const schema = Strict({
  channels: Type.Array(PathValue('Path value of a channel'), {
    minItems: 1,
    default: ['discord', 'reddit'],
    expected: 'a list of at least one name',
    description: 'Channels served',
  }),
  protocols: Type.Array(
    Strict({
      protocol_id: PathValue('Path value of the protocol'),
      name: Type.String({
        minLength: 1,
        maxLength: 100,
        expected: 'a text of 1 to 100 characters',
        description: 'Published name',
      }),
    }),
    {
      default: NAMES.map((name) => ({ protocol_id: name.toLowerCase().replaceAll(' ', ''), name })),
      description: 'Protocols followed on every channel, identified by `protocol_id`',
    },
  ),
  positive_from: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.05,
    description: 'Minimum sentiment of a positive message',
  }),
  negative_to: Type.Number({
    minimum: -1,
    exclusiveMaximum: 0,
    default: -0.05,
    description: 'Maximum sentiment of a negative message',
  }),
  mid_topics_max: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 50,
    description: 'Maximum number of mid-level topics in a record',
  }),
  crypto_words: Type.Boolean({
    default: true,
    description: 'Whether our list of crypto words is used in addition to VADER’s list',
  }),
  empty_messages: Type.Enum(['exclude', 'neutral'], {
    default: 'exclude',
    column: false,
    description: 'Messages without text: left out of all counts, or counted with a sentiment of 0',
  }),
});

export type SocialPolicy = ValuesOf<typeof schema>;

export const socialPolicy = definePolicy({
  section: 'social',
  schema,
  lists: { protocols: { name: ({ protocol_id }) => String(protocol_id) } },
  tables: [
    oneRow('social', schema, {
      columns: { counts_empty: 'BOOLEAN' },
      rows: ({ empty_messages }) => [{ counts_empty: empty_messages === 'neutral' }],
    }),
    {
      name: 'social_protocol',
      columns: { channel: 'VARCHAR', protocol_id: 'VARCHAR', name: 'VARCHAR' },
      rows: ({ channels, protocols }) =>
        [...new Set(channels)].flatMap((channel) => protocols.map((protocol) => ({ channel, ...protocol }))),
    },
  ],
});
