// Every constant of the overall score and of its six components (decisions 1, 2).
import { DAY_S } from '../../../platform/base/time.ts';
import { type PolicyKeywords, Strict, Type, type ValuesOf } from '../../define/policy/define.ts';

type Column = Pick<PolicyKeywords, 'column' | 'times'>;

const Share = (value: number, description: string, column: Column = {}) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description, ...column });
const inSeconds = (column: string) => ({ column, times: DAY_S });
const Days = (value: number, maximum: number, text: Column & { readonly description: string }) =>
  Type.Integer({ minimum: 1, maximum, default: value, ...text });
const Usd = (value: number, description: string) =>
  Type.Number({ minimum: 1, maximum: 1e15, default: value, description });
const Penalties = (of: string) =>
  Type.Object(
    {
      low: Share(0.05, `Penalty of ${of} of low severity`),
      medium: Share(0.15, `Penalty of ${of} of medium severity`),
      high: Share(0.35, `Penalty of ${of} of high severity`),
      critical: Share(0.6, `Penalty of ${of} of critical severity`),
    },
    { additionalProperties: false, column: false },
  );

export const overallSchema = Strict({
  weights: Type.Object(
    {
      liquidity: Share(0.25, 'Weight of liquidity'),
      security: Share(0.25, 'Weight of security'),
      decentralization: Share(0.15, 'Weight of decentralization'),
      tokenomics: Share(0.15, 'Weight of tokenomics'),
      development: Share(0.12, 'Weight of development'),
      social: Share(0.08, 'Weight of social standing'),
    },
    {
      additionalProperties: false,
      column: false,
      description: 'Weight of each component, at most four decimals; together 1',
    },
  ),
  min_components: Type.Integer({
    minimum: 1,
    maximum: 6,
    default: 4,
    description: 'Minimum number of known components for a record',
  }),
  min_weight: Share(0.7, 'Minimum total weight of the known components for a record, at most four decimals', {
    column: false,
  }),
  liquidity: Strict({
    depth_floor_usd: Usd(100_000, 'Exit depth that scores 0, USD'),
    depth_full_usd: Usd(100_000_000, 'Exit depth that scores 1, logarithmic in between, USD'),
    optimal_utilization: Type.Number({
      minimum: 0,
      maximum: 0.99,
      default: 0.8,
      description: 'Utilization up to which the score is not reduced; at a utilization of 1 it is 0',
    }),
    depth_weight: Share(0.6, 'Weight of depth in liquidity'),
    utilization_weight: Share(0.4, 'Weight of utilization in liquidity'),
    carry_days: Type.Integer({
      minimum: 0,
      maximum: 7,
      default: 1,
      ...inSeconds('carry_s'),
      description: 'Days for which a pool without an observation keeps its last one',
    }),
  }),
  security: Strict({
    full_age_days: Days(1_095, 36_500, { description: 'Age that scores 1, days' }),
    full_audits: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 4,
      description: 'Audits that score 1',
    }),
    audit_days: Days(1_095, 36_500, {
      description: 'Age at which an audit no longer counts, days',
      ...inSeconds('audit_s'),
    }),
    review_days: Days(365, 36_500, {
      description: 'Age of the last review at which a registry entry is no longer used, days',
      ...inSeconds('review_s'),
    }),
    incident_half_life_days: Days(365, 36_500, {
      description: 'Time in which the penalty of an incident halves, days',
    }),
    age_weight: Share(0.3, 'Weight of age in security'),
    audits_weight: Share(0.3, 'Weight of audits in security'),
    incidents_weight: Share(0.25, 'Weight of incidents in security'),
    flags_weight: Share(0.15, 'Weight of open parameter flags in security'),
    incident_penalties: Penalties('an incident'),
    flag_penalties: Penalties('an open parameter flag'),
  }),
  decentralization: Strict({
    voting_weight: Share(0.6, 'Weight of voting power in decentralization'),
    operators_weight: Share(0.4, 'Weight of operators in decentralization'),
    operator_days: Days(30, 90, {
      description: 'Age at which a set of operators is no longer used, days',
      ...inSeconds('operator_s'),
    }),
  }),
  tokenomics: Strict({
    holders_weight: Share(0.5, 'Weight of the largest holders in tokenomics'),
    emissions_weight: Share(0.5, 'Weight of emissions in tokenomics'),
    token_days: Days(7, 30, {
      description: 'Age at which token figures are no longer used, days',
      ...inSeconds('token_s'),
    }),
  }),
  social: Strict({
    damping_messages: Type.Number({
      minimum: 0,
      maximum: 1e6,
      default: 50,
      description:
        'Messages per day at which the score is halfway between .5 and what the sentiment alone gives',
    }),
  }),
});

export type OverallPolicy = ValuesOf<typeof overallSchema>;
