// What the oracle of one market assumes, on the page of the market; and that of every market which a vault holds, on the page of the vault.
import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { assumptionColumns } from './assumption-cells.ts';
import { dollars, isKnown, number, shortName, UNKNOWN } from './format.ts';
import { heldReason, missingRow } from './missing-reason.ts';
import { idLists, type OraclePath } from './oracle-path.ts';
import { sentenceOf, shortSentence, stateBadges, stateText } from './oracle-texts.ts';
import { from } from './origin.ts';
import { type Further, panel } from './panel.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

const oracleLink = (chain: string, market: string): string => link('/oracles', { chain, market });

const isMarket = (): boolean => isKnown(param('market')) && isKnown(param('chain'));

export const marketOracle = panel<readonly OraclePath[]>({
  id: 'market-oracle',
  title: 'What its oracle assumes',
  isWide: true,
  address: () =>
    isMarket()
      ? target('/v2/lending/oracles', { chain: param('chain'), market_id: param('market') })
      : undefined,
  view: ([path]) =>
    path === undefined
      ? missingRow('What its oracle reads and assumes', 'oracle-paths', param('market') ?? '')
      : html`<p>${stateBadges(path)}</p><p class="oracle-sentence">${sentenceOf(path)}</p>${tableView('Assumptions', assumptionColumns(path), path.assumptions)}
        <p><a href=${oracleLink(path.chain, path.market_id)}>Its oracle, leg by leg</a></p>`,
});

interface Holding {
  readonly held_kind: string;
  readonly held: string;
  readonly name: string | null;
  readonly assets_usd: number | null;
  readonly supply_share: number | null;
}

interface VaultHoldings {
  readonly chain: string;
  readonly vault_address: string;
  readonly is_complete: boolean;
  readonly holdings: readonly Holding[];
}

const isVault = (): boolean => isKnown(param('vault')) && isKnown(param('chain'));
const part = (name: string): string => encodeURIComponent(param(name) ?? '');
/** Markets whose oracles are shown, once the holdings are known, as the lists that are asked for. */
let asked: readonly string[] = [];
/** No vault that is known holds more markets than fit in these. */
const MAX_LISTS = 8;
const LISTS = Array.from({ length: MAX_LISTS }, (_, index) => ({ index, name: `oracles-${index}` }));

const marketsOf = ({ holdings }: VaultHoldings): readonly Holding[] =>
  holdings.filter(({ held_kind }) => held_kind === 'market');

export const vaultOracles = panel<VaultHoldings>({
  id: 'vault-oracles',
  title: 'What the oracles of its markets assume',
  isWide: true,
  address: () => (isVault() ? target(`/v2/vaults/${part('chain')}/${part('vault')}/holdings`) : undefined),
  missing: () => missingRow('What this vault holds', 'vault-holdings', param('vault') ?? ''),
  also: Object.fromEntries(
    LISTS.map(({ index, name }) => [
      name,
      () =>
        asked[index] === undefined
          ? undefined
          : target('/v2/lending/oracles', { chain: param('chain'), market_id: asked[index], limit: 100 }),
    ]),
  ),
  draw: (_, vault) => {
    const lists = idLists(marketsOf(vault).map(({ held }) => held)).slice(0, MAX_LISTS);
    if (lists.join() === asked.join()) return;
    asked = lists;
    void vaultOracles.refresh();
  },
  view: (vault, _, also) => {
    const markets = marketsOf(vault);
    const others = vault.holdings.length - markets.length;
    if (vault.holdings.length === 0 && vault.is_complete) return html`<p>It holds no market.</p>`;
    if (vault.holdings.length === 0)
      return html`<p class="unknown">Which markets it holds is ${UNKNOWN}, so what their oracles assume is, too.</p>`;
    return html`${vault.is_complete ? '' : html`<p class="trouble" role="status">Not every position was read: there may be other markets.</p>`}${others > 0 ? html`<p class="note">Without what it holds through other vaults or adapters.</p>` : ''}${tableView('Oracles of its markets', columnsFor(vault.chain, also), markets)}`;
  },
});

/** Why nothing can be said of the oracle of a market yet; undefined once its list is received. */
function waitingFor(market: string, also: Further): string | undefined {
  const list = LISTS.find(({ index }) => asked[index]?.split(',').includes(market));
  if (list === undefined) return asked.length < MAX_LISTS ? 'loading' : 'on its own page only';
  return also.get(list.name) === undefined ? (also.trouble(list.name) ?? 'loading') : undefined;
}

type PathOf = (one: Holding) => OraclePath | undefined;

function columnsFor(chain: string, also: Further): readonly Column<Holding>[] {
  const paths = LISTS.flatMap(({ name }) => also.get<readonly OraclePath[]>(name) ?? []);
  const byMarket = new Map(paths.map((path) => [path.market_id, path]));
  const pathOf = ({ held }: Holding) => byMarket.get(held);
  const missing = ({ held }: Holding): TemplateResult =>
    html`<span class="unknown">${waitingFor(held, also) ?? heldReason('oracle-paths', held) ?? `its oracle was not read: ${UNKNOWN}`}</span>`;
  return [
    {
      name: 'Market',
      cell: (one) => html`<a href=${oracleLink(chain, one.held)}>${one.name ?? shortName(one.held)}</a>`,
      value: ({ name }) => name,
    },
    ofOracle('State', pathOf, { cell: stateBadges, value: stateText, missing }),
    ofOracle('What is wrong', pathOf, {
      cell: (path) => html`<span class="oracle-line">${shortSentence(path)}</span>`,
    }),
    ...figureColumns(pathOf),
  ];
}

/** A column about the oracle of the market, which may not be known. */
const ofOracle = (
  name: string,
  pathOf: PathOf,
  {
    cell,
    value,
    missing,
  }: {
    readonly cell: (path: OraclePath) => unknown;
    readonly value?: (path: OraclePath) => string;
    /** Shown without an oracle. */
    readonly missing?: (one: Holding) => unknown;
  },
): Column<Holding> => ({
  name,
  cell: (one) => {
    const path = pathOf(one);
    return path === undefined ? missing?.(one) : cell(path);
  },
  ...(value !== undefined && {
    value: (one: Holding) => {
      const path = pathOf(one);
      return path === undefined ? undefined : value(path);
    },
  }),
});

const figureColumns = (pathOf: PathOf): readonly Column<Holding>[] => [
  {
    name: 'Price gap, bps',
    isNumber: true,
    cell: (one) => {
      const gap = pathOf(one)?.gap_bps;
      return isKnown(gap)
        ? html`<span data-from=${from(pathOf(one), 'gap_bps')}>${number(gap)}</span>`
        : undefined;
    },
    value: (one) => pathOf(one)?.gap_bps,
  },
  {
    name: 'Its part of what is not covered',
    help: 'Debt that is not covered, at most, times its share of the supply',
    isNumber: true,
    cell: (one) => {
      const loss = lossOf(one, pathOf(one));
      return loss === undefined ? undefined : html`<span data-derived>${dollars(loss)}</span>`;
    },
    value: (one) => lossOf(one, pathOf(one)),
  },
];

function lossOf({ supply_share }: Holding, path: OraclePath | undefined): number | undefined {
  const high = path?.unrealised_bad_debt_high_usd;
  return isKnown(high) && isKnown(supply_share) ? high * supply_share : undefined;
}
