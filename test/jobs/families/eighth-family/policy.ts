// From which worth a transfer of the made-up eighth family is large.
import { definePolicy, oneRow, Strict, Type } from '../../../../jobs/define/policy/define.ts';

const schema = Strict({
  large_usd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 1_000_000,
    description: 'Minimum worth of a large transfer, USD',
  }),
});

export const bridgePolicy = definePolicy({ section: 'bridges', schema, tables: [oneRow('bridges', schema)] });
