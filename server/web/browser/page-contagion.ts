// Contagion: what else falls if this fails?

import { html, type TemplateResult } from 'lit-html';
import { target } from './api.ts';
import { restsOn, statementView } from './assumption-cells.ts';
import { contagion, fromForm } from './contagion.ts';
import type { ExposureNode } from './exposure-paths.ts';
import { isKnown, number } from './format.ts';
import { heldNote } from './missing-reason.ts';
import { type AssumptionUse, assumptionUses, type OraclePath } from './oracle-path.ts';
import { MAX_ROWS } from './pager.ts';
import { type Further, panel } from './panel.ts';
import { showPage } from './shell.ts';
import { link, param } from './state.ts';
import { type Column, tableView } from './table.ts';

interface AssetHolders {
  readonly node: string;
  readonly name: string;
  readonly holders: number;
}

/** Where a look at contagion can begin: assumptions that do not hold, and the assets that most others hold. */
const contagionStart = panel<readonly ExposureNode[]>({
  id: 'contagion-start',
  title: 'Where to begin',
  isWide: true,
  address: () => (isKnown(param('from')) ? undefined : target('/v2/datasets/exposure-graph')),
  also: {
    broken: () =>
      isKnown(param('from'))
        ? undefined
        : target('/v2/lending/oracles', { is_broken: 'true', limit: MAX_ROWS }),
  },
  view: (nodes, _, also) =>
    html`${fromForm()}${heldNote('exposure-graph')}<h3>Assumptions of oracles that do not hold</h3>${brokenView(also)}
      <p><a href=${link('/oracles')}>All assumptions</a></p><h3>Assets, by how many hold them</h3>${tableView('Assets', COLUMNS, heldIn(nodes))}`,
});

function brokenView(also: Further): TemplateResult {
  const paths = also.get<readonly OraclePath[]>('broken');
  if (paths === undefined) return html`<p class="quiet">${also.trouble('broken') ?? 'loading'}</p>`;
  const broken = assumptionUses(paths).filter(({ assumption }) => assumption.is_broken === true);
  return html`${heldNote('oracle-paths')}${brokenTable(broken)}`;
}

const brokenTable = (broken: readonly AssumptionUse[]): TemplateResult =>
  broken.length === 0
    ? html`<p>None is known to be broken. What cannot be judged is in the list of oracles.</p>`
    : tableView('Broken assumptions', BROKEN_COLUMNS, broken);

const BROKEN_COLUMNS: readonly Column<AssumptionUse>[] = [
  {
    name: 'What must be true',
    cell: ({ assumption }) => statementView(assumption),
    value: ({ assumption }) => assumption.statement,
  },
  {
    name: 'Rests on it',
    cell: ({ chain, assumption }) => html`<a href=${restsOn(chain, assumption.id)}>What falls with it</a>`,
  },
];

function heldIn(nodes: readonly ExposureNode[]): readonly AssetHolders[] {
  const found = new Map<string, AssetHolders>();
  for (const { edges } of nodes)
    for (const { to, kind, name } of edges)
      if (kind === 'asset')
        found.set(to, {
          node: to,
          name: name ?? to.replace(/^\w+:/, ''),
          holders: (found.get(to)?.holders ?? 0) + 1,
        });
  return [...found.values()].toSorted((a, b) => b.holders - a.holders || (a.name < b.name ? -1 : 1));
}

const COLUMNS: readonly Column<AssetHolders>[] = [
  {
    name: 'Asset',
    cell: ({ node, name }) => html`<a href=${link('/contagion', { from: node })}>${name}</a>`,
    value: ({ name }) => name,
  },
  {
    name: 'Held directly by',
    help: 'Markets, vaults and assets that the service knows of',
    isNumber: true,
    cell: ({ holders }) => html`<span data-derived>${number(holders)}</span>`,
    value: ({ holders }) => holders,
  },
];

showPage([contagion, contagionStart]);
