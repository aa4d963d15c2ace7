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
const support = (required: boolean): RawField => ({
  name: 'support',
  type: 'VARCHAR',
  required,
  lowercase: true,
  pattern: 'for|against|abstain|choice:.{1,100}',
  description:
    'Side of the vote; in a vote with other choices, `choice:` and the number or name of the choice',
});

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
  ],
  subject: ['protocol'],
  alternatives: ['governor_event'],
  completeness: [
    { by: 'audit', audit: 'derived.governance_ballot.audit' },
    { by: 'nothing', because: 'a proposal without votes that is left out does not show' },
  ],
  key: ['protocol', 'proposal_id', 'state'],
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
    support(true),
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
  key: ['protocol', 'proposal_id', 'voter', 'vote_id'],
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
      pattern: 'created|vote|queued|executed|canceled',
      description: 'What happened',
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
    { name: 'end_block', type: 'BIGINT', min: 0, description: 'Creation: block at which voting ends' },
    {
      name: 'block_s',
      type: 'DOUBLE',
      required: true,
      min: 0.001,
      max: 3_600,
      description: 'Seconds between blocks, from which the time of a later block is computed',
    },
    address('voter', 'Vote: account that voted'),
    support(false),
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
      name: 'last_block',
      type: 'BIGINT',
      required: true,
      min: 0,
      computed: `case when event <> 'created' then block_number when proposer is not null and start_block <= end_block then end_block end`,
      description:
        'Latest block that the event refers to; a creation without proposer or blocks has none and is refused',
    },
  ],
  subject: ['protocol'],
  alternatives: ['governance_proposal', 'governance_vote'],
  completeness: [
    { by: 'audit', audit: 'derived.governance_ballot.audit' },
    { by: 'nothing', because: 'the log of a contract does not say how many events it has' },
  ],
  key: ['protocol', 'tx_hash', 'log_index'],
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
