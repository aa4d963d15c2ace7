// Votes for the families' benchmark: a dozen protocols with a new proposal every day, each voted on for three days by its holders.
import { DAY_S } from '../../platform/base/time.ts';
import { governance } from '../../jobs/families/governance/domain.ts';
import { type Family, FIRST_DAY } from './families-pipeline.ts';

const PROTOCOLS = 12;
/** A proposal gets a third of its votes on each of its days. */
const VOTING_DAYS = 3;
const E18 = "'000000000000000000'";

const NEVER = 'cast(null as bigint)';

const dayStart = (day: number) => FIRST_DAY + day * DAY_S;
const protocol = "concat('protocol', cast(p as varchar))";

const proposals = (
  day: number,
) => `select ${protocol} as protocol, cast(${day} as varchar) as proposal_id, 'made' as state,
    concat('0x', md5(cast(p * 1000 + ${day} % 7 as varchar))) as proposer, ${dayStart(day)} as created_at, ${dayStart(day)} + 60 as vote_start_at,
    ${dayStart(day + VOTING_DAYS)} as vote_end_at, ${NEVER} as canceled_at, ${NEVER} as queued_at, ${NEVER} as executed_at, 18 as decimals,
    cast(null as varchar) as for_votes_e18, cast(null as varchar) as against_votes_e18
  from range(${PROTOCOLS}) r(p)`;

const electorates = (
  day: number,
) => `select ${protocol} as protocol, ${dayStart(day)} as observed_at, 5000000 as possible_voters,
    concat('1000000000', ${E18}) as supply, 18 as decimals, concat('1000000000', ${E18}) as supply_e18
  from range(${PROTOCOLS}) r(p)`;

const votes = (day: number, holders: number) => `select *, power as power_e18, voted_at as earliest_at,
    ${NEVER} as vote_end_at, 1 as copies
  from (${cast(day, holders)})`;

/** Holder h votes on the proposal of day d on day d + h % 3; the number of holders of a protocol gives the wanted votes per day. */
const cast = (
  day: number,
  holders: number,
) => `select ${protocol} as protocol, cast(proposal as varchar) as proposal_id,
    concat('0x', md5(cast(p * 10000000 + h as varchar))) as voter, concat(proposal, '-', h) as vote_id,
    case when h % 5 < 3 then 'for' when h % 5 = 3 then 'against' else 'abstain' end as support,
    concat(cast(1 + hash(h) % 1000000 as varchar), ${E18}) as power, 18 as decimals,
    ${dayStart(day)} + 60 + cast(hash(h + proposal) % 86000 as bigint) as voted_at
  from range(${PROTOCOLS}) r(p), range(${holders}) v(h), range(${Math.max(0, day - VOTING_DAYS + 1)}, ${day + 1}) d(proposal)
  where h % ${VOTING_DAYS} = ${day} - proposal`;

export const voteFamily: Family = {
  name: 'governance',
  domain: governance,
  table: 'governance_vote',
  rows: 'votes',
  day(day, rows) {
    // The first two days have one and two proposals to vote on, all others three.
    const share = Math.min(day + 1, VOTING_DAYS) / VOTING_DAYS;
    return [
      ['governance_electorate', electorates(day)],
      ['governance_proposal', proposals(day)],
      ['governance_vote', votes(day, Math.ceil(rows / PROTOCOLS / share))],
    ];
  },
  bare: `select protocol, cast_at - cast_at % 86400 as day, count(*) as n, count(distinct voter) as voters, count(distinct proposal_id) as proposals,
      sum(cast(power_e18 as double)) as power, max(cast(power_e18 as double)) as most, count(*) filter (where support = 'for') as in_favour
    from obs.governance_vote where cast_at >= @start and cast_at < @end group by protocol, cast_at - cast_at % 86400`,
};
