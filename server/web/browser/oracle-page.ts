// The oracle of one market: what is wrong with its price, how it is made, what it assumes and what tests that, and what is missing.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { assumptionColumns } from './assumption-cells.ts';
import type { RiskEvent } from './api-shapes.ts';
import { newestFirst } from './event-groups.ts';
import { type Figure, figures } from './figures.ts';
import {
  age,
  badge,
  caption,
  dollars,
  isKnown,
  number,
  serviceBadge,
  shortName,
  span,
  timeText,
  UNKNOWN,
} from './format.ts';
import { heldNote, missingRow, reasonLine } from './missing-reason.ts';
import { rememberNames } from './names.ts';
import { kindText, legsView } from './oracle-legs.ts';
import type { OracleAssumption, OraclePath } from './oracle-path.ts';
import { gapText, sentenceOf, stateBadges } from './oracle-texts.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { link, param } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';

const isOracle = (): boolean => isKnown(param('market')) && isKnown(param('chain'));
const part = (name: string): string => encodeURIComponent(param(name) ?? '');
export const oraclePathOf = (rest = ''): string =>
  `/v2/lending/markets/${part('chain')}/${part('market')}/oracle${rest}`;

let shown: OraclePath | undefined;

export const oracle = panel<OraclePath>({
  id: 'oracle',
  title: 'What is wrong with this price',
  isWide: true,
  address: () => (isOracle() ? target(oraclePathOf()) : undefined),
  missing: () => missingRow('The oracle of this market', 'oracle-paths', param('market') ?? ''),
  draw: (_, path) => {
    shown = path;
    for (const id of ['oracle-events', 'price-gap'])
      document.getElementById(id)?.dispatchEvent(new CustomEvent('repaint'));
  },
  view: (
    path,
  ) => html`${identity(path)}<p>${stateBadges(path)}</p><p class="oracle-sentence">${sentenceOf(path)}</p>
    ${figures(figuresOf(path))}
    <h3>How the price is made</h3>${legsView(path)}
    <h3>What it assumes, and what tests that</h3>${assumptionsView(path)}
    ${missingView(path)}
    <h3>Who can change it</h3>${changersView(path)}`,
});

const identity = (path: OraclePath): TemplateResult =>
  html`<p>Oracle of the market <a href=${link('/lending', { chain: path.chain, market: path.market_id })}><strong data-from=${from(path, isKnown(path.name) ? 'name' : 'market_id')}>${path.name ?? shortName(path.market_id)}</strong></a>${isKnown(path.protocol) ? html` of <a href=${link('/protocols', { protocol: path.protocol })}>${path.protocol}</a>` : nothing} on <span class="name">${path.chain}</span>,
    ${isKnown(path.observed_at) ? html`price observed ${age(path.observed_at)}` : 'price never observed'}, ${isKnown(path.path_at) ? html`contracts read ${age(path.path_at)}` : 'contracts never read'}</p>`;

function figuresOf(path: OraclePath): readonly Figure[] {
  const why = path.gaps.map(gapText).join('; ');
  const reason = (value: unknown) => (isKnown(value) || why === '' ? nothing : reasonLine(why));
  const pair = `${path.quote_symbol ?? 'loan'} for one ${path.base_symbol ?? 'of the collateral'}`;
  return [
    {
      name: 'Price gap',
      text: isKnown(path.gap_bps) ? `${path.gap_bps > 0 ? '+' : ''}${number(path.gap_bps)} bps` : UNKNOWN,
      from: from(path, 'gap_bps'),
      more: isKnown(path.gap_bps)
        ? reasonLine(
            path.gap_bps > 0 ? 'above the market' : path.gap_bps < 0 ? 'below the market' : 'as the market',
          )
        : reason(path.gap_bps),
    },
    {
      name: 'Price of the oracle',
      text: shortDecimal(path.price),
      from: from(path, 'price'),
      more: reasonLine(pair),
    },
    {
      name: 'Market price',
      text: shortDecimal(path.market_price),
      from: from(path, 'market_price'),
      more: isKnown(path.market_price)
        ? html`<small class="quiet">by <span data-from=${from(path, 'sources')}>${number(path.sources)}</span> independent ${path.sources === 1 ? 'source' : 'sources'}</small>`
        : reason(path.market_price),
    },
    { name: 'Debt that rests on it', text: dollars(path.debt_usd), from: from(path, 'debt_usd') },
    amount(path, 'Not covered, at least', 'unrealised_bad_debt_low_usd', reason),
    amount(path, 'Not covered, at most', 'unrealised_bad_debt_high_usd', reason),
  ];
}

const amount = (
  path: OraclePath,
  name: string,
  member: 'unrealised_bad_debt_low_usd' | 'unrealised_bad_debt_high_usd',
  reason: (value: unknown) => unknown,
): Figure => ({ name, text: dollars(path[member]), from: from(path, member), more: reason(path[member]) });

