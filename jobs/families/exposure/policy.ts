// How long a report of a vault's holdings, or of an asset's backing, is used; afterwards they are unknown.
import { DAY_S } from '../../../platform/base/time.ts';
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const Age = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: value, description: `${description}, seconds` });

const schema = Strict({
  allocation_max_age_s: Age(DAY_S, 'Maximum age of a report of a vault’s holdings'),
  // Attestations are monthly and some weeks late.
  backing_max_age_s: Age(45 * DAY_S, 'Maximum age of a report of an asset’s backing'),
});

export const exposurePolicy = definePolicy({
  section: 'exposure',
  schema,
  tables: [oneRow('exposure', schema)],
});
