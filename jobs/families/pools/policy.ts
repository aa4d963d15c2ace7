// How long the state of a pool is used.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const schema = Strict({
  state_max_age_s: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 21_600,
    description: 'Maximum age of the state of a pool, seconds',
  }),
});

export const poolsPolicy = definePolicy({ section: 'pools', schema, tables: [oneRow('pools', schema)] });
