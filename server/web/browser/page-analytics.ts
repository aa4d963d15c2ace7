// Portfolio, exit, simulator: what would happen to a position? Forms over the calculations of the API.
import { html, nothing, type TemplateResult } from 'lit-html';
import { isRefused } from './access.ts';
import { ApiError, ask, target } from './api.ts';
import {
  type Exit,
  exitView,
  type Portfolio,
  portfolioView,
  type Simulation,
  simulationView,
} from './analytics-views.ts';
import { type Borrowers, borrowersByMarket, hasAllBorrowers } from './borrower-risk.ts';
import { isKnown } from './format.ts';
import { MAX_ROWS } from './pager.ts';
import { runForm } from './run-form.ts';
import { showPage } from './shell.ts';
import { onState } from './state.ts';

interface Choice {
  readonly id: string;
  readonly name: string;
  /** USD. */
  readonly size?: number;
  /** Whether all borrowers of a market, and what they pledged, are known. */
  readonly hasBorrowers?: boolean;
}

/** Names to choose from. The lists are empty if the key has no access to them. */
const choices: {
  opportunities: readonly Choice[];
  markets: readonly Choice[];
  scenarios: readonly Choice[];
} = {
  opportunities: [],
  markets: [],
  scenarios: [],
};

/** `chosen`: index of the initially selected option. */
const options = (all: readonly Choice[], chosen = 0) =>
  all.map(({ id, name }, index) => html`<option value=${id} ?selected=${index === chosen}>${name}</option>`);
const largestOf = (all: readonly Choice[]): Choice | undefined =>
  all.reduce<Choice | undefined>(
    (found, one) => (found === undefined || (one.size ?? 0) > (found.size ?? 0) ? one : found),
    undefined,
  );

/** Without a choice, that of the largest, or of the first if sizes are unknown. */
const required = (all: readonly Choice[], chosen = largestOf(all)) =>
  all.length === 0
    ? html`<option value="">–</option>`
    : options(all, chosen === undefined ? 0 : all.indexOf(chosen));

/** A loss of suppliers is known only if their borrowers are. */
const knownMarket = (): Choice | undefined =>
  largestOf(choices.markets.filter(({ hasBorrowers }) => hasBorrowers)) ?? largestOf(choices.markets);

function whyMarket(): TemplateResult | typeof nothing {
  const [chosen, largest] = [knownMarket(), largestOf(choices.markets)];
  if (chosen === undefined || largest === undefined) return nothing;
  if (chosen !== largest)
    return html`<p class="note all name">To begin with, this is the largest market whose borrowers and their collateral are known. Those of the largest, ${largest.name}, are not, and neither is what they would cost its suppliers.</p>`;
  return chosen.hasBorrowers === false
    ? html`<p class="note all">Of no market are the borrowers and their collateral known, and neither is what they would cost its suppliers.</p>`
    : nothing;
}
const text = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim();
const amount = (fields: FormData, name: string): number => Number(text(fields, name));

const amountField = (name: string, label: string, value: number) =>
  html`<label>${label}<input name=${name} type="number" min="1" step="any" value=${value} required></label>`;

const POSITIONS = [1, 2, 3, 4];
/** Number of positions that initially have an opportunity. */
const EXAMPLE_POSITIONS = 2;

const portfolio = runForm<Portfolio>({
  id: 'portfolio',
  title: 'Portfolio',
  note: 'What can a portfolio lose, how fast can it be exited, and what does it depend on? Yield, value at risk and the contribution of each position, expected shortfall, liquidity, and concentration by venue, chain, asset and issuer. The request as JSON accepts up to a hundred positions.',
  path: () => '/v2/yield/portfolio/analyze',
  fields: () =>
    html`${POSITIONS.map(
      (index) =>
        html`<div class="pair"><label>Opportunity ${index}<select name="opportunity-${index}"><option value="">–</option>${options(choices.opportunities, index <= EXAMPLE_POSITIONS ? index - 1 : -1)}</select></label>${amountField(`amount-${index}`, `Amount ${index}, USD`, 100_000)}</div>`,
    )}<label>Horizon, days<input name="horizon" type="number" min="1" max="365" value="30"></label>`,
  request: (fields) => ({
    horizon_days: amount(fields, 'horizon'),
    positions: POSITIONS.filter((index) => text(fields, `opportunity-${index}`) !== '').map((index) => ({
      opportunity_id: text(fields, `opportunity-${index}`),
      amount_usd: amount(fields, `amount-${index}`),
    })),
  }),
  view: portfolioView,
  load: loadChoices,
});