/** The exact digits are in the chain of legs. */
const shortDecimal = (price: string | null): string =>
  isKnown(price) ? number(Number(price), Number(price) < 1 ? 8 : 4) : UNKNOWN;

const assumptionsView = (path: OraclePath): TemplateResult =>
  path.assumptions.length === 0
    ? html`<p class="unknown">What it assumes is ${UNKNOWN}, because what it reads is.</p>`
    : tableView('Assumptions', assumptionColumns(path), path.assumptions);

const chainOf = (): string => param('chain') ?? '';

/** Named gaps and doubts. */
const missingView = ({ gaps, doubts }: OraclePath): TemplateResult | typeof nothing =>
  gaps.length === 0 && doubts.length === 0
    ? nothing
    : html`<h3>What is missing or doubted</h3><ul>${gaps.map((one) => html`<li>${serviceBadge('missing', 'unknown')} ${gapText(one)}</li>`)}${doubts.map((one) => html`<li>${serviceBadge('doubt', 'warn')} ${DOUBTS[one] ?? caption(one)}</li>`)}</ul>`;

const DOUBTS: Readonly<Record<string, string>> = {
  single_source: 'the market price comes from a single source',
  sources_disagree: 'the sources of the market price disagree about the side on which the oracle errs',
};

const changersView = (path: OraclePath): TemplateResult =>
  html`<p><span class="name">${kindText(path.kind)}</span>${path.kind_by === 'interface' ? ', as only the contract itself claims' : nothing}: ${isKnown(path.oracle_address) ? html`<code>${path.oracle_address}</code>` : UNKNOWN}.
    ${path.changeable_by.length === 0 ? html`<span class="quiet">No account is known that can change what it answers.</span>` : nothing}</p>
    ${path.changeable_by.length === 0 ? nothing : html`<ul>${path.changeable_by.map((one) => html`<li>${one.address === 'anyone' ? 'Anyone' : html`<code>${one.address}</code>`} can change <code>${one.contract}</code>${isKnown(one.how) ? `: ${caption(one.how)}` : ''}, ${isKnown(one.delay_s) ? html`after <span data-from=${from(one, 'delay_s')}>${span(one.delay_s)}</span>` : 'after a time that is not known'}</li>`)}</ul>`}`;

const TYPES = 'oracle.path.changed,oracle.assumption.broken,oracle.assumption.restored';

/** Changes of its path, and breaks of what it assumes. */
export const oracleEvents = panel<readonly RiskEvent[]>({
  id: 'oracle-events',
  title: 'What happened to it',
  isWide: true,
  address: () =>
    isOracle()
      ? target('/v2/events', { type: TYPES, chain: param('chain'), order: 'desc', limit: 200 })
      : undefined,
  view: (all, meta) => {
    rememberNames(meta);
    const own = newestFirst(all).filter(isAboutIt);
    return own.length === 0
      ? html`${heldNote('oracle-paths')}<p class="empty">No change of its path and no broken assumption among the last events of this chain.</p>`
      : tableView('What happened to it', EVENT_COLUMNS, own, SHORT_PAGE);
  },
});

interface MarketOfEvent {
  readonly market_id?: string;
}

function isAboutIt({ subject_id, data }: RiskEvent): boolean {
  const { markets } = data;
  if (Array.isArray(markets) && markets.some((one: MarketOfEvent) => one.market_id === param('market')))
    return true;
  if (shown === undefined) return false;
  const own = [
    `oracle_contract:${shown.chain}:${shown.oracle_address}`,
    ...shown.assumptions.map(({ id }) => `assumption:${chainOf()}:${id}`),
  ];
  return own.includes(subject_id);
}

function happened({ type, data }: RiskEvent): string {
  const { assumption, failed_checks } = data;
  const statement =
    typeof assumption === 'object' && assumption !== null
      ? String((assumption as Partial<OracleAssumption>).statement ?? '')
      : '';
  if (type === 'oracle.assumption.broken') return `Broken: ${statement}`;
  if (type === 'oracle.assumption.restored') return `Holds again: ${statement}`;
  return `It reads other contracts, or reads them otherwise${typeof failed_checks === 'string' && failed_checks !== '' ? `; it fails a check: ${caption(failed_checks)}` : ''}`;
}

const EVENT_COLUMNS: readonly Column<RiskEvent>[] = [
  {
    name: 'When, UTC',
    cell: ({ ts }) => timeText(ts),
    value: ({ ts }) => ts,
    from: (one) => from(one, 'ts'),
  },
  { name: 'Severity', cell: ({ severity }) => badge(severity), value: ({ severity }) => severity },
  { name: 'What happened', cell: (one) => html`<span class="name">${happened(one)}</span>`, value: happened },
  {
    name: 'Evidence',
    cell: ({ event_id }) => html`<a href=${link('/events', { id: event_id })}>Explain this alert</a>`,
  },
];

/** Price gap at which the price of the path counts as broken; null until it is received. */
export const enterOf = (): number | null =>
  shown?.assumptions.find(({ kind }) => kind === 'path')?.effective_enter_bps ?? null;
