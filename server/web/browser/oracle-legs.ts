// How the price of an oracle is made, as a chain of legs from the collateral to the loan. What is written into a contract is marked, because
// no market moves it.
import { html, nothing, type TemplateResult } from 'lit-html';
import { age, caption, isKnown, named, serviceBadge, shortName, UNKNOWN } from './format.ts';
import {
  isFixedLeg,
  type OracleAssumption,
  type OracleLeg,
  type OraclePath,
  raisesPrice,
} from './oracle-path.ts';
import { from } from './origin.ts';
import { link } from './state.ts';

/** Kinds of contract that are read directly, in words. */
const KINDS: Readonly<Record<string, string>> = {
  aave: 'source of an Aave oracle',
  api3: 'API3 feed',
  capo_eur: 'capped price',
  capo_pendle: 'capped price, less a discount',
  capo_rate: 'rate with a cap on its growth',
  capo_stable: 'capped price',
  chainlink: 'Chainlink feed',
  chronicle: 'Chronicle feed',
  constant: 'constant',
  erc4626: 'rate of a vault',
  meta: 'oracle with a standby',
  morpho_v1: 'Morpho oracle, first version',
  morpho_v2: 'Morpho oracle, second version',
  oval: 'delayed feed',
  pendle_linear: 'discount by time alone',
  pendle_twap: 'mean price of a pool',
  pyth: 'Pyth feed',
  rate: 'rate of a contract',
  redstone: 'RedStone feed',
};
export const kindText = (kind: string | null): string =>
  isKnown(kind) ? (KINDS[kind] ?? caption(kind)) : UNKNOWN;

/** Only these are named by a feed page. */
const FEEDS = new Set(['chainlink']);

export function legsView(path: OraclePath): TemplateResult {
  const inUse = path.legs.filter(({ is_standby }) => !is_standby);
  const standby = path.legs.filter(({ is_standby }) => is_standby);
  const equal = path.assumptions.filter(isEqual);
  const step = (one: OracleAssumption) => assumedStep(one, inUse.length === 0);
  return html`<ol class="legs" aria-label="Legs of the price, in order">
      <li class="end"><strong>${path.base_symbol ?? 'collateral'}</strong><span class="quiet">must be priced</span></li>
      ${equal.filter((one) => raisesPrice(path, one)).map(step)}
      ${inUse.length === 0 ? withoutLegs(path) : branches(path, inUse, null)}
      ${equal.filter((one) => !raisesPrice(path, one)).map(step)}
      <li class=${isElsewhere(path) ? 'end is-off' : 'end'}><strong>${path.quote_symbol ?? 'loan'}</strong>${isElsewhere(path) ? html`<strong class="mark-fixed">The legs give ${path.left_over ?? UNKNOWN} instead</strong>` : nothing}<span class="quiet">${isKnown(path.price) ? html`<span data-from=${from(path, 'price')}>${path.price}</span> each` : 'price not known'}</span></li>
    </ol>
    ${standby.length === 0 && !isKnown(path.standby_address) ? nothing : html`<h4>Standby, not in use now${isKnown(path.standby_address) ? html`: ${contract(path.standby_address)}` : ''}</h4>${standby.length === 0 ? html`<p class="quiet">What it reads is ${UNKNOWN}.</p>` : html`<ol class="legs standby" aria-label="Legs of the standby">${branches(path, standby, null)}</ol>`}`}`;
}

const isElsewhere = ({ path_status }: OraclePath): boolean =>
  path_status === 'swapped' || path_status === 'incomplete';

const isEqual = ({ kind }: OracleAssumption): boolean => kind === 'equality' || kind === 'constant';

/** An oracle without legs is a constant only if that is what it was read to be. */
const withoutLegs = (path: OraclePath): TemplateResult | typeof nothing =>
  path.assumptions.some(({ kind }) => kind === 'constant')
    ? nothing
    : html`<li class="unread"><strong>${UNKNOWN}</strong><span class="quiet">its legs were not read</span></li>`;

const assumedStep = (assumption: OracleAssumption, isWhole: boolean): TemplateResult =>
  html`<li class=${assumption.is_broken === true ? 'fixed is-off' : 'fixed'}><strong><span aria-hidden="true">⚠ </span>${assumption.id}</strong>
    <span class="mark-fixed">${isWhole ? 'Hard-coded: the whole price' : 'Hard-coded: taken for equal'}</span>
    <span data-from=${from(assumption, 'statement')}>${assumption.statement}</span>${assumption.is_broken === true ? html` <strong>It does not hold.</strong>` : nothing}</li>`;

/** A contract is followed by those that it reads itself. */
function branches(path: OraclePath, legs: readonly OracleLeg[], parent: number | null): TemplateResult {
  const known = new Set(legs.map(({ leg_index }) => leg_index));
  const own = legs.filter(({ parent_index }) =>
    parent === null ? parent_index === null || !known.has(parent_index) : parent_index === parent,
  );
  return html`${own.map((leg) => legItem(path, leg, legs))}`;
}

function legItem(path: OraclePath, leg: OracleLeg, legs: readonly OracleLeg[]): TemplateResult {
  const isUnread = !isKnown(leg.rate);
  const hasParts = legs.some(({ parent_index }) => parent_index === leg.leg_index);
  const pair = `${leg.from_symbol ?? '?'} → ${leg.to_symbol ?? '?'}`;
  return html`<li class=${isUnread ? 'unread' : isFixedLeg(leg) ? 'fixed' : ''}>
    <strong><span aria-hidden="true">${leg.side === 'base' ? '×' : '÷'} </span><span class="hidden-words">${leg.side === 'base' ? 'times' : 'divided by'} </span><span class="name">${pair}</span></strong>
    ${isFixedLeg(leg) ? html`<span class="mark-fixed"><span aria-hidden="true">⚠ </span>Hard-coded: ${kindText(leg.kind)}</span>` : html`<span>${kindText(leg.kind)}</span>`}
    <span>${isUnread ? html`${UNKNOWN}${isKnown(leg.unread_reason) ? `: ${caption(leg.unread_reason)}` : ''}` : html`<span data-from=${from(leg, 'rate')}>${String(leg.rate)}</span>`}${isKnown(leg.answered_at) ? html` <span class="quiet">answered ${age(leg.answered_at)}</span>` : nothing}</span>
    ${leg.kind_by === 'interface' ? html`<span>${serviceBadge('only claimed by the contract', 'unknown')}</span>` : nothing}
    <span class="quiet">${FEEDS.has(leg.kind) ? html`<a class="name" href=${link('/pegs', { chain: path.chain, feed: leg.contract })}>Feed ${shortName(leg.contract)}</a>` : contract(leg.contract)}</span>
    ${hasParts ? html`<ol class="legs" aria-label="What it reads">${branches(path, legs, leg.leg_index)}</ol>` : nothing}</li>`;
}

const contract = (address: string): TemplateResult => named(shortName(address), address);
