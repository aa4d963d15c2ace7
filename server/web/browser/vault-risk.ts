// What can be lost in one vault: what it lets out now, what it holds and where that ends, and who controls it.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import {
  endsOf,
  type ExposureNode,
  type Graph,
  graphOf,
  type HeldNode,
  namesIn,
  UNKNOWN_NODE,
  worthOf,
} from './exposure-paths.ts';
import { type Figure, figures } from './figures.ts';
import { dollars, isKnown, named, percent, serviceBadge, shortName, span, UNKNOWN } from './format.ts';
import { LIMIT, type Market, type Vault } from './lending-rows.ts';
import { marketKey } from './borrower-risk.ts';
import { nodeLink } from './holders.ts';
import { missingRow, reasonLine } from './missing-reason.ts';
import { rememberName } from './names.ts';
import { from } from './origin.ts';
import { type Further, panel } from './panel.ts';
import { bar } from './shapes.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

const isVault = (): boolean => isKnown(param('vault')) && isKnown(param('chain'));
const nodeId = (): string => `vault:${param('chain')}:${param('vault')}`;
const ofVault = (path: string): string | undefined => (isVault() ? target(path) : undefined);

const isChosen = ({ chain, vault_address }: { readonly chain: string; readonly vault_address: string }) =>
  chain === param('chain') && vault_address === param('vault');

/** A holding of the vault, with the market that it is lent to. */
interface Holding {
  readonly edge: HeldNode;
  readonly market: Market | undefined;
}

export const vaultRisk = panel<readonly ExposureNode[]>({
  id: 'vault-risk',
  title: 'What can be lost in this vault',
  isWide: true,
  address: () => ofVault('/v2/datasets/exposure-graph'),
  also: { markets: () => ofVault('/v2/datasets/lending-markets') },
  view: (nodes, _, also) => {
    const graph = graphOf(nodes);
    const vault = graph.get(nodeId());
    if (vault === undefined)
      return missingRow('What this vault holds', 'exposure-graph', param('vault') ?? '');
    const all = holdingsOf(vault, also);
    return html`<p><strong data-from=${isKnown(vault.name) ? from(vault, 'name') : nothing}>${vault.name ?? shortName(param('vault') ?? '')}</strong> on <span class="name">${param('chain')}</span></p>
      ${figures(riskFigures(vault, all))}
      ${tableView('Holdings', HOLDING_COLUMNS, all)}${endsView(graph, vault)}`;
  },
});

function holdingsOf({ edges }: ExposureNode, also: Further): readonly Holding[] {
  const markets = new Map(
    also.get<readonly Market[]>('markets')?.map((row) => [`market:${marketKey(row)}`, row]),
  );
  return edges.filter(({ share }) => share > 0).map((edge) => ({ edge, market: markets.get(edge.to) }));
}

/** What can be withdrawn, and what it quotes, is said once: with its state. */
function riskFigures(vault: ExposureNode, all: readonly Holding[]): readonly Figure[] {
  const value = worthOf(vault);
  const largest = all
    .filter(({ edge }) => edge.to !== UNKNOWN_NODE)
    .toSorted((a, b) => b.edge.share - a.edge.share)[0];
  return [
    {
      name: 'Value, by what it holds',
      text: derived(dollars(value)),
      more: value === undefined ? reasonLine('no source reports an amount') : nothing,
    },
    {
      name: 'Accounted for',
      text: percent(vault.known_share),
      from: from(vault, 'known_share'),
      more: vault.known_share < 1 ? reasonLine('the rest is not known to any source') : nothing,
    },
    {
      name: 'Largest holding',
      text: largest === undefined ? UNKNOWN : percent(largest.edge.share),
      ...(largest !== undefined && { from: from(largest.edge, 'share') }),
      more:
        largest === undefined
          ? nothing
          : html`<span class="quiet name">${largest.edge.name ?? largest.edge.to}</span>`,
    },
  ];
}

const derived = (text: string): TemplateResult => html`<span data-derived>${text}</span>`;

/** What is held but is not lent to a market has no such figure. */
const ofMarket =
  (cell: (market: Market) => unknown) =>
  ({ edge, market }: Holding): unknown =>
    edge.kind === 'market' ? market && cell(market) : '–';

const fromMarket =
  (member: keyof Market) =>
  ({ market }: Holding) =>
    market === undefined ? nothing : from(market, member);

