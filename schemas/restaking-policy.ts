// Which restaking protocols are base protocols, on which others build (decision 9): their names as path values.
import { Strict, Type } from './define.ts';

export interface RestakingPolicy {
  readonly base_protocols: readonly string[];
}

export const DEFAULT_RESTAKING_POLICY: RestakingPolicy = Object.freeze({ base_protocols: ['eigenlayer'] });

export const RestakingSection = Strict({
  base_protocols: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[^A-Z\\s/]{1,200}$', description: 'a name in lower case, without spaces' }),
    ),
  ),
});
