// What is wrong with the oracle of a market, in one sentence: failed checks, broken assumptions, the price gap and whom it hurts, the debt
// that is not covered. What is not known is said with its reason.
import { html, nothing, type TemplateResult } from 'lit-html';
import { badge, caption, dollars, isKnown, number, serviceBadge, timeText } from './format.ts';
import {
  costsLenders,
  type OracleAssumption,
  type OraclePath,
  type OracleState,
  severityOf,
  statesOf,
} from './oracle-path.ts';
import { from } from './origin.ts';

const STATE_NAMES: Readonly<Record<OracleState, string>> = {
  wrong: 'wrong',
  broken: 'assumption broken',
  path_unknown: 'path not known',
  unverified: 'not verified',
  not_judged: 'not fully judged',
  doubted: 'doubted',
  holds: 'holds',
};
/** States of what is known, which never look like a risk, nor like “ok”. */
const STATE_LOOKS: Readonly<Partial<Record<OracleState, string>>> = {
  path_unknown: 'unknown',
  unverified: 'unknown',
  not_judged: 'unknown',
  doubted: 'warn',
  holds: 'pass',
};

export const stateBadges = (path: OraclePath): TemplateResult =>
  html`${statesOf(path).map((state) => {
    const look = STATE_LOOKS[state];
    return look === undefined
      ? html`${badge(STATE_NAMES[state], state === 'wrong' ? 'critical' : severityOf({ ...path, verdict: 'verified' }))} `
      : html`${serviceBadge(STATE_NAMES[state], look)} `;
  })}`;

export const stateText = (path: OraclePath): string =>
  statesOf(path)
    .map((state) => STATE_NAMES[state])
    .join(', ');

/** Why a figure is missing. */
const GAPS: Readonly<Record<string, string>> = {
  borrowers_unknown: 'no source reports its borrowers',
  lltv_unknown: 'the loan to value at which it liquidates is not known',
  market_price_not_independent: 'no source that the oracle does not read itself prices both assets',
  market_unregistered: 'no registry describes the market',
  path_old: 'its legs have not been read lately',
  path_unread: 'its legs were never read',
  pooled_collateral: 'any collateral of the pool may back its loans',
  price_old: 'its price has not been read lately',
  price_unread: 'its price was not read',
  tranche_basis_unknown: 'its borrowers are reported without the price that they were judged by',
  tranche_price_unknown: 'the price at the time of the report on its borrowers is not known',
  tranches_old: 'the report on its borrowers is old',
};
export const gapText = (name: string): string => GAPS[name] ?? caption(name);

const reasons = ({ gaps }: OraclePath): string => gaps.map(gapText).join('; ');
const because = (path: OraclePath): unknown =>
  path.gaps.length === 0 ? nothing : html`, because <span data-derived>${reasons(path)}</span>`;

const pairOf = ({ base_symbol, quote_symbol }: OraclePath): string =>
  `${base_symbol ?? 'the collateral'}/${quote_symbol ?? 'the loan'}`;

/** In words of what a reader would see in the contracts. */
function checkText(check: string, path: OraclePath): string {
  const texts: Readonly<Record<string, string>> = {
    coarse_sample: 'the rate of a vault is read from so small an amount that rounding changes the price',
    cycle: 'its legs read each other in a circle',
    incomplete: `its legs do not lead to ${pairOf(path)}${isKnown(path.missing) ? `: ${path.missing} is missing` : ''}`,
    leg_missing: 'a leg could not be read',
    swapped: `its legs are swapped: they give ${path.left_over ?? 'the inverse'} where the market needs ${pairOf(path)}`,
    wrong_decimals: 'the decimals of a leg are not those of its registry',
    wrong_factors: 'the contract multiplies other values than those of its legs',
    wrong_price: 'its answer is not what its legs give',
    wrong_scale: `its scale factor is wrong${isKnown(path.scale_error_exponent) ? ` by ten to the power of ${path.scale_error_exponent}` : ''}`,
    wrong_value: 'the value of a leg is not what its own numbers give',
  };
  return texts[check] ?? caption(check);
}

/** Who bears the error of a broken assumption. */
function bearers(path: OraclePath, assumption: OracleAssumption): string {
  const isOfLenders = costsLenders(path, assumption);
  if (isOfLenders === undefined) return '';
  return isOfLenders ? ', at the cost of lenders' : ', at the cost of borrowers';
}

const brokenText = (path: OraclePath, assumption: OracleAssumption): TemplateResult =>
  html`“<span data-from=${from(assumption, 'statement')}>${assumption.statement}</span>” does not hold${
    isKnown(assumption.since_at)
      ? html` since <span data-from=${from(assumption, 'since_at')}>${timeText(assumption.since_at)} UTC</span>`
      : nothing
  }${isKnown(assumption.gap_bps) ? html` (off by <span data-from=${from(assumption, 'gap_bps')}>${number(assumption.gap_bps)} bps</span>${bearers(path, assumption)})` : nothing}`;

