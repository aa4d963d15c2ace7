// The parameter that requests data as it was published at an earlier time (decision 64).
import { Type } from '../../schemas/define.ts';

export const asOfParameter = Type.Optional(
  Type.String({
    description: 'Use the newest version that is not later than this time',
    format: 'date-time',
    pattern: 'Z$',
  }),
);
