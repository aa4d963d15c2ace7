// The page to watch: asks what is published every half minute, follows the stream with the reader's key, draws the latest depeg.
import { depegFigure } from '/watch/chart.js';
import { element, shortSpan, shortTime } from '/watch/elements.js';
import { followStream } from '/watch/stream.js';

const ASK_EVERY_MS = 30_000;
const BACK_MS = 86_400_000;
const MOST_EVENTS = 200;
const KEY_NAME = 'api-key';
const MOST_PAGES = 20;

const at = (id) => document.getElementById(id);
let stop = () => {};
let key;
let asOf;

async function ask(path) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const answer = await fetch(path, { headers });
  return answer.ok ? answer.json() : undefined;
}

async function askAgain() {
  const [status, manifest] = await Promise.all([ask('/v1/status'), ask('/v2/data-manifest')]).catch(() => []);
  if (status === undefined) at('version').textContent = 'The service does not answer; trying again.';
  else showStatus(status);
  if (manifest !== undefined) showCompleteness(manifest.data);
}

function showStatus(status) {
  asOf = status.as_of ?? undefined;
  const words =
    status.version === null
      ? 'Nothing has been published yet.'
      : `Data as of ${shortTime(status.as_of)} UTC, ${shortSpan(status.age_seconds)} ago. Version ${status.version}.`;
  at('version').replaceChildren(badge(status.status), ` ${words}`);
  at('notices').hidden = status.notices.length === 0;
  at('notices').replaceChildren(
    ...status.notices.map((notice) => element('li', {}, `${shortTime(notice.at)} ${notice.message}`)),
  );
  const rows = Object.entries(status.datasets).map(([id, dataset]) => datasetRow(id, dataset));
  at('datasets').tBodies[0].replaceChildren(...rows);
}

const badge = (word) => element('span', { class: `badge ${word}` }, word);

function datasetRow(id, { freshness, documents, quality_gate }) {
  const cells = [
    element('a', { href: `/v2/datasets/${id}` }, id),
    badge(freshness.status),
    documents.toLocaleString('en'),
    `${shortSpan(freshness.age_seconds)} ago`,
    shortTime(freshness.next_update_at),
    badge(quality_gate),
  ];
  return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
}

function showCompleteness({ markets, feeds, vaults }) {
  const figures = [
    ['Feeds complete', feeds.complete, feeds.total],
    ['Feeds with history', feeds.with_history, feeds.total],
    ['Markets fresh', markets.fresh, markets.total],
    ['Markets stale', markets.stale, markets.total],
    ['Markets unverifiable or unknown', markets.unverifiable + markets.unknown, markets.total],
    ['Vaults with governance', vaults.governance_indexed, vaults.total],
  ];
  at('completeness').replaceChildren(
    ...figures.map(([name, count, total]) =>
      element(
        'div',
        {},
        element('dt', {}, name),
        element('dd', {}, String(count), element('small', {}, ` of ${total}`)),
      ),
    ),
  );
}

/** Later events are further up. */
function showEvent(event) {
  const { severity = '', ts, type, subject_id, data } = event;
  const item = element(
    'li',
    { 'data-severity': severity },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('time', { datetime: ts }, shortTime(ts)),
        element('span', { class: `badge ${severity}` }, severity || '–'),
        element('code', {}, type),
        element('span', { class: 'subject' }, subject_id),
      ),
      element('pre', {}, element('code', {}, JSON.stringify(data, null, 2))),
    ),
  );
  item.hidden = !isShown(severity);
  const list = at('events');
  list.prepend(item);
  while (list.children.length > MOST_EVENTS) list.lastChild.remove();
  if (type.startsWith('peg.depeg.')) askForDepeg();
}

const isShown = (severity) => at('severity').value === '' || at('severity').value === severity;

function showChosen() {
  for (const item of at('events').children) item.hidden = !isShown(item.dataset.severity);
}

async function lastEvent(query) {
  let [found, cursor] = [undefined, ''];
  for (let page = 0; page < MOST_PAGES; page++) {
    const since = cursor === '' ? '' : `&since_event_id=${cursor}`;
    const answer = await ask(`/v2/events/replay?limit=1000&${query}${since}`);
    found = answer?.events.at(-1) ?? found;
    cursor = answer?.next_cursor ?? '';
    if (cursor === '') return found;
  }
  return found;
}

let asking;
/** Several events in a row ask once. */
function askForDepeg() {
  clearTimeout(asking);
  asking = setTimeout(() => void showDepeg(), 300);
}

async function showDepeg() {
  const start = await lastEvent('type=peg.depeg.start');
  if (start === undefined) {
    at('depeg').replaceChildren(element('p', { class: 'type' }, 'None in the replay window of this key.'));
    return;
  }
  const subject = encodeURIComponent(start.subject_id);
  const end = await lastEvent(`type=peg.depeg.end&subject_id=${subject}`);
  const week = await ask(`/data/oracle/chainlink/${encodeURIComponent(start.data.observed_feed)}`);
  const isOver = end !== undefined && end.event_id > start.event_id;
  const days = (week?.data ?? []).filter(({ feed_address }) => feed_address === start.data.oracle_address);
  const nowMs = Date.parse(asOf ?? start.ts);
  const room = at('depeg').clientWidth;
  at('depeg').replaceChildren(depegFigure({ start, end: isOver ? end : undefined, days, nowMs, room }));
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The smallest event id of a moment: ids begin with the time of their appending. */
function idAt(ms) {
  let [time, rest] = ['', ms];
  for (let place = 0; place < 10; place++) {
    time = DIGITS[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time.padEnd(26, '0');
}

function watch() {
  stop();
  at('events').replaceChildren();
  const onState = (state, words) => {
    at('stream').className = `stream ${state}`;
    at('stream').textContent = words;
    // What is open to anybody is not to be asked for with a key that is not good.
    if (state === 'refused') key = undefined;
  };
  const since = asOf === undefined ? undefined : idAt(Date.parse(asOf) - BACK_MS);
  stop = followStream({ key, since, on: { event: showEvent, state: onState } });
  void showDepeg();
}

function takeKey(text) {
  key = text;
  sessionStorage.setItem(KEY_NAME, text);
  at('key').value = '';
  at('forget').hidden = false;
  watch();
}

function forgetKey() {
  key = undefined;
  sessionStorage.removeItem(KEY_NAME);
  stop();
  at('forget').hidden = true;
  at('stream').className = 'stream';
  at('stream').textContent = 'Not connected: no key';
}

/** A link may bring a key behind `#key=`, which no server is sent. It does not stay in the address. */
function keyOfLink() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given !== null) history.replaceState(null, '', location.pathname);
  return given;
}

at('key-form').addEventListener('submit', (submit) => {
  submit.preventDefault();
  const text = at('key').value.trim();
  if (text !== '') takeKey(text);
});
at('forget').addEventListener('click', forgetKey);
at('severity').addEventListener('change', showChosen);
key = keyOfLink() ?? sessionStorage.getItem(KEY_NAME) ?? undefined;
await askAgain();
if (key !== undefined) takeKey(key);
setInterval(() => void askAgain(), ASK_EVERY_MS);
