// The log of a governor contract as a raw table: proposals and votes in one.
import { count, form, id, integer, number, text } from '../../define/fields.ts';
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

const YEAR_S = 31_622_400;

export const governorEvent = defineRawTable({
  name: 'governor_event',
  description: 'One decoded event of a governor contract',
  fields: [
    protocol,
    id(
      'event',
      'What happened: created, vote, extended, queued, executed, canceled. Anything else is kept and named by the gate, and changes nothing',
      {
        required: true,
        ...form(
          '[a-z][a-z0-9_]{0,63}',
          'at most 64 lower-case letters, digits and `_`, a letter first',
          'vote',
        ),
      },
    ),
    count('block_number', 'Block of the event', { required: true }),
    id('tx_hash', 'Transaction', { required: true, maxLength: 128 }),
    count('log_index', 'Index in the block', { required: true }),
    instantOrZero('event_at', 'Time of the event', { required: true, min: 1 }),
    identifier('proposal_id', 'Proposal that the event is about', { required: true }),
    id('proposer', 'Creation: account that made the proposal', { maxLength: 128 }),
    count('start_block', 'Creation: block at which voting opens'),
    count('end_block', 'Creation: block at which voting ends; extension: block at which it now ends'),
    instantOrZero(
      'start_at',
      'Creation, of a governor whose clock is in seconds: time at which voting opens',
    ),
    instantOrZero(
      'end_at',
      'Creation or extension, of a governor whose clock is in seconds: time at which voting ends',
    ),
    integer(
      'start_distance_s',
      'Creation: seconds between it and the opening of the vote, in either direction',
      {
        max: YEAR_S,
        hint: 'a clock in seconds belongs in start_at and end_at, and blocks must be those of block_number',
        computed: `case when event = 'created' then cast(least(9e15, abs(
        case when start_at > 0 then cast(start_at as double) - event_at else (cast(start_block as double) - block_number) * block_s end
      )) as bigint) end`,
      },
    ),
    number('block_s', 'Seconds between blocks, from which the time of a later block is computed', {
      required: true,
      min: 0.001,
      max: 3_600,
    }),
    id('voter', 'Vote: account that voted', { maxLength: 128 }),
    ...sides(false),
    tokens('power', 'Vote: voting power used'),
    decimals,
    text(
      'power_e18',
      'Vote: voting power in 1e-18 tokens, exact; a vote without voter or side has none and is refused',
      {
        required: true,
        computed: `case when event <> 'vote' then '0' when voter is not null and support is not null then ${exact('power')} end`,
        otherwise: `a vote without voter or support, or ${notExact('power')}`,
      },
    ),
    count(
      'vote_end',
      'Creation or extension: block or time at which voting ends, otherwise the block of the event; a creation without proposer or period, and an extension without an end, have none and are refused',
      {
        required: true,
        computed: `case
        when event = 'extended' then case when end_at > 0 then end_at else end_block end
        when event <> 'created' then block_number
        when proposer is null then null
        when start_at > 0 and start_at <= end_at then end_at
        when start_at > 0 then null
        when start_block <= end_block then end_block
      end`,
      },
    ),
  ],
  subject: ['protocol'],
  alternatives: ['governance_proposal', 'governance_vote'],
  isCounted: true,
  maxAgeSeconds: null,
  completeness: [
    { by: 'audit', audit: 'derived.governance_ballot.audit' },
    { by: 'nothing', because: 'the log of a contract does not say how many events it has' },
  ],
  key: ['protocol', 'tx_hash', 'log_index', 'part_number', 'hidden'],
  content: ['event', 'proposal_id', 'event_at', 'power_e18'],
  time: 'event_at',
  observations: { model: 'obs.governor_event', time: 'event_at' },
});
