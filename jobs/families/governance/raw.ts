// The raw tables of governance that come as tables: proposals, votes and the electorate. The log of a governor contract is in
// raw-governor.ts.
import { count, id, instant, integer, text } from '../../define/fields.ts';
import { defineRawTable } from '../../define/raw-table.ts';
import {
  decimals,
  exact,
  identifier,
  instantOrZero,
  notExact,
  protocol,
  sides,
  tokens,
} from './raw-fields.ts';

const tally = (field: string) =>
  text(`${field}_e18`, `${field} in 1e-18 tokens, exact`, {
    computed: exact(field),
    computedFrom: field,
    otherwise: notExact(field),
  });

export const governanceProposal = defineRawTable({
  name: 'governance_proposal',
  description: 'One state of a proposal, from a table of proposals',
  fields: [
    protocol,
    identifier('proposal_id', 'Id, unique in the protocol', { required: true }),
    identifier('state', 'State as the source writes it; rows of other states add to the same proposal', {
      required: true,
    }),
    id('proposer', 'Account that made it', { maxLength: 128 }),
    instantOrZero('created_at', 'Time of creation', { required: true }),
    instantOrZero('vote_start_at', 'Time at which voting opens'),
    instantOrZero('vote_end_at', 'Time at which voting ends'),
    instantOrZero('canceled_at', 'Time of cancellation'),
    instantOrZero('queued_at', 'Time at which it was queued'),
    instantOrZero('executed_at', 'Time of execution'),
    tokens('for_votes', 'Tally of votes for it'),
    tokens('against_votes', 'Tally of votes against it'),
    decimals,
    tally('for_votes'),
    tally('against_votes'),
    integer(
      'deadline',
      'End of voting that the row states, or 0: a later statement of it is a fact of its own',
      { computed: 'case when vote_end_at is null then 0 else vote_end_at end' },
    ),
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
  observations: { model: 'obs.governance_proposal', time: 'created_at' },
});

export const governanceVote = defineRawTable({
  name: 'governance_vote',
  description: 'One vote on a proposal, from a table of votes',
  fields: [
    protocol,
    identifier('proposal_id', 'Proposal voted on', { required: true }),
    id('voter', 'Who voted', { required: true, maxLength: 128 }),
    identifier(
      'vote_id',
      'Transaction or id of the vote; distinguishes repeated votes of one voter on a proposal',
      { required: true },
    ),
    ...sides(true),
    tokens('power', 'Voting power used; 0 is a vote without weight', { required: true }),
    decimals,
    instantOrZero('voted_at', 'Time at which it was cast, if the source states it'),
    instantOrZero('vote_start_at', 'Time at which voting on the proposal opened'),
    instantOrZero('vote_end_at', 'Time at which voting on the proposal ended'),
    instant('earliest_at', 'Earliest time at which the vote can have been cast', {
      required: true,
      min: 1,
      computed: 'coalesce(nullif(voted_at, 0), nullif(vote_start_at, 0), nullif(vote_end_at, 0))',
    }),
    text('power_e18', 'Voting power in 1e-18 tokens, exact', {
      required: true,
      computed: exact('power'),
      otherwise: notExact('power'),
    }),
    integer('copies', 'Number of times that its batch contains it', { required: true, computed: '1' }),
  ],
  subject: ['protocol'],
  alternatives: ['governor_event'],
  isCounted: true,
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
  content: ['earliest_at', 'support', 'power_e18'],
  time: 'earliest_at',
  copies: 'copies',
  observations: { model: 'obs.governance_vote', time: 'earliest_at' },
});

export const governanceElectorate = defineRawTable({
  name: 'governance_electorate',
  description: 'The electorate of one protocol from one instant on',
  fields: [
    protocol,
    instantOrZero('observed_at', 'Time from which it holds', { required: true }),
    count(
      'possible_voters',
      'Token holders or delegates who may vote; absent if the source does not state it',
    ),
    tokens('supply', 'Token supply; absent if the source does not state it'),
    decimals,
    text('supply_e18', 'Token supply in 1e-18 tokens, exact', {
      computed: exact('supply'),
      computedFrom: 'supply',
      otherwise: notExact('supply'),
    }),
  ],
  subject: ['protocol'],
  maxAgeSeconds: null,
  completeness: [{ by: 'nothing', because: 'reports of the electorate come when they come' }],
  key: ['protocol', 'observed_at'],
  content: ['possible_voters', 'supply_e18'],
  time: 'observed_at',
  observations: { model: 'obs.governance_electorate', time: 'observed_at' },
});
