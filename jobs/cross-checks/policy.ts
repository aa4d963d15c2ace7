// When two sources differ too much, and how old a figure may be to be compared.
import { definePolicy, oneRow, Strict, Type } from '../policy/define.ts';

const schema = Strict({
  max_difference: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.25,
    description: 'Largest difference that is no contradiction, as a fraction of the larger figure',
  }),
  min_usd: Type.Number({
    minimum: 0,
    maximum: 1e12,
    default: 100_000,
    description: 'Figures that are both smaller are not compared, USD; nor are smaller losses',
  }),
  max_supply_difference: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.01,
    description: 'The same for the supply of a network',
  }),
  incident_apart_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    default: 7,
    description: 'How far apart two sources may date the same incident, days',
    column: 'incident_apart_s',
    times: 86_400,
  }),
  incident_age_days: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 1_095,
    description: 'Age from which an incident of another source is not looked for in the registry, days',
    column: 'incident_age_s',
    times: 86_400,
  }),
  max_age_hours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 48,
    description: 'Age from which a figure is not compared, hours',
    column: 'max_age_s',
    times: 3_600,
  }),
});

export const crossCheckPolicy = definePolicy({
  section: 'cross_checks',
  schema,
  tables: [oneRow('cross_checks', schema)],
});
