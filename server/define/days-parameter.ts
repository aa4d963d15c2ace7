// The query parameter of daily counts: the number of days.
import { Type } from '../../schemas/define.ts';

interface Days {
  readonly max: number;
  readonly default: number;
}

export const daysParameter = ({ max, default: usual }: Days) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: max, default: usual, description: 'Number of days, up to today' }),
  );