const HOLDING_COLUMNS: readonly Column<Holding>[] = [
  {
    name: 'Held',
    cell: ({ edge }) => nodeLink(edge.to, edge.name),
    value: ({ edge }) => edge.name ?? edge.to,
  },
  {
    name: 'Kind',
    cell: ({ edge }) => edge.kind,
    value: ({ edge }) => edge.kind,
    from: ({ edge }) => from(edge, 'kind'),
  },
  {
    name: 'Share',
    help: 'Share of the value of the vault',
    isNumber: true,
    cell: ({ edge }) => bar(edge.share, percent(edge.share)),
    value: ({ edge }) => edge.share,
    from: ({ edge }) => from(edge, 'share'),
  },
  {
    name: 'USD',
    isNumber: true,
    cell: ({ edge }) => (isKnown(edge.usd) ? dollars(edge.usd) : undefined),
    value: ({ edge }) => edge.usd,
    from: ({ edge }) => from(edge, 'usd'),
  },
  {
    name: 'Withdrawable there',
    help: 'What all suppliers of the market together can withdraw now',
    isNumber: true,
    cell: ofMarket(({ withdrawable_usd: usd }) => (isKnown(usd) ? dollars(usd) : undefined)),
    value: ({ market }) => market?.withdrawable_usd,
    from: fromMarket('withdrawable_usd'),
  },
  {
    name: 'Utilization',
    help: `What is borrowed of what is supplied, with a mark at ${percent(LIMIT, 0)}`,
    isNumber: true,
    cell: ofMarket(({ utilization: share }) =>
      isKnown(share) ? bar(share, percent(share), LIMIT) : undefined,
    ),
    value: ({ market }) => market?.utilization,
    from: fromMarket('utilization'),
  },
  {
    name: 'Feeds of its oracle',
    cell: ofMarket(({ oracle_status }) => (isKnown(oracle_status) ? serviceBadge(oracle_status) : undefined)),
    value: ({ market }) => market?.oracle_status,
    from: fromMarket('oracle_status'),
  },
];

const MAX_ENDS = 12;

/** Assets, issuers and custodians on which the value depends in the end. */
function endsView(graph: Graph, { node }: ExposureNode): TemplateResult {
  const names = namesIn(graph);
  const ends = [...endsOf(graph, node)];
  return html`<h3>Where the value ends</h3><p class="note">Shares multiplied along what is held: issuers, custodians, assets without backing of their own, and what no source accounts for.</p>
    <ul class="ends">${ends.slice(0, MAX_ENDS).map(([end, share]) => html`<li>${bar(share, derived(percent(share)))} ${end === UNKNOWN_NODE ? html`<span class="unknown">${UNKNOWN}</span>` : nodeLink(end, names.get(end))}</li>`)}</ul>`;
}

export const vaultControl = panel<readonly Vault[]>({
  id: 'vault-control',
  title: 'Who controls it',
  isWide: true,
  address: () => ofVault('/v2/datasets/lending-vaults'),
  draw: (_, rows) => {
    rows.forEach(rememberName);
    document.getElementById('vault-events')?.dispatchEvent(new CustomEvent('repaint'));
  },
  view: (rows) => {
    const vault = rows.find(isChosen);
    return vault === undefined
      ? missingRow('The registry of this vault', 'lending-vaults', param('vault') ?? '')
      : html`${figures(controlFigures(vault))}`;
  },
});

function controlFigures(vault: Vault): readonly Figure[] {
  const why = vault.has_metadata ? 'its source does not report it' : 'it is in no registry';
  const address = (name: string, member: 'owner_address' | 'guardian_address'): Figure => ({
    name,
    text: isKnown(vault[member]) ? named(shortName(vault[member]), vault[member]) : UNKNOWN,
    more: isKnown(vault[member]) ? nothing : reasonLine(why),
  });
  return [
    {
      name: 'Curator',
      text: isKnown(vault.curator_name)
        ? html`<a href="${link('/lending', { curator: vault.curator_name })}#vaults">${vault.curator_name}</a>`
        : isKnown(vault.curator_address)
          ? named(shortName(vault.curator_address), vault.curator_address)
          : UNKNOWN,
      more: isKnown(vault.curator_name)
        ? nothing
        : reasonLine(isKnown(vault.curator_address) ? 'not in the registry of curators' : why),
    },
    address('Owner', 'owner_address'),
    address('Guardian', 'guardian_address'),
    {
      name: 'Timelock',
      text: span(vault.timelock_s),
      from: from(vault, 'timelock_s'),
      more: reasonLine(isKnown(vault.timelock_s) ? 'time between announcement and effect' : why),
    },
    {
      name: 'Performance fee',
      text: isKnown(vault.fee) ? derived(percent(Number(vault.fee) / 1e18)) : UNKNOWN,
      more: isKnown(vault.fee) ? nothing : reasonLine(why),
    },
  ];
}
