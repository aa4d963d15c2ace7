// How long reports about borrowing stay valid, and how closely the tranches of a market must add up to its debt.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Age = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: value, description: `${description}, seconds` });

const schema = Strict({
  // At full utilisation a target rate grows by a seventh in a day.
  adaptive_max_age_s: Age(86_400, 'Maximum age of an adaptive rate model'),
  tranche_max_age_s: Age(86_400, 'Maximum age of the tranches of a market'),
  debt_tolerance: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.05,
    description:
      'Difference between the debt of the tranches and of the market above which the gate warns, as a fraction',
  }),
});

export const borrowingPolicy = definePolicy({
  section: 'borrowing',
  schema,
  tables: [oneRow('borrowing', schema)],
});
