// The query parameter of counts by day: how many of them.
import { Type } from '../../schemas/define.ts';

interface Days {
  readonly max: number;
  readonly default: number;
}

export const daysParameter = ({ max, default: usual }: Days) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: usual, description: 'Days up to today' }));