const exit = runForm<Exit>({
  id: 'exit',
  title: 'Exit from a lending market',
  note: 'Can a position leave, when, and at what cost? The probability of exit hour by hour with its confidence interval, slippage, proceeds, and stranded amounts, from paths that resample the market’s own history. Runs require the plan team or higher and count against its monthly quota.',
  path: (fields) => `/v2/liquidity/${encodeURIComponent(text(fields, 'market'))}/exit-monte-carlo`,
  fields: () => html`<label>Market<select name="market" required>${required(choices.markets)}</select></label>
    ${amountField('position', 'Position, USD', 1_000_000)}
    <label>Horizon, hours<input name="hours" type="number" min="1" max="720" value="24"></label>
    <label>Maximum slippage, bps<input name="slippage" type="number" min="1" max="10000" value="100"></label>`,
  request: (fields) => ({
    position_usd: amount(fields, 'position'),
    horizon_hours: amount(fields, 'hours'),
    max_slippage_bps: amount(fields, 'slippage'),
  }),
  view: exitView,
  load: loadChoices,
});

const simulator = runForm<Simulation>({
  id: 'simulator',
  title: 'Simulator',
  note: 'What would a scenario do to a supplied position? The loss by cause, the value before and after, and the events that would fire. All holders of a market share its free liquidity and its uncovered debts pro rata. The request as JSON accepts your own shocks and loans. Runs require the plan team or higher and count against its monthly quota.',
  path: () => '/v2/simulator/run',
  fields:
    () => html`<label>Scenario<select name="scenario" required>${required(choices.scenarios)}</select></label>
    <label>Market<select name="market" required>${required(choices.markets, knownMarket())}</select></label>
    ${amountField('position', 'Supplied, USD', 100_000)}${whyMarket()}`,
  request: (fields) => ({
    scenario_id: text(fields, 'scenario'),
    positions: [{ kind: 'supply', market: text(fields, 'market'), amount_usd: amount(fields, 'position') }],
  }),
  view: simulationView,
  load: loadChoices,
});

interface ChoiceRow {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly chain?: string;
  readonly protocol?: string;
  readonly market_id?: string;
  readonly supplied_usd?: number | null;
  readonly borrowed_usd?: number | null;
  /** Null if collateral is pooled: what secures which debt is then not known. */
  readonly collateral_symbol?: string | null;
}

/** Maximum number of pages offered as choices. */
const MAX_PAGES = 5;

/** Undefined if the list cannot be read now. */
async function listOf<T, C>(
  address: (cursor: string | undefined) => string,
  choiceOf: (row: T) => C,
): Promise<readonly C[] | undefined> {
  const found: C[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== undefined); page++) {
    const asked = address(cursor);
    if (isRefused(asked)) return undefined;
    const answer = await ask<readonly T[]>(asked).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    if (answer === undefined) return undefined;
    found.push(...answer.data.map(choiceOf));
    cursor = answer.meta.cursor ?? undefined;
  }
  return found;
}

/** Undefined if the list cannot be read now. */
async function marketChoices(): Promise<readonly Choice[] | undefined> {
  const [markets, tranches] = await Promise.all([
    listOf(
      (cursor) => target('/v2/lending/markets', { limit: MAX_ROWS, cursor }),
      (market: ChoiceRow) => market,
    ),
    listOf(
      () => target('/v2/datasets/borrower-tranches'),
      (row: Borrowers) => row,
    ),
  ]);
  const borrowers = borrowersByMarket(tranches);
  return markets?.map(
    ({ chain, market_id, name, protocol, supplied_usd, borrowed_usd, collateral_symbol }) => {
      const id = `${chain}:${market_id}`;
      const isAll = isKnown(collateral_symbol) && hasAllBorrowers(borrowers?.get(id), borrowed_usd);
      return {
        id,
        name: `${name}, ${protocol} on ${chain}`,
        size: supplied_usd ?? 0,
        ...(borrowers && { hasBorrowers: isAll }),
      };
    },
  );
}

/** A list that cannot be read now keeps its previous choices. */
async function loadChoices(): Promise<void> {
  const [opportunities, markets, scenarios] = await Promise.all([
    listOf(
      (cursor) => target('/v2/yield/opportunities', { 'page[limit]': 200, 'page[cursor]': cursor }),
      ({ id, name = id, chain }: ChoiceRow) => ({ id, name: `${name}, ${chain}` }),
    ),
    marketChoices(),
    listOf(
      () => '/v2/simulator/scenarios',
      ({ id, title = id }: ChoiceRow) => ({ id, name: title }),
    ),
  ]);
  Object.assign(choices, {
    opportunities: opportunities ?? choices.opportunities,
    markets: markets ?? choices.markets,
    scenarios: scenarios ?? choices.scenarios,
  });
  for (const form of [portfolio, exit, simulator]) form.paint();
}

showPage([portfolio, exit, simulator]);
onState(() => void loadChoices());
void loadChoices();
