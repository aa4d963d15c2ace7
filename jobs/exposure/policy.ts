// How long a report of what a vault holds, or of what backs an asset, is used; afterwards it is unknown.
import { definePolicy, oneRow, Strict, Type } from '../policy/define.ts';

const DAY_S = 86_400;
const Age = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: value, description: `${description}, seconds` });

const schema = Strict({
  allocation_max_age_s: Age(DAY_S, 'Maximum age of a report of what a vault holds'),
  // Attestations come monthly, some weeks late.
  backing_max_age_s: Age(45 * DAY_S, 'Maximum age of a report of what backs an asset'),
});

export const exposurePolicy = definePolicy({
  section: 'exposure',
  schema,
  tables: [oneRow('exposure', schema)],
});
