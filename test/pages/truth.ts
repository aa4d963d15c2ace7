// Whether a page shows what the API returned: each figure is compared with the part of the response that its `data-from` names, and a
// number in a panel without `data-from` is a problem.
import type { Page } from 'playwright-core';

/** Bodies that the page received, by request target. */
export type Received = ReadonlyMap<string, unknown>;

export function recordResponses(page: Page): Received {
  const received = new Map<string, unknown>();
  page.on('response', async (response) => {
    const url = new URL(response.url());
    if (!/^\/v\d\//.test(url.pathname) || !response.ok()) return;
    received.set(url.pathname + url.search, await response.json().catch(() => undefined));
  });
  return received;
}

interface Drawn {
  readonly from: string;
  readonly count: string | null;
  readonly text: string;
  /** Instant of a `time` element, whose text is relative. */
  readonly datetime: string | null;
}

const DRAWN = `[...document.querySelectorAll('#panels [data-from], #panels [data-count]')].map((place) => {
  const time = place.querySelector('time') ?? (place.matches('time') ? place : null);
  return {
    from: place.dataset.from ?? place.dataset.count,
    count: place.dataset.count ?? null,
    text: place.innerText === undefined || place.innerText === '' ? place.textContent.trim() : place.innerText.trim(),
    datetime: time === null ? null : time.getAttribute('datetime'),
  };
})`;

/** Elements whose numbers explain themselves: names, ids, commands, choices, pictures with a table, and what the page counts itself. */
const OTHERS =
  '[data-from],[data-count],[data-derived],time,code,pre,svg,select,button,textarea,label,h2,h3,th,dt,.named,.name,.strip,.chart,td:first-child';

const UNEXPLAINED = `(() => {
  const found = [];
  for (const body of document.querySelectorAll('#panels .panel-body, #panels footer')) {
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode;
      if (/\\d/.test(textContent) && parentElement.closest(${JSON.stringify(OTHERS)}) === null) found.push(textContent.trim());
    }
  }
  return found;
})()`;

/** The problems of the page, and the number of figures that were compared. */
export async function untruths(
  page: Page,
  received: Received,
): Promise<{ readonly compared: number; readonly problems: readonly string[] }> {
  const drawn = (await page.evaluate(DRAWN)) as readonly Drawn[];
  const unexplained = (await page.evaluate(UNEXPLAINED)) as readonly string[];
  const problems = drawn.flatMap((one) => {
    const value = valueAt(received, one.from);
    if (value === MISSING) return [`nothing was received at ${one.from} for “${one.text}”`];
    const raw = one.count === null || !Array.isArray(value) ? value : value.length;
    return says(one, raw) ? [] : [`“${one.text}” is not ${JSON.stringify(raw)} of ${one.from}`];
  });
  return {
    compared: drawn.length,
    problems: [...problems, ...unexplained.map((text) => `“${text}” does not say where it comes from`)],
  };
}

const MISSING = Symbol('missing');

function valueAt(received: Received, from: string): unknown {
  const [address = '', pointer = ''] = from.split('#');
  if (!received.has(address)) return MISSING;
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null) return at === null ? null : MISSING;
    const member = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return member in at ? (at as Record<string, unknown>)[member] : undefined;
  }, received.get(address));
}

const UNKNOWN = /not known|no score|^unknown$|^–$/;

/** Whether the text states the value, read independently of how the page wrote it. */
export function says({ text, datetime }: Pick<Drawn, 'text' | 'datetime'>, raw: unknown): boolean {
  if (raw === null || raw === undefined) return UNKNOWN.test(text);
  if (typeof raw === 'boolean') return text === (raw ? 'yes' : 'no');
  if (datetime !== null) return Date.parse(datetime) === instantOf(raw);
  const time = /\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/.exec(text)?.[0];
  if (time !== undefined && !Number.isNaN(instantOf(raw))) return saysTime(time, raw);
  if (typeof raw === 'number') return saysNumber(text, raw);
  const value = String(raw);
  if (Number.isFinite(Number(value)) && saysNumber(text, Number(value))) return true;
  // `tvl_usd` is shown as “TVL, USD”.
  const plain = (words: string) => words.replaceAll(/[_.,:;=\s]+/g, ' ').toLowerCase();
  const short = value.replace(/0x([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/gi, '0x$1…$2');
  return [value, short, new URL(value, 'https://none.example').host].some((words) =>
    plain(text).includes(plain(words)),
  );
}

/** Milliseconds of Unix seconds, an ISO text, or a day as `22-11-2026`. */
function instantOf(raw: unknown): number {
  if (typeof raw === 'number') return raw * 1_000;
  const text = String(raw).replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1');
  return Date.parse(text);
}

function saysTime(text: string, raw: unknown): boolean {
  const iso = new Date(instantOf(raw)).toISOString();
  return text === iso.slice(0, text.length).replace('T', ' ');
}

const SCALES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };

function saysNumber(text: string, raw: number): boolean {
  if (/^(?:yes|no)$/.test(text)) return text === (raw === 0 ? 'no' : 'yes');
  const found = /(-?)\$?([\d,]+(?:\.\d+)?)([KMBT])?(?:\s*(%|pp|s|min|h|d)(?![a-z]))?/.exec(text);
  if (found === null) return false;
  const [, sign = '', digits = '', scale = '', unit = ''] = found;
  const factor = (SCALES[scale] ?? 1) * (SECONDS[unit] ?? 1);
  const shown = Number(digits.replaceAll(',', '')) * factor * (sign === '-' ? -1 : 1);
  const last = factor * 10 ** -(digits.split('.')[1]?.length ?? 0);
  // What is rounded away may have been zeros of more decimals, but never more than half of the last digit that is shown.
  const isNear = (value: number) => Math.abs(shown - value) <= last / 2 + Math.abs(value) * 1e-9;
  return isNear(raw) || ((unit === '%' || unit === 'pp') && isNear(raw * 100));
}
