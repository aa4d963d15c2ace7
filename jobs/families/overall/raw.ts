// The raw tables of the overall score: which protocols are scored and their names in the other domains, their pools, security and
// operators, and the distribution and issuance of their token.
import { DAY_S } from '../../../platform/base/time.ts';
import { defineRawTable, type RawField } from '../../define/raw-table.ts';

const protocol: RawField = {
  name: 'protocol',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern: '[a-z0-9][a-z0-9-]{0,63}',
  description: 'Protocol as a path value',
};
const known = (name: string, description: string): RawField => ({
  name,
  type: 'VARCHAR',
  lowercase: true,
  pattern: '[a-z0-9][a-z0-9._-]{0,63}',
  description: `${description}; absent if that family does not cover it`,
});
const instant = (name: string, description: string, required = true): RawField => ({
  name,
  type: 'BIGINT',
  required,
  min: 0,
  max: 253_402_300_799,
  description: `${description}, Unix seconds`,
});
const usd = (name: string, description: string, required: boolean): RawField => ({
  name,
  type: 'DOUBLE',
  required,
  min: 0,
  max: 1e15,
  description: `${description}, USD`,
});
const share = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'DOUBLE',
  required,
  min: 0,
  max: 1,
  description: `${description}, as a fraction`,
});

export const overallProtocol = defineRawTable({
  name: 'overall_protocol',
  description: 'A scored protocol and its names in the other families, from one instant on',
  fields: [
    protocol,
    {
      name: 'name',
      type: 'VARCHAR',
      required: true,
      maxLength: 100,
      description: 'Display name of the protocol',
    },
    known('development_path', 'Path value of the development score'),
    known('social_id', 'protocol_id of the social channels'),
    known('governance_id', 'Path value of the governance records'),
    {
      name: 'is_tracked',
      type: 'BOOLEAN',
      description: 'False once it is no longer scored; true when absent',
    },
    instant('observed_at', 'Time from which the entry holds'),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a registry does not say how many entries it should have' }],
  key: ['protocol', 'observed_at'],
  content: ['name', 'development_path', 'social_id', 'governance_id', 'is_tracked'],
  time: 'observed_at',
  kept: { model: 'obs.overall_protocol', time: 'observed_at' },
});

export const overallPool = defineRawTable({
  name: 'overall_pool',
  description: 'One market or pool of a protocol at one instant',
  fields: [
    protocol,
    {
      name: 'pool_id',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 200,
      description: 'Market or pool, unique in the protocol',
    },
    usd('tvl_usd', 'Value supplied', true),
    usd('borrowed_usd', 'Value borrowed; absent for a pool that does not lend', false),
    usd(
      'depth_usd',
      'Exit depth: what can be withdrawn, or sold at a slippage of at most 100 bps; when absent, supplied minus borrowed',
      false,
    ),
    {
      name: 'utilization',
      type: 'DOUBLE',
      min: 0,
      max: 10,
      description:
        'Borrowed / supplied, as a fraction; absent if computed from the amounts, and for a pool that does not lend',
    },
    instant('observed_at', 'Time at which it held'),
    {
      name: 'exit_depth_usd',
      type: 'DOUBLE',
      required: true,
      computed:
        'case when depth_usd is not null then depth_usd when borrowed_usd > tvl_usd then 0 else tvl_usd - borrowed_usd end',
      description:
        'depth_usd, else supplied minus borrowed, USD; a row with neither is refused. The score uses at most what is supplied and not borrowed',
    },
    {
      name: 'used_share',
      type: 'DOUBLE',
      computed: 'coalesce(utilization, borrowed_usd / nullif(tvl_usd, 0))',
      description: 'utilization, or borrowed_usd / tvl_usd',
    },
  ],
  subject: ['protocol'],
  maxAgeSeconds: 2 * DAY_S,
  completeness: [{ by: 'cadence', series: ['protocol', 'pool_id'] }],
  key: ['protocol', 'pool_id', 'observed_at'],
  content: ['tvl_usd', 'borrowed_usd', 'depth_usd', 'utilization'],
  time: 'observed_at',
  kept: { model: 'obs.overall_pool', time: 'observed_at' },
});

export const overallSecurity = defineRawTable({
  name: 'overall_security',
  description: 'One fact of the security registry, with its source and the day on which it was read',
  fields: [
    protocol,
    {
      name: 'fact',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: 'deployment|audit|incident|parameter_flag|review',
      description:
        'deployment of contracts in use; report of an audit; incident; open flag of a risky parameter; review: all of these were searched for',
    },
    {
      name: 'title',
      type: 'VARCHAR',
      required: true,
      maxLength: 200,
      description:
        'What distinguishes it from other facts of its kind: version, auditor and scope, name of the incident',
    },
    instant('happened_at', 'Time of the deployment, report, incident, flag or review'),
    instant('ended_at', 'Time at which it was replaced, withdrawn or cleared; absent while it stands', false),
    {
      name: 'severity',
      type: 'VARCHAR',
      lowercase: true,
      pattern: 'low|medium|high|critical',
      description: 'Severity of an incident or a flag',
    },
    {
      name: 'source',
      type: 'VARCHAR',
      required: true,
      maxLength: 500,
      description: 'Where the fact was read',
    },
    {
      name: 'checked_on',
      type: 'VARCHAR',
      required: true,
      pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}',
      description: 'Day on which the source was read',
    },
    instant(
      'observed_at',
      'Time from which it is known; a later row of the same fact replaces an earlier one',
    ),
    {
      name: 'graded_fact',
      type: 'VARCHAR',
      required: true,
      computed: "case when fact not in ('incident', 'parameter_flag') or severity is not null then fact end",
      description: 'The fact; an incident or a flag without severity is refused',
    },
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of facts does not say how many there are' }],
  key: ['protocol', 'fact', 'title', 'observed_at'],
  content: ['happened_at', 'ended_at', 'severity'],
  time: 'observed_at',
  kept: { model: 'obs.overall_security', time: 'observed_at' },
});

export const overallOperator = defineRawTable({
  name: 'overall_operator',
  description: 'One operator of a protocol at one instant; the rows of an instant list all operators',
  fields: [
    protocol,
    {
      name: 'operator_id',
      type: 'VARCHAR',
      required: true,
      maxLength: 200,
      description: 'Operator: name or address of a validator, keeper, oracle node or node operator',
    },
    {
      name: 'weight',
      type: 'DOUBLE',
      required: true,
      min: 0,
      max: 1e30,
      description: 'Stake, keys or jobs that it runs, in one unit for all operators of the instant',
    },
    instant('observed_at', 'Time at which it held'),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'a list of operators does not say how many there are' }],
  key: ['protocol', 'operator_id', 'observed_at'],
  content: ['weight'],
  time: 'observed_at',
  kept: { model: 'obs.overall_operator', time: 'observed_at' },
});

export const overallToken = defineRawTable({
  name: 'overall_token',
  description:
    'Distribution of a protocol’s token and composition of its yield, as far as a source reports them',
  fields: [
    protocol,
    share(
      'top10_share',
      'Share of the circulating supply held by the ten largest holders, contracts left out',
    ),
    usd('yield_usd', 'Yield paid to users over the last 30 days, emissions included', false),
    usd('emissions_usd', 'Part of that yield that was paid in newly issued tokens', false),
    instant('observed_at', 'Time at which it held'),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports on a token come when they come' }],
  key: ['protocol', 'observed_at'],
  content: ['top10_share', 'yield_usd', 'emissions_usd'],
  time: 'observed_at',
  kept: { model: 'obs.overall_token', time: 'observed_at' },
});
