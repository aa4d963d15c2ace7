// The raw tables of governance. Proposals and votes come as tables, or as the log of a governor contract, which contains both; the
// electorate comes separately. Amounts are digits as the source writes them, with the number of decimals by which they are scaled.
import { defineRawTable, type RawField } from '../define/raw-table.ts';

const AMOUNT = '[0-9]{1,60}(\\.[0-9]{1,18})?';
const ID = '[0-9A-Za-z][0-9A-Za-z_.:-]{0,99}';

const protocol: RawField = {
  name: 'protocol',
  type: 'VARCHAR',
  required: true,
  lowercase: true,
  pattern: '[a-z0-9][a-z0-9._-]{0,63}',
  description: 'Protocol as a path value',
};
const decimals: RawField = {
  name: 'decimals',
  type: 'BIGINT',
  required: true,
  min: 0,
  max: 18,
  description: 'Decimals by which amounts are scaled: 18 for wei, 0 for whole tokens',
};
const id = (name: string, description: string, required = true): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  pattern: ID,
  description,
});
const address = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  lowercase: true,
  maxLength: 128,
  description,
});
const amount = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'VARCHAR',
  required,
  pattern: AMOUNT,
  description,
});
const instant = (name: string, description: string, required = false): RawField => ({
  name,
  type: 'BIGINT',
  required,
  min: 0,
  description: `${description}, Unix seconds; 0 if it has not happened`,
});

/**
 * SQL of an amount as an exact whole number of 1e-18 tokens; null if it has more than 38 digits. Plain digits are shifted as text, because
 * DuckDB casts text to a wide decimal slowly; numbers with an exponent are cast.
 */
const exact = (field: string) => {
  const whole = `split_part(${field}, '.', 1)`;
  const fraction = `split_part(${field}, '.', 2)`;
  const moved = `ltrim(${whole} || rpad(${fraction}, cast(18 - decimals as integer), '0'), '0')`;
  const isPlain = `regexp_full_match(${field}, '[0-9]+([.][0-9]*)?') and length(${fraction}) <= 18 - decimals
    and length(${whole}) + 18 - decimals <= 38`;
  return `case when ${isPlain} then coalesce(nullif(${moved}, ''), '0')
    else cast(cast(${field} || 'e' || cast(18 - decimals as varchar) as decimal(38, 0)) as varchar) end`;
};
const tally = (field: string): RawField => ({
  name: `${field}_e18`,
  type: 'VARCHAR',
  computed: exact(field),
  description: `${field} in 1e-18 tokens, exact`,
});
/** The side of a vote, and what governors do differently with votes. `isRequired`: every row of the table is a vote. */
const sides = (isRequired: boolean): readonly RawField[] => [
  {
    name: 'support',
    type: 'VARCHAR',
    required: isRequired,
    lowercase: true,
    description:
      'Side of the vote: for, against, abstain or hidden; in a vote with other choices, `choice:` and the number or name of the choice. Longer than 100 characters, or an encrypted text that begins with 0x, it is hidden; a later row with the side replaces a hidden one',
  },
  {
    name: 'hidden',
    type: 'BIGINT',
    computed: `case when support = 'hidden' or regexp_matches(support, '^(choice:)?0x[0-9a-f]{16}') or length(support) > 107 then 1 else 0 end`,
    description: '1 if the side is hidden',
  },
  {
    name: 'part',
    type: 'BIGINT',
    min: 0,
    max: 1_000,
    description:
      'Number of the part, where a vote is split over several sides: its parts are rows of one vote, each with its power',
  },
  {
    name: 'part_number',
    type: 'BIGINT',
    computed: 'case when part is null then 0 else part end',
    description: 'Number of the part; 0 for a whole vote',
  },
  {
    name: 'repeats',
    type: 'VARCHAR',
    lowercase: true,
    pattern: 'replaces|adds',
    description:
      'Whether a further vote of a voter on the proposal replaces the earlier ones (replaces, also when absent) or adds its power to theirs (adds)',
  },
];

const YEAR_S = 31_622_400;

