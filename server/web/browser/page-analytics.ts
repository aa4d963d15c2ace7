// Portfolio, exit, simulator: what would happen to a position? Forms over the calculations of the API.
import { html } from 'lit-html';
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
import { MAX_ROWS } from './pager.ts';
import { runForm } from './run-form.ts';
import { showPage } from './shell.ts';
import { onState } from './state.ts';

interface Choice {
  readonly id: string;
  readonly name: string;
  /** USD. */
  readonly size?: number;
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
/** Selects the largest choice, or the first if sizes are unknown. */
const required = (all: readonly Choice[]) => {
  const sizes = all.map(({ size = 0 }) => size);
  return all.length === 0
    ? html`<option value="">–</option>`
    : options(all, sizes.indexOf(Math.max(...sizes)));
};
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
    <label>Market<select name="market" required>${required(choices.markets)}</select></label>
    ${amountField('position', 'Supplied, USD', 100_000)}`,
  request: (fields) => ({
    scenario_id: text(fields, 'scenario'),
    positions: [{ kind: 'supply', market: text(fields, 'market'), amount_usd: amount(fields, 'position') }],
  }),
  view: simulationView,
  load: loadChoices,
});

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly chain?: string;
  readonly protocol?: string;
  readonly market_id?: string;
  readonly supplied_usd?: number | null;
}

/** Maximum number of pages offered as choices. */
const MAX_PAGES = 5;

/** Undefined if the list cannot be read now. */
async function listOf(
  address: (cursor: string | undefined) => string,
  choiceOf: (row: Named) => Choice,
): Promise<readonly Choice[] | undefined> {
  const found: Choice[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== undefined); page++) {
    const asked = address(cursor);
    if (isRefused(asked)) return undefined;
    const answer = await ask<readonly Named[]>(asked).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    if (answer === undefined) return undefined;
    found.push(...answer.data.map(choiceOf));
    cursor = answer.meta.cursor ?? undefined;
  }
  return found;
}

/** A list that cannot be read now keeps its previous choices. */
async function loadChoices(): Promise<void> {
  const [opportunities, markets, scenarios] = await Promise.all([
    listOf(
      (cursor) => target('/v2/yield/opportunities', { 'page[limit]': 200, 'page[cursor]': cursor }),
      ({ id, name = id, chain }) => ({ id, name: `${name}, ${chain}` }),
    ),
    listOf(
      (cursor) => target('/v2/lending/markets', { limit: MAX_ROWS, cursor }),
      ({ chain, market_id, name, protocol, supplied_usd }) => ({
        id: `${chain}:${market_id}`,
        name: `${name}, ${protocol} on ${chain}`,
        size: supplied_usd ?? 0,
      }),
    ),
    listOf(
      () => '/v2/simulator/scenarios',
      ({ id, title = id }) => ({ id, name: title }),
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
