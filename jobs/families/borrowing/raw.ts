// The raw tables of the borrowing domain: how markets set their rates, and their debt by distance to liquidation.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  amount,
  choice,
  count,
  flag,
  fraction,
  id,
  number,
  observedAt,
  usd,
  word,
} from '../../define/fields.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const chain = id('chain', 'Chain name', {
  required: true,
  ...word('ethereum', { separators: '|:', longest: 64 }),
});

const market_id = id(
  'market_id',
  'Id of the market on its chain: its key, or the address of its deposit token',
  { required: true, ...word('0x7b2f', { longest: 200 }) },
);

/** How long a market that falls silent is still listed as missing. */
const NAME_VALID_S = 32 * 86_400;

/** Curves that reach 100 times the debt a year exist. */
const MAX_RATE = 1_000;

const rate = (name: string, description: string) =>
  amount(name, `${description}, as a fraction per year`, { max: MAX_RATE });

const parameters: readonly RawField[] = [
  rate('base', '`kinked`: rate at a utilisation of 0'),
  rate('slope1', '`kinked`: rise of the rate from there to the optimal utilisation'),
  rate('slope2', '`kinked`: rise of the rate from the optimal utilisation to 1'),
  fraction('optimal', '`kinked`: optimal utilisation', { min: 1e-6 }),
  rate('rate_at_target', '`adaptive`: rate at the target utilisation'),
];

export const marketRateModel = defineRawTable({
  name: 'market_rate_model',
  description: 'How one market sets its borrow rate, from one instant on',
  fields: [
    chain,
    market_id,
    observedAt('Time at which it held'),
    choice(
      'kind',
      ['kinked', 'adaptive'],
      '`kinked`: two straight lines; `adaptive`: a curve that moves with time',
      { required: true },
    ),
    ...parameters,
    fraction('reserve_factor', 'Share of interest that the protocol keeps'),
    flag('is_complete', 'The row has every parameter of its kind', {
      required: true,
      computed: `case
        when kind = 'kinked' and base + slope1 + slope2 + optimal is not null then true
        when kind = 'adaptive' and rate_at_target is not null then true
      end`,
    }),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a rate model is reported when it changes' }],
  key: ['chain', 'market_id', 'observed_at'],
  content: ['kind', ...parameters.map(({ name }) => name), 'reserve_factor'],
  time: 'observed_at',
  observations: { model: 'obs.market_rate_model', time: 'observed_at' },
});

const FALL = { required: true, min: -1e6, max: 1 } as const;

export const borrowerTranche = defineRawTable({
  name: 'borrower_tranche',
  description:
    'Debt of one market that can be liquidated once the price of its collateral has fallen by a given fraction. The rows of a market with one observed_at replace all earlier rows of it',
  fields: [
    chain,
    market_id,
    observedAt('Time at which it held'),
    number(
      'fall_from',
      'Smallest fall of the collateral’s price at which debt of the tranche can be liquidated, as a fraction; negative if it can be liquidated already',
      FALL,
    ),
    number('fall_to', 'Largest such fall; equal to the smallest for a single borrower', FALL),
    usd('debt_usd', 'Debt', { required: true }),
    usd('collateral_usd', 'Collateral, at the price of `price_basis`', { required: true }),
    choice(
      'price_basis',
      ['oracle', 'market'],
      'Price that the falls and the collateral refer to: that of the market’s `oracle`, or the `market` price; absent if the source does not say',
    ),
    count(
      'tranche_count',
      'Number of tranches in the report, if the source states it; shows when one is missing',
      { min: 1, max: 1_000_000 },
    ),
    flag('is_ordered', 'The smallest fall is not above the largest', {
      required: true,
      computed: 'case when fall_from <= fall_to then true end',
    }),
  ],
  subject: ['chain', 'market_id'],
  maxAgeSeconds: DAY_S,
  completeness: [
    { by: 'cadence', series: ['chain', 'market_id'] },
    { by: 'audit', audit: 'derived.borrower_coverage.audit' },
  ],
  key: ['chain', 'market_id', 'observed_at', 'fall_from'],
  content: ['fall_to', 'debt_usd', 'collateral_usd', 'tranche_count', 'price_basis'],
  time: 'observed_at',
  reach: NAME_VALID_S,
  observations: { model: 'obs.borrower_tranche', time: 'observed_at' },
});
