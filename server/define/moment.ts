// The parameter that asks for data as it was published at an earlier time (decision 64).
import { Type } from '../../schemas/define.ts';

export const asOfParameter = Type.Optional(
  Type.String({
    description: 'The newest version that speaks of no later time, instead of the newest one',
    format: 'date-time',
    pattern: 'Z$',
  }),
);
