// Which restaking protocols are base protocols, on which others build (decision 9), and which feed prices the native units of a
// protocol whose source reports USD only. Names are path values.
import { definePolicy, Strict, Type } from '../../define/policy/define.ts';

const BTC = 'BTC-USD';
const SOL = 'SOL-USD';
const NAME = '^[^A-Z\\s/]{1,200}$';

export const restakingPolicy = definePolicy({
  section: 'restaking',
  schema: Strict({
    base_protocols: Type.Array(
      Type.String({
        pattern: NAME,
        expected: 'a name in lower case, without spaces',
        description: 'Path value of a protocol',
      }),
      { default: ['eigenlayer'], description: 'Protocols on which others build' },
    ),
    native_pairs: Type.Record(
      Type.String({ pattern: NAME }),
      Type.String({
        pattern: '^[A-Z0-9]{1,32}-USD$',
        expected: 'a pair against USD, ETH-USD',
        description: 'Pair',
      }),
      {
        default: {
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
        additionalProperties: false,
        expected: 'a map from names in lower case to pairs',
        description: 'Pair that prices a native unit, by protocol; `*` applies to every protocol not named',
      },
    ),
  }),
  tables: [
    {
      name: 'base_restaking',
      columns: { name: 'VARCHAR' },
      rows: ({ base_protocols }) => [...new Set(base_protocols)].map((name) => ({ name })),
    },
    {
      name: 'restaking_pair',
      columns: { name: 'VARCHAR', pair: 'VARCHAR' },
      rows: ({ native_pairs }) => Object.entries(native_pairs).map(([name, pair]) => ({ name, pair })),
    },
  ],
});
