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

/** Who may read the datasets that no endpoint serves. */
export const ACCESS = {
  'exposure-graph': FACTS_ACCESS,
};
