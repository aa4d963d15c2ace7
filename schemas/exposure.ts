// The exposure graph: vaults, markets and assets, and the shares of their value that they hold in others.
import { Nullable, type Static, Strict, Type, UnixSeconds } from './define.ts';
import { FACTS_ACCESS } from './plans.ts';

/** `venue`: an exchange or a custodian. `unknown`: the share that no source accounts for, never spread over the others. */
export const NODE_KINDS = ['vault', 'market', 'asset', 'issuer', 'venue', 'unknown'] as const;

/** Dataset `exposure-graph`, key node: a holder and what it holds. */
export const ExposureNodeSchema = Strict({
  node: Type.String({ description: '`<kind>:<id>`, for example `vault:ethereum:0x…`, `asset:XUSD`' }),
  kind: Type.Enum([...NODE_KINDS]),
  name: Nullable(Type.String({ description: 'Display name' })),
  known_share: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the value accounted for; the rest is an edge to `unknown`',
  }),
  edges: Type.Array(
    Strict({
      to: Type.String({ description: 'Held node' }),
      kind: Type.Enum([...NODE_KINDS]),
      name: Nullable(Type.String()),
      usd: Nullable(Type.Number({ minimum: 0, description: 'Value, USD' })),
      share: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the holder’s value' }),
      observed_at: UnixSeconds('Time of the report'),
      source_id: Type.String({ description: 'Source of the edge' }),
    }),
    { description: 'Largest share first' },
  ),
});
export type ExposureNode = Static<typeof ExposureNodeSchema>;

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Usd = (description: string) => Nullable(Type.Number({ minimum: 0, description }));
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const RelianceSchema = Strict({
  node: Type.String({ description: 'Node of the graph, or `yield:<id>` for a yield opportunity' }),
  kind: Type.Enum([...NODE_KINDS, 'yield']),
  name: Nullable(Type.String({ description: 'Display name' })),
  share_low: Share('Share of its value that rests on the start, at least'),
  share_high: Share('The same, at most: what no source accounts for may rest on it too'),
  value_usd: Usd('Its whole value, USD; null if no source states it'),
  usd_low: Usd('USD that rest on the start, at least'),
  usd_high: Usd('USD, at most'),
  path: Type.Array(
    Strict({
      node: Type.String(),
      kind: Type.Enum([...NODE_KINDS, 'yield', 'assumption']),
      name: Nullable(Type.String()),
    }),
    { description: 'The path with the largest share, from the start to it' },
  ),
});
export type Reliance = Static<typeof RelianceSchema>;

const ReachOfKindSchema = Strict({
  count: Nullable(
    Count(
      'Those of which some part is known to rest on the start; null if this kind is not published or may not be read',
    ),
  ),
  usd_low: Usd('USD of them that rest on it, at least; null if the value of one is unknown'),
  usd_high: Usd('USD, at most'),
  unknown: Nullable(
    Count(
      'Further ones of which no part is known to rest on it, but whose unknown part may; null like `count`',
    ),
  ),
});

export const ReachByKindSchema = Strict(
  {
    market: ReachOfKindSchema,
    vault: ReachOfKindSchema,
    asset: ReachOfKindSchema,
    yield: ReachOfKindSchema,
  },
  'By kind. Kinds overlap: what a vault holds in a market counts in both, so they must not be added up',
);

/** What rests on an asset, or on an assumption of an oracle. */
export const ExposurePathsSchema = Strict({
  from: Strict({
    id: Type.String({ description: 'As asked: a node, or `assumption:<chain>:<id>`' }),
    kind: Type.Enum([...NODE_KINDS, 'assumption']),
    name: Nullable(Type.String({ description: 'Display name; of an assumption, what must be true' })),
    is_broken: Nullable(Type.Boolean({ description: 'Of an assumption: null if nothing can judge it' })),
    markets: Type.Array(Type.String(), {
      description: 'Of an assumption: the markets whose oracle makes it',
    }),
  }),
  reach: ReachByKindSchema,
  nodes: Type.Array(RelianceSchema, { description: 'Most USD first, those of unknown value last' }),
  circles: Type.Array(Type.Array(Type.String(), { minItems: 2 }), {
    description:
      'Nodes that hold each other, in the order in which a loss goes round: each is held by the next, and the last by the first. One circle for each group of such nodes among the start and what rests on it, the shortest through its first node',
  }),
  gaps: Type.Array(
    Type.Enum([
      'yields_need_scope',
      'yields_not_published',
      'lent_share_unknown',
      'paths_unknown',
      'value_unknown',
      'held_back',
    ]),
    {
      description:
        'What is missing from the answer. `paths_unknown`: what the oracle of some market of the chain assumes is not known, so that its lent part may rest on the assumption too; `held_back`: markets, vaults or yields are held back and may rest on it, too',
    },
  ),
});
export type ExposurePaths = Static<typeof ExposurePathsSchema>;

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'exposure-graph': FACTS_ACCESS,
};
