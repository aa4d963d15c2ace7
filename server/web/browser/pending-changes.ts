// Changes of vaults that were submitted and have not ended: what each does, the second from which it may be executed, who may revoke it until
// then. What was read says nothing of what was done since, so a time that has come never counts as an end.
import { html, nothing, type TemplateResult } from 'lit-html';
import { type Meta, target } from './api.ts';
import { badge, isKnown, named, opening, secondText, shortName, UNKNOWN } from './format.ts';
import { heldNote } from './missing-reason.ts';
import { from } from './origin.ts';
import { countOfPage } from './pager.ts';
import { type Further, panel } from './panel.ts';
import { link } from './state.ts';
import { type Column, SHORT_PAGE, tableView } from './table.ts';
import type { DelayedChange } from './vault-texts.ts';

/** Those without an end. */
export const WAITING = 'pending,executable,blocked';

function dueView(row: DelayedChange): TemplateResult {
  if (row.status === 'blocked') return html`never: its function was given up`;
  const by =
    row.executable_by === 'anyone'
      ? html`by anyone`
      : html`by ${named(shortName(row.executable_by), row.executable_by)}`;
  return isKnown(row.executable_at)
    ? html`<span data-from=${from(row, 'executable_at')}>${secondText(row.executable_at)}</span> ${by}<br><strong>${opening(row.executable_at)}</strong>`
    : html`<span class="unknown">${UNKNOWN}: its timelock was not read</span> ${by}`;
}

const SEVERITIES = ['critical', 'high', 'warn', 'info'];

/** A time that is not known may have come. */
const dueOrder = ({ status, executable_at: at }: DelayedChange): number =>
  status === 'blocked' ? Infinity : (at ?? 0);
export const nextFirst = (rows: readonly DelayedChange[]): readonly DelayedChange[] =>
  rows.toSorted(
    (a, b) => dueOrder(a) - dueOrder(b) || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );

const CHANGE_COLUMNS: readonly Column<DelayedChange>[] = [
  {
    name: 'What it does',
    cell: (row) =>
      html`<span data-from=${from(row, 'statement')}>${row.statement}</span>${row.is_not_final ? html` <span class="quiet">(not final: the chain may still drop it)</span>` : nothing}`,
    value: ({ statement }) => statement,
  },
  {
    name: 'Severity',
    cell: ({ severity }) => badge(severity),
    value: ({ severity }) => -SEVERITIES.indexOf(severity),
    from: (row) => from(row, 'severity'),
  },
  {
    name: 'Executable from, UTC',
    cell: dueView,
    value: ({ executable_at }) => executable_at,
  },
  {
    name: 'Revocable by',
    cell: ({ can_revoke }) => can_revoke.join(', ') || 'no one',
    value: ({ can_revoke }) => can_revoke.join(', '),
  },
];

const VAULT_COLUMN: Column<DelayedChange> = {
  name: 'Vault',
  cell: ({ chain, vault_address, vault_name }) =>
    html`<a class="name" href=${link('/lending', { chain, vault: vault_address })}>${vault_name ?? shortName(vault_address)}</a>`,
  value: ({ vault_name }) => vault_name,
};

const [whatItDoes, ...others] = CHANGE_COLUMNS;

/** `isOfOne`: all are of the vault that the page is about. */
export const changesTable = (rows: readonly DelayedChange[], isOfOne = false): TemplateResult =>
  tableView(
    'Changes that wait',
    isOfOne || whatItDoes === undefined ? CHANGE_COLUMNS : [whatItDoes, VAULT_COLUMN, ...others],
    nextFirst(rows),
    SHORT_PAGE,
  );

interface Freshness {
  readonly computed_at: string;
  readonly status: string;
}

/** Until when the logs were read. An old list says so before anything else. */
export function readNote({ _agentic }: Meta): TemplateResult | typeof nothing {
  const fresh = (_agentic as { readonly freshness?: Freshness } | undefined)?.freshness;
  if (fresh === undefined) return nothing;
  const time = html`<span data-from=${from(fresh, 'computed_at')}>${fresh.computed_at.slice(0, 16).replace('T', ' ')} UTC</span>`;
  return fresh.status === 'fresh'
    ? html`<p class="note">As of ${time}. A change may have been executed or revoked since.</p>`
    : html`<p class="trouble" role="status">This list is not current: it is as of ${time}. Changes may have been submitted, executed or revoked since.</p>`;
}

/** Of these vaults, an empty list says nothing. */
function unreadNote(also: Further): TemplateResult {
  const rows = also.get<readonly object[]>('unread');
  if (rows === undefined)
    return html`<p class="note">Whether the logs of all vaults were read is ${also.trouble('unread') === undefined ? 'not known yet' : UNKNOWN}.</p>`;
  return rows.length === 0
    ? html`${nothing}`
    : html`<p class="trouble" role="status">Of some vaults the logs were not read: whether changes wait there is ${UNKNOWN}. <a href=${link('/vaults', { has_pending: 'unknown' })}>These vaults</a></p>`;
}

export const pending = panel<readonly DelayedChange[]>({
  id: 'pending',
  title: 'Changes of vaults that wait',
  isWide: true,
  address: () => target('/v2/vaults/changes', { status: WAITING, sort: 'executable_at', limit: 100 }),
  also: { unread: () => target('/v2/vaults', { has_pending: 'unknown', limit: 1 }) },
  view: (rows, meta, also) =>
    html`${heldNote('vault-changes')}${readNote(meta)}${unreadNote(also)}${
      rows.length === 0
        ? html`<p>No submitted change waits in the logs that were read.</p>`
        : html`${meta.has_more === true ? html`<p class="note">${countOfPage(rows, meta, 'changes')}.</p>` : nothing}${changesTable(rows)}`
    }`,
});
