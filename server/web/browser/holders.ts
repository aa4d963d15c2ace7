// Who is exposed to a market, a vault or an asset: everything that holds it, directly or through others.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { type ExposureNode, graphOf, type Holder, holdersOf, worthOf } from './exposure-paths.ts';
import { dollars, isKnown, percent } from './format.ts';
import { anyHeldReason, heldNote } from './missing-reason.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { bar } from './shapes.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

const isMarket = (): boolean => isKnown(param('market')) && isKnown(param('chain'));

/** The node of the exposure graph that the page is about. */
export function chosenNode(): string | undefined {
  if (isKnown(param('holds'))) return param('holds');
  if (isMarket()) return `market:${param('chain')}:${param('market')}`;
  return isKnown(param('vault')) ? `vault:${param('chain')}:${param('vault')}` : undefined;
}

export const holders = panel<readonly ExposureNode[]>({
  id: 'holders',
  title: `Who is exposed to ${param('holds')?.replace(/^\w+:/, '') ?? (isMarket() ? 'this market' : 'this vault')}`,
  isWide: true,
  address: () => (chosenNode() === undefined ? undefined : target('/v2/datasets/exposure-graph')),
  view: (nodes) => {
    const all = holdersOf(graphOf(nodes), chosenNode() ?? '');
    const held = html`${heldNote('exposure-graph', 'lending-vaults')}<p><a href=${link('/contagion', { from: chosenNode() })}>What falls with it, as a picture</a></p>`;
    const isHeld = anyHeldReason('exposure-graph', 'lending-vaults') !== undefined;
    return all.length === 0
      ? html`${held}<p class="empty">${isHeld ? 'Whether anything holds it is not known.' : 'Nothing that the service knows of holds it.'}</p>`
      : html`${held}<p class="note">Directly, and through what a holder holds. Vaults and markets that report nothing are not in this list.</p>${tableView('Holders', HOLDER_COLUMNS, all)}`;
  },
});

const HOLDER_COLUMNS: readonly Column<Holder>[] = [
  {
    name: 'Holder',
    cell: ({ holder }) => nodeLink(holder.node, holder.name),
    value: ({ holder }) => holder.name ?? holder.node,
  },
  { name: 'Kind', cell: ({ holder }) => holder.kind, value: ({ holder }) => holder.kind },
  {
    name: 'Share of the holder',
    help: 'Share of its value that is in it, directly or through others',
    isNumber: true,
    cell: ({ share }) => bar(share, html`<span data-derived>${percent(share)}</span>`),
    value: ({ share }) => share,
  },
  {
    name: 'USD',
    isNumber: true,
    cell: (one) => {
      const usd = usdOf(one);
      return usd === undefined ? undefined : html`<span data-derived>${dollars(usd)}</span>`;
    },
    value: usdOf,
  },
  {
    name: 'Directly, USD',
    isNumber: true,
    cell: ({ direct }) =>
      direct === undefined ? '–' : isKnown(direct.usd) ? dollars(direct.usd) : undefined,
    value: ({ direct }) => direct?.usd,
    from: ({ direct }) => (direct === undefined ? nothing : from(direct, 'usd')),
  },
];

function usdOf({ holder, share }: Holder): number | undefined {
  const value = worthOf(holder);
  return value === undefined ? undefined : value * share;
}

/** A link to what a node of the graph is about. */
export function nodeLink(node: string, name: string | null | undefined): TemplateResult {
  const [kind = '', chain = '', id] = node.split(':');
  const text = name ?? node.replace(/^\w+:/, '');
  if (kind === 'market' || kind === 'vault')
    return html`<a href=${link('/lending', { chain, [kind]: id })}>${text}</a>`;
  if (kind === 'asset') return html`<a href="${link('/lending', { holds: node })}#holders">${text}</a>`;
  return html`<span class="name">${text}</span>`;
}
