// The story of an event: its headline with the doubts next to it, what belongs to it, and where to look next.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { CourseEvent, Evidence, RiskEvent } from './api-shapes.ts';
import { badge, isKnown, serviceBadge, timeText } from './format.ts';
import { from } from './origin.ts';
import { link } from './state.ts';
import { type Link, subjectLinks } from './subject-links.ts';

export function storyView({ event, story, course }: Evidence): TemplateResult {
  const retraction = course.find(({ role }) => role === 'retraction');
  return html`<p><a href=${link('/events')}>All events</a></p>
    ${retraction === undefined ? nothing : html`<p class="retracted" role="note"><strong>Retracted.</strong> What this event reported did not happen. <a href=${link('/events', { id: retraction.event_id })}>The event that retracts it</a></p>`}
    <div class="story"><p class="headline">${badge(event.severity)} <span data-from=${from(story, 'headline')}>${story.headline}</span></p>
      ${story.doubts.length === 0 ? nothing : html`<ul class="doubts">${story.doubts.map((doubt, index) => html`<li>${serviceBadge('doubt', 'warn')} <span data-from=${from(story.doubts, index)}>${doubt}</span></li>`)}</ul>`}</div>
    ${story.further.length === 0 ? nothing : html`<p>${story.further.map((text, index) => html`<span data-from=${from(story.further, index)}>${text}</span> `)}</p>`}
    ${course.length === 0 ? nothing : html`<ul class="rows course">${course.map(courseItem)}</ul>`}
    ${linksView(event)}`;
}

const ROLES: Readonly<Record<CourseEvent['role'], string>> = {
  start: 'Start',
  escalation: 'Escalation',
  end: 'End',
  recovery: 'Recovery',
  retraction: 'Retraction',
  retracted: 'The event that it retracts',
};

const courseItem = (one: CourseEvent): TemplateResult =>
  html`<li><time datetime=${one.ts} class="quiet" data-from=${from(one, 'ts')}>${timeText(one.ts)}</time> ${badge(one.severity)} <a href=${link('/events', { id: one.event_id })}>${ROLES[one.role]}</a></li>`;

const ADDRESS = /^0x[0-9a-f]+$/i;

/** Pages about what the event concerns. */
export function linksOf({ subject_id, chain, data, protocol, type }: RiskEvent): readonly Link[] {
  const [resource = ''] = subject_id.split(':');
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined);
  const on = chain ?? text('chain');
  const market = text('market_id');
  const feed = text('oracle_address');
  const vault = text('vault_address');
  const opportunity = text('opportunity_id');
  return [
    ...(['peg', 'vault', 'assumption'].includes(resource) ? subjectLinks(subject_id) : []),
    ...marketsOf(data).map((id) => ({
      text: 'Oracle of a market',
      href: link('/oracles', { chain: on, market: id }),
    })),
    ...(feed !== undefined && isKnown(on)
      ? [{ text: 'Feed', href: link('/pegs', { chain: on, feed }) }]
      : []),
    ...(market !== undefined && (ADDRESS.test(market) || resource === 'liquidity') && isKnown(on)
      ? [{ text: 'Market', href: link('/lending', { chain: on, market }) }]
      : []),
    ...(vault === undefined || resource === 'vault' || !isKnown(on)
      ? []
      : [{ text: 'Vault', href: link('/lending', { chain: on, vault }) }]),
    ...(opportunity === undefined ? [] : [{ text: 'Yield', href: link('/yields', { id: opportunity }) }]),
    ...(isKnown(protocol) ? [{ text: 'Protocol', href: link('/protocols', { protocol }) }] : []),
    ...(type === 'regime.shift' ? [{ text: 'Market regime', href: `${link('/')}#regime` }] : []),
    { text: 'Events of the same subject', href: link('/events', { subject: subject_id }) },
    { text: 'Events of the same type', href: link('/events', { type }) },
  ];
}

/** The largest of those that an event of an oracle names. */
function marketsOf({ markets, assumption, contract_address }: RiskEvent['data']): readonly string[] {
  const isOfOracle = isKnown(assumption) || isKnown(contract_address);
  if (!isOfOracle || !Array.isArray(markets)) return [];
  return (markets as readonly { readonly market_id?: string }[])
    .slice(0, 1)
    .flatMap(({ market_id }) => market_id ?? []);
}

const linksView = (event: RiskEvent): TemplateResult =>
  html`<p class="links">${linksOf(event).map(({ text, href }) => html`<a class="named" href=${href}>${text}</a> `)}</p>`;
