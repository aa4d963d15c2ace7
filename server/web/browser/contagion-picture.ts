// The picture of contagion: from what fails through what holds it, with the share of each that is known to fall in full and the share that may
// hatched. Every box is a link, and says in words what it shows.
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import {
  type Box,
  BOX_HEIGHT,
  drawnOf,
  type ExposurePaths,
  type Kind,
  layoutOf,
  lineOf,
  type Reliance,
  roundOf,
} from './contagion-layout.ts';
import { isNarrow, pageWidth } from './environment.ts';
import { dollars, isKnown, number, percent, quantity, shortName } from './format.ts';
import { link } from './state.ts';

const MAX_ROOM = 1_080;
/** Of the navigation and the frame of the panel. */
const AROUND_PX = 300;
const NARROW_AROUND_PX = 66;

export const KIND_NAMES: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  asset: ['asset', 'assets'],
  market: ['market', 'markets'],
  vault: ['vault', 'vaults'],
  yield: ['yield', 'yields'],
};

export const nameOfNode = ({ name, node }: Pick<Reliance, 'name' | 'node'>): string =>
  name ?? shortName(node.replace(/^\w+:/, ''));

export function hrefOf(node: string): string | undefined {
  const [kind = '', chain = '', id] = node.split(':');
  if (kind === 'market' || kind === 'vault') return link('/lending', { chain, [kind]: id });
  if (kind === 'yield') return link('/yields', { id: node.slice('yield:'.length) });
  return kind === 'asset' ? link('/contagion', { from: node }) : undefined;
}

const between = (low: string, high: string): string => (low === high ? low : `${low} to ${high}`);
export const sharesText = ({ share_low, share_high }: Reliance): string =>
  between(percent(share_low), percent(share_high));
export const dollarsText = ({ usd_low, usd_high }: Pick<Reliance, 'usd_low' | 'usd_high'>): string =>
  isKnown(usd_low) && isKnown(usd_high) ? between(dollars(usd_low), dollars(usd_high)) : 'USD not known';

/** In a box, where whole percents and the least amount have to do. */
function shortText({ share_low, share_high, usd_low, usd_high }: Reliance): string {
  const [low, high] = [percent(share_low, 0), percent(share_high, 0)];
  const share = low === high ? low : `${low.replace(' %', '')}–${high}`;
  if (!isKnown(usd_low)) return `${share}, $ not known`;
  return `${share}, ${usd_low === usd_high ? '' : '≥ '}${dollars(usd_low)}`;
}

export function contagionPicture(found: ExposurePaths): TemplateResult {
  const room = isNarrow
    ? Math.max(260, pageWidth() - NARROW_AROUND_PX)
    : Math.min(MAX_ROOM, Math.max(640, pageWidth() - AROUND_PX));
  const drawn = drawnOf(found);
  const layout = layoutOf(drawn, room, isNarrow);
  const boxOf = (node: string): Box | undefined =>
    node === found.from.id ? layout.start : layout.boxes.get(node);
  const shareOf = new Map(drawn.all.map(({ node, share_low }) => [node, share_low]));
  const name = found.from.name ?? found.from.id.replace(/^\w+:/, '');
  return html`<svg class="contagion" viewBox="0 0 ${layout.width} ${layout.height}" role="group" aria-label="What falls if ${name} fails: ${drawn.all.length} of what rests on it, largest first. The table has all of it.">
    ${HATCHES}
    ${drawn.edges.map(([held, holder]) => {
      const [from, to] = [boxOf(held), boxOf(holder)];
      return from === undefined || to === undefined
        ? nothing
        : svg`<path class="edge" d=${lineOf(from, to, layout.isNarrow)} stroke-width=${1 + 6 * (shareOf.get(holder) ?? 0)}></path>`;
    })}
    ${layout.headings.map(({ kind, x, y }) => svg`<text class="heading" x=${x} y=${y}>${KIND_NAMES[kind][1]}</text>`)}
    ${startBox(found, layout.start)}
    ${drawn.all.map((one) => nodeBox(one, boxOf(one.node)))}
    ${[...layout.rests].map(([kind, box]) => restBox(kind, box, drawn.rest[kind]))}
    ${drawn.circles.map((circle) => circleLines(circle, boxOf))}
  </svg>`;
}

const HATCHES = svg`<defs>
  <pattern id="hatch-share" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch-line" y2="5"></line></pattern>
  <pattern id="hatch-unknown" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch-quiet" y2="6"></line></pattern>
  <marker id="round-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path class="round-end" d="M0 0L8 4L0 8z"></path></marker>
</defs>`;