/** What is known to be wrong; empty if nothing is. */
const faultsOf = (path: OraclePath): readonly unknown[] => [
  ...path.failed_checks.map((check) => html`<span data-derived>${checkText(check, path)}</span>`),
  ...(path.verdict === 'wrong' && path.failed_checks.length === 0 ? ['a check of its path failed'] : []),
  ...path.assumptions.filter(({ is_broken }) => is_broken === true).map((one) => brokenText(path, one)),
];

function doubtsOf(path: OraclePath): readonly unknown[] {
  const open = path.assumptions.filter(({ is_broken }) => is_broken === null).length;
  return [
    ...(path.verdict === 'unknown' ? [html`what its price is made of is not known`] : []),
    ...(path.verdict === 'unverified' ? [html`our own arithmetic does not confirm its price`] : []),
    ...(open > 0
      ? [
          html`<span data-derived>${open} of its ${path.assumptions.length} assumptions</span> cannot be judged`,
        ]
      : []),
  ];
}

/** Prices that differ by less are alike. */
const ALIKE_BPS = 1;

export function gapClause(path: OraclePath): unknown {
  const { gap_bps: gap, sources } = path;
  if (!isKnown(gap)) return html`its price gap is not known${because(path)}`;
  const figure = html`<span data-from=${from(path, 'gap_bps')}>${number(gap)} bps</span>`;
  const by =
    isKnown(sources) && sources === 1
      ? ' (by a single source)'
      : path.doubts.includes('sources_disagree')
        ? ' (sources disagree)'
        : '';
  const enter = path.assumptions.find(({ kind }) => kind === 'path')?.effective_enter_bps;
  const isWithin = isKnown(enter) && Math.abs(gap) < enter;
  const band = isWithin ? html`, within the band of <span data-derived>${number(enter)} bps</span>` : nothing;
  if (Math.abs(gap) < ALIKE_BPS) return html`it values the collateral as the market does (${figure})${by}`;
  return gap > 0
    ? html`it values the collateral above the market (${figure})${by}, at the cost of lenders${band}`
    : html`it values the collateral below the market (${figure})${by}, at the cost of borrowers${band}`;
}

function interval(
  path: OraclePath,
  low: 'unrealised_bad_debt_low_usd' | 'unjust_liquidation_usd',
  high: 'unrealised_bad_debt_high_usd' | 'unjust_liquidation_high_usd',
): unknown {
  const [least, most] = [
    html`<span data-from=${from(path, low)}>${dollars(path[low])}</span>`,
    html`<span data-from=${from(path, high)}>${dollars(path[high])}</span>`,
  ];
  return path[low] === path[high] ? least : html`between ${least} and ${most}`;
}

/** Debt that the collateral does not cover, at least and at most. */
export function uncoveredClause(path: OraclePath): unknown {
  const { unrealised_bad_debt_low_usd: low, unrealised_bad_debt_high_usd: high } = path;
  if (!isKnown(low) || !isKnown(high))
    return html`how much debt is not covered is not known${isKnown(path.gap_bps) ? because(path) : nothing}`;
  if (high === 0) return html`no debt is uncovered at the market price`;
  return html`${interval(path, 'unrealised_bad_debt_low_usd', 'unrealised_bad_debt_high_usd')} of debt ${low === high ? 'is' : 'are'} not covered at the market price`;
}

const furtherClauses = (path: OraclePath): readonly unknown[] => [
  ...(isKnown(path.unjust_liquidation_high_usd) && path.unjust_liquidation_high_usd > 0
    ? [
        html`${interval(path, 'unjust_liquidation_usd', 'unjust_liquidation_high_usd')} of healthy debt can be liquidated`,
      ]
    : []),
  ...(isKnown(path.phantom_interest_usd_day) && path.phantom_interest_usd_day > 0
    ? [
        html`suppliers are credited <span data-from=${from(path, 'phantom_interest_usd_day')}>${dollars(path.phantom_interest_usd_day)}</span> of interest a day that no one pays`,
      ]
    : []),
];

const joined = (parts: readonly unknown[]): TemplateResult =>
  html`${parts.map((part, index) => (index === 0 ? part : html`; ${part}`))}`;

/** The sentence that the page begins with. */
export function sentenceOf(path: OraclePath): TemplateResult {
  const faults = faultsOf(path);
  const first = faults.length > 0 ? faults : ['nothing is known to be wrong'];
  return html`${joined([...first, ...doubtsOf(path), gapClause(path), uncoveredClause(path), ...furtherClauses(path)])}.`;
}

/** Only what is wrong or in doubt, for lists. */
export function shortSentence(path: OraclePath): TemplateResult {
  const parts = [...faultsOf(path), ...doubtsOf(path)];
  return parts.length === 0 ? html`nothing is known to be wrong` : joined(parts);
}