export const governanceProposal = defineRawTable({
  name: 'governance_proposal',
  description: 'One state of a proposal, from a table of proposals',
  fields: [
    protocol,
    id('proposal_id', 'Id, unique in the protocol'),
    id('state', 'State as the source writes it; rows of other states add to the same proposal'),
    address('proposer', 'Account that made it'),
    instant('created_at', 'Time of creation', true),
    instant('vote_start_at', 'Time at which voting opens'),
    instant('vote_end_at', 'Time at which voting ends'),
    instant('canceled_at', 'Time of cancellation'),
    instant('queued_at', 'Time at which it was queued'),
    instant('executed_at', 'Time of execution'),
    amount('for_votes', 'Tally of votes for it'),
    amount('against_votes', 'Tally of votes against it'),
    decimals,
    tally('for_votes'),
    tally('against_votes'),
    {
      name: 'deadline',
      type: 'BIGINT',
      computed: 'case when vote_end_at is null then 0 else vote_end_at end',
      description: 'End of voting that the row states, or 0: a later statement of it is a fact of its own',
    },
  ],
  subject: ['protocol'],
  alternatives: ['governor_event'],
  completeness: [
    { by: 'audit', audit: 'derived.governance_ballot.audit' },
    { by: 'nothing', because: 'a proposal without votes that is left out does not show' },
  ],
  key: ['protocol', 'proposal_id', 'state', 'deadline'],
  content: ['proposer', 'created_at'],
  time: 'created_at',
  kept: { model: 'obs.governance_proposal', time: 'created_at' },
});

export const governanceVote = defineRawTable({
  name: 'governance_vote',
  description: 'One vote on a proposal, from a table of votes',
  fields: [
    protocol,
    id('proposal_id', 'Proposal voted on'),
    address('voter', 'Who voted', true),
    id('vote_id', 'Transaction or id of the vote; distinguishes repeated votes of one voter on a proposal'),
    ...sides(true),
    amount('power', 'Voting power used; 0 is a vote without weight', true),
    decimals,
    instant('voted_at', 'Time at which it was cast, if the source states it'),
    instant('vote_start_at', 'Time at which voting on the proposal opened'),
    instant('vote_end_at', 'Time at which voting on the proposal ended'),
    {
      name: 'earliest_at',
      type: 'BIGINT',
      required: true,
      min: 1,
      computed: 'coalesce(nullif(voted_at, 0), nullif(vote_start_at, 0), nullif(vote_end_at, 0))',
      description: 'Earliest time at which the vote can have been cast, Unix seconds',
    },
    {
      name: 'power_e18',
      type: 'VARCHAR',
      required: true,
      computed: exact('power'),
      description: 'Voting power in 1e-18 tokens, exact',
    },
    {
      name: 'copies',
      type: 'BIGINT',
      required: true,
      computed: '1',
      description: 'Number of times that its batch contains it',
    },
  ],
  subject: ['protocol'],
  alternatives: ['governor_event'],
  completeness: [
    { by: 'audit', audit: 'derived.governance_proposal_vote.audit' },
    {
      by: 'nothing',
      because:
        'votes on proposals without a tally, and abstentions and votes without power, do not show when they are left out',
    },
  ],
  key: ['protocol', 'proposal_id', 'voter', 'vote_id', 'part_number', 'hidden'],
  content: ['support', 'power_e18'],
  time: 'earliest_at',
  copies: 'copies',
  kept: { model: 'obs.governance_vote', time: 'earliest_at' },
});

