// Depegs, their ends and recoveries.
import { ownMember } from '../../../platform/base/own-member.ts';
import { type StoryFacts, subjectOf } from './story-facts.ts';
import {
  bps,
  decimalIn,
  duration,
  joined,
  moment,
  numberIn,
  price,
  secondsOf,
  textIn,
} from './story-text.ts';

const KINDS: Readonly<Record<string, string>> = {
  fiat_usd: 'for dollar pegs',
  fiat_other: 'for pegs to other currencies',
  crypto_backed: 'for crypto-backed pegs',
  algorithmic: 'for algorithmic pegs',
  liquid_staking: 'for liquid staking tokens',
  liquid_restaking: 'for liquid restaking tokens',
  wrapped_btc: 'for wrapped bitcoin',
  nav: 'for funds with a net asset value',
};

/** ` its price was 0.98 USD, 200 bps below the reference of 1` */
function priceClause({ event: { data }, quote }: StoryFacts): string | undefined {
  const observed = decimalIn(data, 'observed_price');
  const away = distance(numberIn(data, 'deviation_bps'), decimalIn(data, 'reference_price'));
  const unit = quote === null ? '' : ` ${quote}`;
  if (observed === undefined) return away === undefined ? undefined : `its price was ${away}`;
  return joined(`its price was ${price(observed)}${unit}`, away && `, ${away}`);
}

function distance(deviation: number | undefined, reference: number | undefined): string | undefined {
  if (deviation === undefined) return undefined;
  const from = reference === undefined ? 'its reference' : `its reference of ${price(reference)}`;
  if (deviation === 0) return `at ${from}`;
  return `${bps(Math.abs(deviation))} ${deviation < 0 ? 'below' : 'above'} ${from}`;
}

function thresholdClause({ event: { data } }: StoryFacts): string | undefined {
  const effective = numberIn(data, 'effective_enter_bps') ?? numberIn(data, 'enter_bps');
  if (effective === undefined) return undefined;
  const own = numberIn(data, 'enter_bps');
  const kind = ownMember(KINDS, textIn(data, 'peg_kind') ?? '');
  const isWidened = own !== undefined && own !== effective;
  const basis = isWidened
    ? ` (${bps(own)}${kind === undefined ? '' : ` ${kind}`}, widened by how far its feed may deviate)`
    : kind === undefined
      ? ''
      : ` ${kind}`;
  return `the threshold of ${bps(effective)}${basis}`;
}

export function depegStart(facts: StoryFacts): string {
  const { event, course } = facts;
  const subject = subjectOf(facts);
  const at = moment(event.ts);
  const threshold = thresholdClause(facts);
  const beyond = threshold && `, beyond ${threshold}`;
  if (event.data['basis'] === 'source') return oneSource(facts, beyond);
  const isEscalation = course.escalations.some(({ event_id }) => event_id === event.event_id);
  const first =
    isEscalation && course.start !== null
      ? `The depeg of ${subject}, reported since ${moment(course.start.ts)}, was confirmed by all its sources on ${at}`
      : `${subject} left its peg on ${at}`;
  const clause = priceClause(facts);
  return joined(first, clause === undefined ? undefined : `: ${clause}`, clause && beyond);
}

function oneSource(facts: StoryFacts, beyond: string | undefined): string {
  const { data, ts } = facts.event;
  const worst = numberIn(data, 'worst_deviation_bps');
  const reference = decimalIn(data, 'reference_price');
  const clause = priceClause(facts);
  return joined(
    `One of the sources that price ${subjectOf(facts)} was off its peg on ${moment(ts)}`,
    worst === undefined ? undefined : `: the farthest was ${distance(worst, reference)}${beyond ?? ''}`,
    clause === undefined ? undefined : `, while for all sources together ${clause}`,
  );
}

export function depegEnd(facts: StoryFacts): string {
  const { event, course } = facts;
  const clause = priceClause(facts);
  const threshold = thresholdClause(facts);
  const within = clause && threshold && `, within ${threshold}`;
  return joined(
    `${subjectOf(facts)} returned to its peg on ${moment(event.ts)}`,
    course.start === null
      ? undefined
      : `, ${duration(secondsOf(event.ts) - secondsOf(course.start.ts))} after it left it`,
    clause === undefined ? undefined : `: ${clause}`,
    within,
  );
}

export function depegRecovered(facts: StoryFacts): string {
  const { event, course } = facts;
  const stayed =
    course.end === null
      ? undefined
      : `: it had stayed inside its band since ${moment(course.end.ts)}, for ${duration(secondsOf(event.ts) - secondsOf(course.end.ts))}`;
  return joined(`${subjectOf(facts)} counts as recovered from its depeg since ${moment(event.ts)}`, stayed);
}