/** A letter of the text is about so wide. */
const LETTER_PX = 6.6;
const cut = (text: string, { width }: Box): string => {
  const most = Math.floor((width - 14) / LETTER_PX);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};

function startBox({ from }: ExposurePaths, box: Box) {
  const name = from.name ?? from.id.replace(/^\w+:/, '');
  const what =
    from.kind === 'assumption'
      ? from.is_broken === true
        ? 'does not hold'
        : 'if it does not hold'
      : `${from.kind}, if it fails`;
  return svg`<g class=${from.is_broken === true ? 'start is-off' : 'start'}><title>${name}</title>
    <rect class="box" x=${box.x} y=${box.y} width=${box.width} height=${BOX_HEIGHT} rx="5"></rect>
    <text x=${box.x + 7} y=${box.y + 17}>${cut(name, box)}</text><text class="quiet-text" x=${box.x + 7} y=${box.y + 34}>${what}</text></g>`;
}

function nodeBox(one: Reliance, box: Box | undefined) {
  if (box === undefined) return nothing;
  const { x, y, width } = box;
  const low = Math.max(0, Math.min(1, one.share_low));
  const high = Math.max(low, Math.min(1, one.share_high));
  const bar = { y: y + BOX_HEIGHT - 7, width: width - 14 };
  const through = one.path.slice(1, -1).map(nameOfNode).join(', ');
  const label = `${nameOfNode(one)}, ${one.kind}: ${sharesText(one)} of its value, ${dollarsText(one)}${through === '' ? '' : `, through ${through}`}`;
  const content = svg`<title>${label}</title>
    <rect class="box" x=${x} y=${y} width=${width} height=${BOX_HEIGHT} rx="5"></rect>
    <text x=${x + 7} y=${y + 15}>${cut(nameOfNode(one), box)}</text>
    <text class="quiet-text" x=${x + 7} y=${y + 30}>${cut(shortText(one), box)}</text>
    <rect class="share-ground" x=${x + 7} y=${bar.y} width=${bar.width} height="4"></rect>
    <rect class="share-low" x=${x + 7} y=${bar.y} width=${bar.width * low} height="4"></rect>
    <rect fill="url(#hatch-share)" x=${x + 7 + bar.width * low} y=${bar.y} width=${bar.width * (high - low)} height="4"></rect>`;
  const href = hrefOf(one.node);
  return href === undefined ? svg`<g>${content}</g>` : svg`<a href=${href}>${content}</a>`;
}

/** The unknown part is a thing of its own: it is neither left out nor spread over the others. */
function restBox(
  kind: Kind,
  box: Box,
  { more, unknown }: { readonly more: number; readonly unknown: number },
) {
  const [one, many] = KIND_NAMES[kind];
  const [first, second] = [
    unknown > 0 ? `${number(unknown)} may: not known` : '',
    more > 0 ? `${number(more)} more in the table` : '',
  ].filter((text) => text !== '');
  const title = [
    ...(unknown > 0 ? [`Of ${quantity(unknown, one, many)} it is not known whether a part rests on it`] : []),
    ...(more > 0 ? [`${quantity(more, one, many)} more are in the table`] : []),
  ].join('. ');
  return svg`<g><title>${title}</title><rect class="plate" x=${box.x} y=${box.y} width=${box.width} height=${BOX_HEIGHT} rx="5"></rect>
    <rect class=${unknown > 0 ? 'box unknown-box' : 'box'} x=${box.x} y=${box.y} width=${box.width} height=${BOX_HEIGHT} rx="5"></rect>
    ${unknown > 0 ? svg`<rect class="plate" x=${box.x + 4} y=${box.y + 4} width=${Math.min(box.width - 8, (Math.max(first?.length ?? 0, second?.length ?? 0) + 1) * LETTER_PX)} height=${second === undefined ? 19 : BOX_HEIGHT - 8}></rect>` : nothing}
    <text x=${box.x + 7} y=${box.y + 17}>${cut(first ?? '', box)}</text><text class="quiet-text" x=${box.x + 7} y=${box.y + 34}>${cut(second ?? '', box)}</text></g>`;
}

const circleLines = (circle: readonly string[], boxOf: (node: string) => Box | undefined) =>
  circle.map((node, index) => {
    const [from, to] = [boxOf(node), boxOf(circle[(index + 1) % circle.length] ?? '')];
    return from === undefined || to === undefined
      ? nothing
      : svg`<path class="round" d=${roundOf(from, to, index)} marker-end="url(#round-end)"></path>`;
  });