export const governorEvent = defineRawTable({
  name: 'governor_event',
  description: 'One decoded event of a governor contract',
  fields: [
    protocol,
    {
      name: 'event',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      pattern: '[a-z][a-z0-9_]{0,63}',
      description:
        'What happened: created, vote, extended, queued, executed, canceled. Anything else is kept and named by the gate, and changes nothing',
    },
    { name: 'block_number', type: 'BIGINT', required: true, min: 0, description: 'Block of the event' },
    {
      name: 'tx_hash',
      type: 'VARCHAR',
      required: true,
      lowercase: true,
      maxLength: 128,
      description: 'Transaction',
    },
    { name: 'log_index', type: 'BIGINT', required: true, min: 0, description: 'Index in the block' },
    { ...instant('event_at', 'Time of the event', true), min: 1 },
    id('proposal_id', 'Proposal that the event is about'),
    address('proposer', 'Creation: account that made the proposal'),
    {
      name: 'start_block',
      type: 'BIGINT',
      min: 0,
      description: 'Creation: block at which voting opens',
    },
    {
      name: 'end_block',
      type: 'BIGINT',
      min: 0,
      description: 'Creation: block at which voting ends; extension: block at which it now ends',
    },
    instant('start_at', 'Creation, of a governor whose clock is in seconds: time at which voting opens'),
    instant(
      'end_at',
      'Creation or extension, of a governor whose clock is in seconds: time at which voting ends',
    ),
    {
      name: 'start_distance_s',
      type: 'BIGINT',
      max: YEAR_S,
      hint: 'a clock in seconds belongs in start_at and end_at, and blocks must be those of block_number',
      computed: `case when event = 'created' then cast(least(9e15, abs(
        case when start_at > 0 then cast(start_at - event_at as double) else cast(start_block - block_number as double) * block_s end
      )) as bigint) end`,
      description: 'Creation: seconds between it and the opening of the vote, in either direction',
    },
    {
      name: 'block_s',
      type: 'DOUBLE',
      required: true,
      min: 0.001,
      max: 3_600,
      description: 'Seconds between blocks, from which the time of a later block is computed',
    },
    address('voter', 'Vote: account that voted'),
    ...sides(false),
    amount('power', 'Vote: voting power used'),
    decimals,
    {
      name: 'power_e18',
      type: 'VARCHAR',
      required: true,
      computed: `case when event <> 'vote' then '0' when voter is not null and support is not null then ${exact('power')} end`,
      description:
        'Vote: voting power in 1e-18 tokens, exact; a vote without voter or side has none and is refused',
    },
    {
      name: 'vote_end',
      type: 'BIGINT',
      required: true,
      min: 0,
      computed: `case
        when event = 'extended' then case when end_at > 0 then end_at else end_block end
        when event <> 'created' then block_number
        when proposer is null then null
        when start_at > 0 and start_at <= end_at then end_at
        when start_at > 0 then null
        when start_block <= end_block then end_block
      end`,
      description:
        'Creation or extension: block or time at which voting ends, otherwise the block of the event; a creation without proposer or period, and an extension without an end, have none and are refused',
    },
  ],
  subject: ['protocol'],
  alternatives: ['governance_proposal', 'governance_vote'],
  completeness: [
    { by: 'audit', audit: 'derived.governance_ballot.audit' },
    { by: 'nothing', because: 'the log of a contract does not say how many events it has' },
  ],
  key: ['protocol', 'tx_hash', 'log_index', 'part_number', 'hidden'],
  content: ['event', 'proposal_id', 'event_at', 'power_e18'],
  time: 'event_at',
  kept: { model: 'obs.governor_event', time: 'event_at' },
});

export const governanceElectorate = defineRawTable({
  name: 'governance_electorate',
  description: 'The electorate of one protocol from one instant on',
  fields: [
    protocol,
    instant('observed_at', 'Time from which it holds', true),
    {
      name: 'possible_voters',
      type: 'BIGINT',
      min: 0,
      description: 'Token holders or delegates who may vote; absent if the source does not state it',
    },
    amount('supply', 'Token supply; absent if the source does not state it'),
    decimals,
    {
      name: 'supply_e18',
      type: 'VARCHAR',
      computed: exact('supply'),
      description: 'Token supply in 1e-18 tokens, exact',
    },
  ],
  subject: ['protocol'],
  completeness: [{ by: 'nothing', because: 'reports of the electorate come when they come' }],
  key: ['protocol', 'observed_at'],
  content: ['possible_voters', 'supply_e18'],
  time: 'observed_at',
  kept: { model: 'obs.governance_electorate', time: 'observed_at' },
});
