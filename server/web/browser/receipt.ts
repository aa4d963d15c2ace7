// The provenance of a panel's numbers: sources, age, confidence, quality gate, policy version.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Meta } from './api.ts';
import { age, isKnown, number } from './format.ts';
import { from } from './origin.ts';
import { dataBadge } from './service-verdict.ts';
import { link } from './state.ts';

interface Source {
  readonly name: string;
  readonly kind: string;
  readonly url: string | null;
  readonly observed_at: string | null;
  readonly license: string | null;
}

interface Check {
  readonly name: string;
  readonly verdict: string;
  readonly detail: string | null;
}

export interface Receipt {
  readonly computedAt: string | undefined;
  readonly freshness: string | undefined;
  readonly version: string | undefined;
  readonly dataset: string | undefined;
  readonly confidence: { level: string; score: number; reasons: readonly string[] } | undefined;
  readonly gate: { verdict: string; policy_version: string; checks: readonly Check[] } | undefined;
  readonly sources: readonly Source[];
}

/** Undefined if the response has no provenance, such as lists of the service's own state. */
export function receiptOf(meta: Meta): Receipt | undefined {
  const own = (meta['_agentic'] ?? meta) as Record<string, unknown>;
  if (!isKnown(own['sources'])) return undefined;
  const freshness = own['freshness'] as { computed_at?: string; status?: string } | undefined;
  return {
    computedAt: (freshness?.computed_at ?? own['computed_at']) as string | undefined,
    freshness: freshness?.status,
    version: meta['version'] as string | undefined,
    dataset: meta['dataset'] as string | undefined,
    confidence: own['confidence'] as Receipt['confidence'],
    gate: own['quality_gate'] as Receipt['gate'],
    sources: own['sources'] as readonly Source[],
  };
}

/** The origin of numbers without provenance, by the start of their request target. */
const OWN: readonly (readonly [start: string, origin: string])[] = [
  [
    '/v2/events',
    'The event log up to the displayed version. The evidence of an event has its rules, its policy version and its sources.',
  ],
  ['/v2/datasets', 'The manifest of the displayed version. Each dataset has its own receipt.'],
  ['/v2/versions', 'The kept versions. Each dataset of a version has its own receipt.'],
  [
    '/v1/status/history',
    'The verdicts of all gates, as published with each version. Each dataset has its own receipt.',
  ],
  ['/', 'Counted by this service itself, now. It has no source, gate or policy.'],
];

/** For the service's figures about itself. */
export const ownReceipt = (address: string): TemplateResult =>
  html`<p>${OWN.find(([start]) => address.startsWith(start))?.[1]}</p>`;

export function receiptView(receipt: Receipt): TemplateResult {
  const { gate, confidence, sources, computedAt, dataset, version } = receipt;
  return html`<dl class="receipt">
    <dt>Computed</dt><dd>${age(computedAt)}</dd>
    <dt>Gate</dt><dd>${dataBadge(gate?.verdict, gate?.checks)} <span class="quiet">policy <span data-from=${from(gate, 'policy_version')}>${gate?.policy_version}</span></span>${checks(gate?.checks ?? [])}</dd>
    <dt>Confidence</dt><dd>${confidence?.level} (<span data-from=${from(confidence, 'score')}>${number(confidence?.score, 4)}</span>)${list(confidence?.reasons ?? [])}</dd>
    ${dataset === undefined ? nothing : html`<dt>Dataset</dt><dd><a class="name" href=${link('/datasets', { id: dataset })}>${dataset}</a></dd>`}
    ${version === undefined ? nothing : html`<dt>Version</dt><dd><code>${version}</code></dd>`}
    <dt>Sources</dt><dd><ul>${sources.map(sourceItem)}</ul></dd>
  </dl>`;
}

const checks = (all: readonly Check[]): TemplateResult | typeof nothing => {
  const open = all.filter(({ verdict }) => verdict !== 'pass');
  return open.length === 0
    ? nothing
    : html`<ul>${open.map((check) => html`<li>${dataBadge(check.verdict)} ${check.name}${check.detail === null ? nothing : html`: <span data-from=${from(check, 'detail')}>${check.detail}</span>`}</li>`)}</ul>`;
};

const list = (texts: readonly string[]): TemplateResult | typeof nothing =>
  texts.length === 0
    ? nothing
    : html`<ul>${texts.map((text, index) => html`<li data-from=${from(texts, index)}>${text}</li>`)}</ul>`;

const sourceItem = ({ name, kind, url, observed_at, license }: Source): TemplateResult =>
  html`<li>${url?.startsWith('https://') ? html`<a href=${url} rel="noreferrer" class="name">${name}</a>` : html`<span class="name">${name}</span>`}
    <span class="quiet">${kind}, observed ${age(observed_at)}${license === null ? nothing : `, ${license}`}</span></li>`;
