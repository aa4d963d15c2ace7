// How old the state of a vault may be, when its price counts as fallen or donated to, and when it is short of liquidity.
import {
  type Contradiction,
  definePolicy,
  oneRow,
  Strict,
  Type,
  type ValuesOf,
} from '../../define/policy/define.ts';

const Fraction = (value: number, description: string) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: value,
    description: `${description}, as a fraction`,
  });
const BasisPoints = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 10_000, default: value, description: `${description}, basis points` });

const Times = (value: number, description: string) =>
  Type.Number({ minimum: 1, maximum: 1_000, default: value, description });

const schema = Strict({
  state_max_age_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 5_400,
    description: 'Maximum age of a state, seconds; an older one is stale',
  }),
  fall: Strict({
    tolerance_bps: BasisPoints(0.01, 'Fall of the share price between two states that is rounding'),
    high_bps: BasisPoints(1, 'Fall from which the event is high'),
    critical_bps: BasisPoints(100, 'Fall from which the event is critical'),
  }),
  donation: Strict({
    rise_bps: BasisPoints(
      20,
      'Rise of the share price between two states, beyond all interest, that is a donation',
    ),
    max_rate: Type.Number({
      minimum: 0,
      maximum: 1_000,
      default: 8,
      // A market of Morpho at full utilization charges four times a rate that stops rising at 200 % a year.
      description: 'Highest interest that a vault can earn, as a fraction a year, compounded',
    }),
  }),
  unseeded_units: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000_000,
    default: 1_000_000,
    description: 'Total assets below which the share price is noise, in the smallest unit of the asset',
  }),
  apy_min_usd: Type.Number({
    minimum: 0,
    default: 10_000,
    description: 'Total assets below which no APY is stated, USD',
  }),
  liquidity: Strict({
    low_below: Fraction(0.01, 'Withdrawable share of the assets below which a vault is short of liquidity'),
    rearm_from: Fraction(0.02, 'Withdrawable share of the assets from which it is no longer short'),
    min_assets_usd: Type.Number({
      minimum: 0,
      default: 10_000,
      description: 'Total assets below which liquidity is not judged, USD',
    }),
    confirm_observations: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 2,
      description: 'Consecutive states that confirm it',
    }),
  }),
  collateral: Strict({
    buffer: Times(1.25, 'How many times what can be withdrawn must cover the collateral at risk'),
    rearm_buffer: Times(1.5, 'Cover from which a vault is no longer short of liquidity'),
    min_at_risk_usd: Type.Number({
      minimum: 0,
      default: 10_000,
      description: 'Collateral at risk below which it is not judged, USD',
    }),
    high_lltv: Fraction(0.86, 'LLTV of a market from which on its collateral counts as steady'),
    high_lltv_shock: Fraction(0.02, 'Fall of the price of steady collateral'),
    low_lltv: Fraction(0.77, 'LLTV of a market up to which its collateral counts as volatile'),
    low_lltv_shock: Fraction(0.15, 'Fall of the price of volatile collateral'),
    middle_shock: Fraction(0.1, 'Fall of the price of collateral between the two'),
  }),
});

export type VaultsPolicy = ValuesOf<typeof schema>;

export const vaultsPolicy = definePolicy({
  section: 'vaults',
  schema,
  contradictions,
  tables: [oneRow('vaults', schema)],
});

type Check = readonly [isRight: boolean, contradiction: Contradiction];

function contradictions({ fall, liquidity, collateral }: VaultsPolicy): readonly Contradiction[] {
  const { buffer, rearm_buffer, low_lltv, high_lltv } = collateral;
  const checks: readonly Check[] = [
    [
      fall.high_bps < fall.critical_bps,
      [
        '.fall',
        `high_bps ${fall.high_bps}, critical_bps ${fall.critical_bps}`,
        'high_bps below critical_bps',
      ],
    ],
    [
      liquidity.low_below <= liquidity.rearm_from,
      [
        '.liquidity',
        `rearm_from ${liquidity.rearm_from}, low_below ${liquidity.low_below}`,
        'rearm_from not below low_below',
      ],
    ],
    [
      buffer <= rearm_buffer,
      ['.collateral', `rearm_buffer ${rearm_buffer}, buffer ${buffer}`, 'rearm_buffer not below buffer'],
    ],
    [
      low_lltv < high_lltv,
      ['.collateral', `low_lltv ${low_lltv}, high_lltv ${high_lltv}`, 'low_lltv below high_lltv'],
    ],
  ];
  return checks.flatMap(([isRight, contradiction]) => (isRight ? [] : [contradiction]));
}
