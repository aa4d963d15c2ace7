// The raw tables of governance that come as tables: proposals, votes and the electorate. The log of a governor contract is in
// raw-governor.ts.
import { defineRawTable, type RawField } from '../../define/raw-table.ts';
import { address, amount, decimals, exact, id, instant, notExact, protocol, sides } from './raw-fields.ts';

const tally = (field: string): RawField => ({
  name: `${field}_e18`,
  type: 'VARCHAR',
  computed: exact(field),
  computedFrom: field,
  otherwise: notExact(field),
  description: `${field} in 1e-18 tokens, exact`,
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
    {
      name: 'deadline',
      type: 'BIGINT',
      computed: 'case when vote_end_at is null then 0 else vote_end_at end',
      description: 'End of voting that the row states, or 0: a later statement of it is a fact of its own',
    },
  ],
  subject: ['protocol'],
  alternatives: ['governor_event'],
  maxAgeSeconds: null,
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
      otherwise: notExact('power'),
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
  maxAgeSeconds: null,
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
      computedFrom: 'supply',
      otherwise: notExact('supply'),
      description: 'Token supply in 1e-18 tokens, exact',
    },
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports of the electorate come when they come' }],
  key: ['protocol', 'observed_at'],
  content: ['possible_voters', 'supply_e18'],
  time: 'observed_at',
  kept: { model: 'obs.governance_electorate', time: 'observed_at' },
});
