// What rests on an asset or on an assumption of oracles: a picture, and the same as a table, with shares and dollars as bounds.
import { html, nothing, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { assumptionState } from './assumption-cells.ts';
import { type ExposurePaths, KINDS, type Kind, type Reliance } from './contagion-layout.ts';
import { contagionPicture, hrefOf, KIND_NAMES, nameOfNode } from './contagion-picture.ts';
import { type Figure, figures } from './figures.ts';
import { textFilter } from './filters.ts';
import { caption, dollars, isKnown, number, percent, serviceBadge, shortName, UNKNOWN } from './format.ts';
import { anyHeldReason, heldNote, reasonLine } from './missing-reason.ts';
import { from } from './origin.ts';
import { panel } from './panel.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

const MAX_NODES = 200;

/** A symbol alone is an asset. */
export function startNode(): string | undefined {
  const given = param('from');
  return given === undefined || given.includes(':') ? given : `asset:${given}`;
}

/** What the answer is computed from: what is held back of these is in no count. */
const datasetsFor = (): readonly string[] => [
  'exposure-graph',
  'yield-opportunities',
  ...(startNode()?.startsWith('assumption:') ? ['oracle-paths', 'lending-markets'] : []),
];

export const fromForm = (): TemplateResult =>
  html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>${textFilter({ name: 'from', label: 'Symbol of an asset, or an id', example: 'USDC' })}</form>`;

export const contagion = panel<ExposurePaths>({
  id: 'contagion',
  title: 'What falls with it',
  isWide: true,
  address: () =>
    isKnown(startNode()) ? target('/v2/exposure/paths', { from: startNode(), limit: MAX_NODES }) : undefined,
  missing: (message) => html`${fromForm()}${heldNote(...datasetsFor())}<p class="empty">${message}.</p>`,
  view: (found, meta) => html`${fromForm()}${heldNote(...datasetsFor())}${startView(found)}
    ${figures(KINDS.map((kind) => reachFigure(found, kind)))}
    ${gapsView(found)}${circlesView(found)}
    ${
      found.nodes.length === 0
        ? html`<p class="empty">${KINDS.every((kind) => isWhole(found, kind)) ? 'Nothing rests on it.' : 'Nothing is known to rest on it; something may.'}</p>`
        : html`${contagionPicture(found)}<p class="note">Full bars: the share that is known to rest on it. Hatched: what may, because no source accounts for it. Lines are the largest paths.</p>
        <h3>As a table</h3>${meta.has_more === true ? html`<p class="note">The first <span data-derived>${found.nodes.length}</span> of <span data-from=${from(meta, 'total')}>${number(meta.total)}</span>.</p>` : nothing}${tableView('What rests on it', COLUMNS, found.nodes)}`
    }`,
});

function startView({ from: start }: ExposurePaths): TemplateResult {
  const name = html`<strong data-from=${isKnown(start.name) ? from(start, 'name') : nothing}>${start.name ?? shortName(start.id)}</strong>`;
  if (start.kind !== 'assumption')
    return html`<p>${name} <span class="quiet">(${start.kind})</span>: <a href=${`${link('/lending', { holds: start.id })}#holders`}>who is exposed to it</a></p>`;
  const [, chain = '', ...rest] = start.id.split(':');
  const id = rest.join(':');
  return html`<p>${name} ${assumptionState(start.is_broken, 'high')} <span class="quiet">Assumed by the oracles of <span data-derived>${number(start.markets.length)}</span> ${start.markets.length === 1 ? 'market' : 'markets'} on <span class="name">${chain}</span></span>: <a href=${link('/oracles', { chain, assumption: id })}>these oracles</a>, <a href=${link('/events', { subject: start.id })}>its events</a></p>`;
}

/** Whether nothing more of this kind can rest on the start than what is known to. */
const isWhole = (found: ExposurePaths, kind: Kind): boolean =>
  found.reach[kind].unknown === 0 && anyHeldReason(...datasetsFor()) === undefined;

/** Kinds overlap, so their dollars stand apart. */
function reachFigure(found: ExposurePaths, kind: Kind): Figure {
  const one = found.reach[kind];
  const [, many] = KIND_NAMES[kind];
  const name = `${many.charAt(0).toUpperCase()}${many.slice(1)} that rest on it`;
  if (one.count === null) return { name, text: UNKNOWN };
  const amount = isKnown(one.usd_low)
    ? html`<span data-from=${from(one, 'usd_low')}>${dollars(one.usd_low)}</span>${one.usd_low === one.usd_high ? nothing : html` to <span data-from=${from(one, 'usd_high')}>${dollars(one.usd_high)}</span>`}`
    : html`USD ${UNKNOWN}`;
  return {
    name,
    text: number(one.count),
    from: from(one, 'count'),
    more: html`<small>${one.count === 0 ? nothing : amount}</small> ${othersView(found, kind)}`,
  };
}

function othersView(found: ExposurePaths, kind: Kind): TemplateResult {
  const one = found.reach[kind];
  const [single, many] = KIND_NAMES[kind];
  return one.unknown !== null && one.unknown > 0
    ? html`<small class="unknown-part"><span data-from=${from(one, 'unknown')}>${number(one.unknown)}</span> more ${one.unknown === 1 ? single : many} may: not known</small>`
    : reasonLine(isWhole(found, kind) ? 'no others may' : 'others may be held back');
}

const GAPS: Readonly<Record<string, string>> = {
  yields_need_scope: 'yields are not shown without a key that may read them',
  yields_not_published: 'no yields are published',
  lent_share_unknown:
    'how much of a market is lent is not known now, so all of it may rest on the assumption',
  paths_unknown:
    'what the oracle of some market of the chain assumes is not known, so its lent part may rest on it too',
  held_back: 'what is held back may rest on it too',
  value_unknown: 'no source states the value of some of what rests on it',
};

const gapsView = ({ gaps }: ExposurePaths): TemplateResult | typeof nothing =>
  gaps.length === 0
    ? nothing
    : html`<ul>${gaps.map((gap) => html`<li>${serviceBadge('missing', 'unknown')} ${GAPS[gap] ?? caption(gap)}</li>`)}</ul>`;

const circlesView = (found: ExposurePaths): TemplateResult | typeof nothing =>
  found.circles.length === 0
    ? nothing
    : html`<ul>${found.circles.map((circle) => html`<li><strong>In a circle:</strong> <span class="name">${[...circle, circle[0] ?? ''].map((node) => nameIn(found, node)).join(' → ')}</span>. Each holds the one before, so a loss comes back to where it began; the shares are those at the end.</li>`)}</ul>`;

const nameIn = ({ nodes, from: start }: ExposurePaths, node: string): string =>
  nameOfNode(
    node === start.id
      ? { node, name: start.name }
      : (nodes.find((one) => one.node === node) ?? { node, name: null }),
  );

const COLUMNS: readonly Column<Reliance>[] = [
  {
    name: 'What rests on it',
    cell: (one) => {
      const href = hrefOf(one.node);
      return href === undefined ? nameOfNode(one) : html`<a href=${href}>${nameOfNode(one)}</a>`;
    },
    value: nameOfNode,
  },
  { name: 'Kind', cell: ({ kind }) => kind, value: ({ kind }) => kind },
  {
    name: 'Share, at least',
    help: 'Share of its value that is known to rest on it',
    isNumber: true,
    cell: ({ share_low }) => percent(share_low),
    value: ({ share_low }) => share_low,
    from: (one) => from(one, 'share_low'),
  },
  {
    name: 'At most',
    help: 'With what no source accounts for',
    isNumber: true,
    cell: ({ share_high }) => percent(share_high),
    value: ({ share_high }) => share_high,
    from: (one) => from(one, 'share_high'),
  },
  usdColumn('USD, at least', 'usd_low'),
  usdColumn('USD, at most', 'usd_high'),
  {
    name: 'Through',
    help: 'The path with the largest share',
    cell: ({ path }) =>
      html`<span class="name">${path.slice(1, -1).map(nameOfNode).join(' → ') || 'directly'}</span>`,
  },
];

function usdColumn(name: string, member: 'usd_low' | 'usd_high'): Column<Reliance> {
  return {
    name,
    isNumber: true,
    cell: (one) => (isKnown(one[member]) ? dollars(one[member]) : undefined),
    value: (one) => one[member],
    from: (one) => from(one, member),
  };
}
