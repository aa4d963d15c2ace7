// Assumptions that oracles make, and changes of what oracles read.
import { onChain, type StoryFacts, subjectOf } from './story-facts.ts';
import {
  bps,
  type Datum,
  dollars,
  joined,
  moment,
  number,
  numberIn,
  readableName,
  secondsOf,
  textIn,
} from './story-text.ts';

const assumptionIn = ({ assumption }: Datum): Datum =>
  typeof assumption === 'object' && assumption !== null ? (assumption as Datum) : {};

/** The sentence of the assumption without its full stop. */
const assumptionOf = (facts: StoryFacts): string => {
  const statement = textIn(assumptionIn(facts.event.data), 'statement')?.replace(/\.$/, '');
  return `${statement === undefined ? 'An assumption' : `The assumption “${statement}”`} of oracles${onChain(facts.event)}`;
};

const behind = (data: Datum): string | undefined => {
  const [markets, debt] = [numberIn(data, 'market_count'), numberIn(data, 'debt_usd')];
  if (markets === undefined) return undefined;
  const count = `${number(markets)} ${markets === 1 ? 'market rests' : 'markets rest'} on it`;
  return debt === undefined ? `; ${count}` : `; ${count}, with ${dollars(debt)} of debt`;
};

function uncovered(data: Datum): string | undefined {
  const [low, high] = ['low', 'high'].map((end) => numberIn(data, `unrealised_bad_debt_${end}_usd`));
  if (low !== undefined && high === undefined)
    return low > 0 ? `, and at least ${dollars(low)} of debt is not covered` : undefined;
  if (low === undefined || high === undefined || high <= 0) return undefined;
  return low === high
    ? `, of which ${dollars(low)} is not covered`
    : `, of which between ${dollars(low)} and ${dollars(high)} is not covered`;
}

export function assumptionBroken(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [gap, enter] = [numberIn(data, 'gap_bps'), numberIn(data, 'effective_enter_bps')];
  const since = numberIn(assumptionIn(data), 'broken_since_at');
  const isRise = since !== undefined && since < secondsOf(ts);
  return joined(
    isRise
      ? `${assumptionOf(facts)}, broken since ${moment(since)}, became more severe on ${moment(ts)}`
      : `${assumptionOf(facts)} was broken on ${moment(ts)}`,
    gap === undefined
      ? undefined
      : `: they assume ${bps(Math.abs(gap))} ${gap >= 0 ? 'more' : 'less'} than independent sources say`,
    gap === undefined || enter === undefined ? undefined : `, past the band of ${bps(enter)}`,
    behind(data),
    uncovered(data),
  );
}

export function assumptionRestored(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const gap = numberIn(data, 'gap_bps');
  return textIn(data, 'reason') === 'path_changed'
    ? `${assumptionOf(facts)}, which was broken, is made by no oracle any more since ${moment(ts)}`
    : joined(
        `${assumptionOf(facts)} held again on ${moment(ts)}`,
        gap === undefined ? undefined : `, within ${bps(Math.abs(gap))} of what independent sources say`,
      );
}

export function pathChanged(facts: StoryFacts): string {
  const { data, ts } = facts.event;
  const [cause, markets] = [textIn(data, 'cause'), numberIn(data, 'market_count')];
  const failed = textIn(data, 'failed_checks');
  return joined(
    `The oracle ${subjectOf(facts)} was found to read other contracts, or them in another way, on ${moment(ts)}`,
    cause === undefined ? undefined : `, after a change of its ${readableName(cause)}`,
    markets === undefined
      ? undefined
      : `; ${number(markets)} ${markets === 1 ? 'market reads' : 'markets read'} it`,
    failed === undefined || failed === ''
      ? undefined
      : `; the new path fails a check: ${readableName(failed)}`,
  );
}
