// How much two sources may differ, and how old a figure may be to be compared.
import { definePolicy, oneRow, Strict, Type } from '../../define/policy/define.ts';

const schema = Strict({
  max_difference: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.25,
    description:
      'Maximum difference between two sources without a warning, as a fraction of the larger figure',
  }),
  min_usd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 100_000,
    description: 'Minimum size, USD: two smaller figures are not compared, and smaller losses are ignored',
  }),
  max_supply_difference: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.01,
    description:
      'Maximum difference of the supply of a network without a warning, as a fraction of the larger figure',
  }),
  incident_apart_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    default: 7,
    description: 'Maximum distance between the dates that two sources give for the same incident, days',
    column: 'incident_apart_s',
    times: 86_400,
  }),
  incident_age_days: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 1_095,
    description: 'Age at which an incident of another source is no longer looked up in the registry, days',
    column: 'incident_age_s',
    times: 86_400,
  }),
  max_age_hours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 48,
    description: 'Age at which a figure is no longer compared, hours',
    column: 'max_age_s',
    times: 3_600,
  }),
});

export const crossCheckPolicy = definePolicy({
  section: 'cross_checks',
  schema,
  tables: [oneRow('cross_checks', schema)],
});
