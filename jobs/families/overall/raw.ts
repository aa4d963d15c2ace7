// The raw tables of the overall score: which protocols are scored and their names in the other domains, their pools, security and
// operators, and the distribution and issuance of their token.
import { DAY_S } from '../../../platform/base/time.ts';
import {
  amount,
  choice,
  flag,
  form,
  fraction,
  id,
  instant,
  LAST_INSTANT,
  number,
  observedAt,
  slug,
  text,
  usd,
} from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';

const protocol = id('protocol', 'Protocol as a path value', {
  required: true,
  ...slug('aave-v3', '-', 64),
});
/** How another family names the protocol. */
const ELSEWHERE = slug('aave.eth', '._-', 64);

export const overallProtocol = defineRawTable({
  name: 'overall_protocol',
  description: 'A scored protocol and its names in the other families, from one instant on',
  fields: [
    protocol,
    text('name', 'Display name of the protocol', { required: true, maxLength: 100 }),
    id(
      'development_path',
      'Path value of the development score; absent if that family does not cover it',
      ELSEWHERE,
    ),
    id('social_id', 'protocol_id of the social channels; absent if that family does not cover it', ELSEWHERE),
    id(
      'governance_id',
      'Path value of the governance records; absent if that family does not cover it',
      ELSEWHERE,
    ),
    flag('is_tracked', 'False once it is no longer scored; true when absent'),
    observedAt('Time from which the entry holds', { min: 0, max: LAST_INSTANT }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['protocol', 'observed_at'],
  content: ['name', 'development_path', 'social_id', 'governance_id', 'is_tracked'],
  time: 'observed_at',
  observations: { model: 'obs.overall_protocol', time: 'observed_at' },
});

export const overallPool = defineRawTable({
  name: 'overall_pool',
  description: 'One market or pool of a protocol at one instant',
  fields: [
    protocol,
    id('pool_id', 'Market or pool, unique in the protocol', { required: true, maxLength: 200 }),
    usd('tvl_usd', 'Value supplied', { required: true }),
    usd('borrowed_usd', 'Value borrowed; absent for a pool that does not lend'),
    usd(
      'depth_usd',
      'Exit depth: what can be withdrawn, or sold at a slippage of at most 100 bps; when absent, supplied minus borrowed',
    ),
    fraction(
      'utilization',
      'Borrowed / supplied, as a fraction; absent if computed from the amounts, and for a pool that does not lend',
      { max: 10 },
    ),
    observedAt('Time at which it held', { min: 0, max: LAST_INSTANT }),
    number(
      'exit_depth_usd',
      'depth_usd, else supplied minus borrowed, USD; a row with neither is refused. The score uses at most what is supplied and not borrowed',
      {
        required: true,
        computed:
          'case when depth_usd is not null then depth_usd when borrowed_usd > tvl_usd then 0 else tvl_usd - borrowed_usd end',
      },
    ),
    number('used_share', 'utilization, or borrowed_usd / tvl_usd', {
      computed: 'coalesce(utilization, borrowed_usd / nullif(tvl_usd, 0))',
    }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['protocol', 'pool_id'] }],
  key: ['protocol', 'pool_id', 'observed_at'],
  content: ['tvl_usd', 'borrowed_usd', 'depth_usd', 'utilization'],
  time: 'observed_at',
  observations: { model: 'obs.overall_pool', time: 'observed_at' },
});

export const overallSecurity = defineRawTable({
  name: 'overall_security',
  description: 'One fact of the security registry, with its source and the day on which it was read',
  fields: [
    protocol,
    choice(
      'fact',
      ['deployment', 'audit', 'incident', 'parameter_flag', 'review'],
      'deployment of contracts in use; report of an audit; incident; open flag of a risky parameter; review: all of these were searched for',
      { required: true },
    ),
    text(
      'title',
      'What distinguishes it from other facts of its kind: version, auditor and scope, name of the incident',
      { required: true, maxLength: 200 },
    ),
    instant('happened_at', 'Time of the deployment, report, incident, flag or review', {
      required: true,
      max: LAST_INSTANT,
    }),
    instant('ended_at', 'Time at which it was replaced, withdrawn or cleared; absent while it stands', {
      max: LAST_INSTANT,
    }),
    choice('severity', ['low', 'medium', 'high', 'critical'], 'Severity of an incident or a flag'),
    text('source', 'Where the fact was read', { required: true, maxLength: 500 }),
    text('checked_on', 'Day on which the source was read', {
      required: true,
      ...form('[0-9]{4}-[0-9]{2}-[0-9]{2}', 'a day', '2026-01-31'),
    }),
    observedAt('Time from which it is known; a later row of the same fact replaces an earlier one', {
      min: 0,
      max: LAST_INSTANT,
    }),
    text('graded_fact', 'The fact; an incident or a flag without severity is refused', {
      required: true,
      computed: "case when fact not in ('incident', 'parameter_flag') or severity is not null then fact end",
    }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of facts does not say how many there are' }],
  key: ['protocol', 'fact', 'title', 'observed_at'],
  content: ['happened_at', 'ended_at', 'severity'],
  time: 'observed_at',
  observations: { model: 'obs.overall_security', time: 'observed_at' },
});

export const overallOperator = defineRawTable({
  name: 'overall_operator',
  description: 'One operator of a protocol at one instant; the rows of an instant list all operators',
  fields: [
    protocol,
    text('operator_id', 'Operator: name or address of a validator, keeper, oracle node or node operator', {
      required: true,
      maxLength: 200,
    }),
    amount('weight', 'Stake, keys or jobs that it runs, in one unit for all operators of the instant', {
      required: true,
    }),
    observedAt('Time at which it held', { min: 0, max: LAST_INSTANT }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of operators does not say how many there are' }],
  key: ['protocol', 'operator_id', 'observed_at'],
  content: ['weight'],
  time: 'observed_at',
  observations: { model: 'obs.overall_operator', time: 'observed_at' },
});

export const overallToken = defineRawTable({
  name: 'overall_token',
  description:
    'Distribution of a protocol’s token and composition of its yield, as far as a source reports them',
  fields: [
    protocol,
    fraction(
      'top10_share',
      'Share of the circulating supply held by the ten largest holders, contracts left out',
    ),
    usd('yield_usd', 'Yield paid to users over the last 30 days, emissions included'),
    usd('emissions_usd', 'Part of that yield that was paid in newly issued tokens'),
    observedAt('Time at which it held', { min: 0, max: LAST_INSTANT }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports on a token come when they come' }],
  key: ['protocol', 'observed_at'],
  content: ['top10_share', 'yield_usd', 'emissions_usd'],
  time: 'observed_at',
  observations: { model: 'obs.overall_token', time: 'observed_at' },
});
