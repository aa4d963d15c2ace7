// Which restaking protocols are base protocols, on which others build (decision 9), and what prices the native units of a protocol whose source
// has USD alone. Names are path values.
import { Strict, Type } from './define.ts';

export interface RestakingPolicy {
  readonly base_protocols: readonly string[];
  /** Pair by protocol, `<BASE>-USD`; `*` for every protocol that is not named. */
  readonly native_pairs: { readonly [name: string]: string };
}

const BTC = 'BTC-USD';
const SOL = 'SOL-USD';

export const DEFAULT_RESTAKING_POLICY: RestakingPolicy = Object.freeze({
  base_protocols: ['eigenlayer'],
  native_pairs: {
    '*': 'ETH-USD',
    adrastealrt: SOL,
    b14g: BTC,
    babylonprotocol: BTC,
    binlayer: 'BNB-USD',
    fragmetric: SOL,
    ibtcfinance: BTC,
    jitorestaking: SOL,
    kernel: 'BNB-USD',
    kyros: SOL,
    metapoolmpsol: SOL,
    milkywayrestaking: 'MILK-USD',
    octopusnetwork: 'NEAR-USD',
    parasail: 'FIL-USD',
    solayerrestaking: SOL,
    suzaku: 'AVAX-USD',
    zeusbtcsol: SOL,
  },
});

const Name = Type.String({
  pattern: '^[^A-Z\\s/]{1,200}$',
  description: 'a name in lower case, without spaces',
});

export const RestakingSection = Strict({
  base_protocols: Type.Optional(Type.Array(Name)),
  native_pairs: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[^A-Z\\s/]{1,200}$' }),
      Type.String({ pattern: '^[A-Z0-9]{1,32}-USD$', description: 'a pair against USD, ETH-USD' }),
    ),
  ),
});
