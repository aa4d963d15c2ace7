// Feeds that are late, invalid, or classified again.
import { ownMember } from '../../../platform/base/own-member.ts';
import { nameOf, onChain, ruleOf, type StoryFacts } from './story-facts.ts';
import {
  duration,
  joined,
  list,
  moment,
  numberIn,
  readableName,
  secondsOf,
  short,
  textIn,
} from './story-text.ts';

function feedName(facts: StoryFacts): string {
  const { data, subject_id } = facts.event;
  const address = textIn(data, 'oracle_address') ?? subject_id.split(':')[2] ?? subject_id;
  const market = textIn(data, 'market_id');
  // A feed that backs no market has its pair in the place of one.
  const pair =
    market !== undefined && !/^0x/i.test(market) && /^[\w.]+-[\w.]+$/.test(market) ? market : undefined;
  return `${facts.names[address] ?? pair ?? `the feed ${short(address)}`}${onChain(facts.event)}`;
}

/** At the start of a sentence; a name keeps its case. */
const atStart = (name: string): string => name.replace(/^the feed /, 'The feed ');

const marketName = (facts: StoryFacts): string | undefined => {
  const market = textIn(facts.event.data, 'market_id');
  return market !== undefined && /^0x/i.test(market) ? nameOf(facts, market) : undefined;
};

const backed = (facts: StoryFacts): string | undefined => {
  const market = marketName(facts);
  return market && `, which the market ${market} relies on,`;
};

const SEVERITY_RULES: Readonly<Record<string, string>> = {
  high: 'oracle.stale_high_s',
  critical: 'oracle.stale_critical_s',
};

export function oracleStale(facts: StoryFacts): string {
  const { event, heartbeat_s } = facts;
  const late = numberIn(event.data, 'stale_age_s');
  const grace = ruleOf(facts, 'oracle.grace_s');
  const allowed = list([
    heartbeat_s === null ? 'its heartbeat' : `its heartbeat of ${duration(heartbeat_s)}`,
    grace === undefined ? 'the grace' : `a grace of ${duration(grace)}`,
  ]);
  const level = ruleOf(facts, SEVERITY_RULES[event.severity ?? ''] ?? '');
  return joined(
    `${atStart(feedName(facts))}${backed(facts) ?? ''} had not answered on ${moment(event.ts)}`,
    late === undefined
      ? ` within ${allowed}`
      : `: it was ${duration(late)} past ${allowed}, which ended on ${moment(secondsOf(event.ts) - late)}`,
    level === undefined || late === undefined
      ? undefined
      : `, which is ${event.severity} from ${duration(level)} on`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  no_answer: 'there was no answer',
  not_positive: 'the answer was not above 0',
  answered_earlier: 'the answer was computed in an earlier round',
  at_bound: 'the answer was at a bound of what the feed can give',
};

export function feedInvalid(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const reason = ownMember(REASONS, textIn(data, 'reason') ?? '');
  const round = textIn(data, 'round_id');
  return joined(
    `${atStart(feedName(facts))}${backed(facts) ?? ''} gave an invalid answer on ${moment(ts)}`,
    reason === undefined ? undefined : `: ${reason}`,
    round === undefined ? undefined : ` (round ${round})`,
  );
}

const MEMBERS = [
  ['staleness_status', 'freshness'],
  ['risk_level', 'risk level'],
  ['category', 'category'],
  ['provider', 'provider'],
] as const;

export function classificationChanged(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [before, after] = [record(data['previous']), record(data['current'])];
  const changes = MEMBERS.flatMap(([member, title]) => {
    const [old, now] = [textIn(before, member), textIn(after, member)];
    if (now === undefined || old === now) return [];
    return [
      old === undefined
        ? `${title} is ${readableName(now)}`
        : `${title} from ${readableName(old)} to ${readableName(now)}`,
    ];
  });
  const [oldFlags, newFlags] = [flagsIn(before), flagsIn(after)];
  const [gained, lost] = [
    newFlags.filter((one) => !oldFlags.includes(one)),
    oldFlags.filter((one) => !newFlags.includes(one)),
  ];
  const all = [
    ...changes,
    ...(gained.length === 0 ? [] : [`marked as ${list(gained)}`]),
    ...(lost.length === 0 ? [] : [`no longer marked as ${list(lost)}`]),
  ];
  return joined(
    `The classification of ${feedName(facts)}${backed(facts) ?? ''} changed on ${moment(ts)}`,
    all.length === 0 ? undefined : `: ${all.join('; ')}`,
  );
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
const flagsIn = ({ edge_case_flags }: Readonly<Record<string, unknown>>): readonly string[] =>
  Array.isArray(edge_case_flags) ? edge_case_flags.map((flag) => readableName(String(flag))) : [];
