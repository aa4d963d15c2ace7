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
}

/** Names to choose from; the lists are empty when the key has no access to them. */
const choices: {
  opportunities: readonly Choice[];
  markets: readonly Choice[];
  scenarios: readonly Choice[];
} = {
  opportunities: [],
  markets: [],
  scenarios: [],
};

const options = (all: readonly Choice[]) =>
  all.map(({ id, name }) => html`<option value=${id}>${name}</option>`);
const text = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim();
const amount = (fields: FormData, name: string): number => Number(text(fields, name));

const amountField = (name: string, label: string, value: number) =>
  html`<label>${label}<input name=${name} type="number" min="1" step="any" value=${value} required></label>`;

const POSITIONS = [1, 2, 3, 4];

const portfolio = runForm<Portfolio>({
  id: 'portfolio',
  title: 'Portfolio',
  note: 'Risk, return, liquidity and concentration of up to a hundred positions; more than four in the request as JSON.',
  path: () => '/v2/yield/portfolio/analyze',
  fields: () =>
    html`${POSITIONS.map(
      (place) =>
        html`<div class="pair"><label>Opportunity ${place}<select name="opportunity-${place}"><option value="">–</option>${options(choices.opportunities)}</select></label>${amountField(`amount-${place}`, `Amount ${place}, USD`, 100_000)}</div>`,
    )}<label>Horizon, days<input name="horizon" type="number" min="1" max="365" value="30"></label>`,
  request: (fields) => ({
    horizon_days: amount(fields, 'horizon'),
    positions: POSITIONS.filter((place) => text(fields, `opportunity-${place}`) !== '').map((place) => ({
      opportunity_id: text(fields, `opportunity-${place}`),
      amount_usd: amount(fields, `amount-${place}`),
    })),
  }),
  view: portfolioView,
  load: loadChoices,
});

const exit = runForm<Exit>({
  id: 'exit',
  title: 'Exit from a lending market',
  note: 'Can the position leave, when, and at what cost? A run counts against the quota of the plan team or higher.',
  path: (fields) => `/v2/liquidity/${encodeURIComponent(text(fields, 'market'))}/exit-monte-carlo`,
  fields:
    () => html`<label>Market<select name="market" required><option value="">–</option>${options(choices.markets)}</select></label>
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
  note: 'What a preset scenario would do to a supplied position; own shocks and loans in the request as JSON.',
  path: () => '/v2/simulator/run',
  fields:
    () => html`<label>Scenario<select name="scenario" required><option value="">–</option>${options(choices.scenarios)}</select></label>
    <label>Market<select name="market" required><option value="">–</option>${options(choices.markets)}</select></label>
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
}

/** Lists are offered up to this many pages. */
const MAX_PAGES = 5;

/** Undefined when they cannot be read now. */
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

/** What cannot be read now stays as it was read before. */
async function loadChoices(): Promise<void> {
  const [opportunities, markets, scenarios] = await Promise.all([
    listOf(
      (cursor) => target('/v2/yield/opportunities', { 'page[limit]': 200, 'page[cursor]': cursor }),
      ({ id, name = id, chain }) => ({ id, name: `${name}, ${chain}` }),
    ),
    listOf(
      (cursor) => target('/v2/lending/markets', { limit: MAX_ROWS, cursor }),
      ({ chain, market_id, name, protocol }) => ({
        id: `${chain}:${market_id}`,
        name: `${name}, ${protocol} on ${chain}`,
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
