// The live page: loads the status four times a minute, follows the stream with the user's key, draws the latest depeg.
import { depegFigure } from '/watch/chart.js';
import { element } from '/watch/elements.js';
import { clearEvents, showEvent } from '/watch/events.js';
import { showCompleteness, showStatus, showTrouble } from '/watch/overview.js';
import { followStream } from '/watch/stream.js';

const ASK_EVERY_MS = 15_000;
/** Before anything is published: at most half the limit of an address without a key. */
const ASK_SOON_MS = 5_000;
const BACK_MS = 86_400_000;
const KEY_NAME = 'api-key';
const MAX_PAGES = 20;

const at = (id) => document.getElementById(id);
let stream = { stop() {}, now() {} };
let isInTrouble = false;
let key;
let asOf;

/** Throws with a message for the user. */
async function ask(path) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const answer = await fetch(path, { headers }).catch((cause) => {
    throw new Error('The service does not respond', { cause });
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  throw new Error((error?.message ?? `The service returned status ${answer.status}`).replace(/\.$/, ''));
}

let nextTime;

async function askAgain() {
  clearTimeout(nextTime);
  let pauseMs = ASK_SOON_MS;
  try {
    const status = await ask('/v1/status');
    asOf = status.as_of ?? undefined;
    showStatus(status);
    // No delay after a reconnection.
    if (isInTrouble) stream.now();
    isInTrouble = false;
    if (status.version !== null) {
      showCompleteness((await ask('/v2/data-manifest')).data);
      pauseMs = ASK_EVERY_MS;
    }
  } catch (error) {
    isInTrouble = true;
    showTrouble(error.message);
  }
  clearTimeout(nextTime);
  nextTime = setTimeout(askAgain, pauseMs);
}

async function lastEvent(query) {
  let [found, cursor] = [undefined, ''];
  for (let page = 0; page < MAX_PAGES; page++) {
    const since = cursor === '' ? '' : `&since_event_id=${cursor}`;
    const answer = await ask(`/v2/events/replay?limit=1000&${query}${since}`);
    found = answer.events.at(-1) ?? found;
    cursor = answer.next_cursor;
    if (cursor === '') return found;
  }
  return found;
}

let asking;
/** Several events in a row cause one request. */
function askForDepeg() {
  clearTimeout(asking);
  asking = setTimeout(() => void showDepeg(), 300);
}

const sayOfDepeg = (words) => at('depeg').replaceChildren(element('p', { class: 'type' }, words));

async function showDepeg() {
  const keyThen = key;
  try {
    const figure = await latestDepeg();
    if (key !== keyThen) return;
    if (figure === undefined) sayOfDepeg('None in the replay window of this key.');
    else at('depeg').replaceChildren(figure);
  } catch (error) {
    if (key === keyThen) sayOfDepeg(`${error.message}.`);
  }
}

async function latestDepeg() {
  const start = await lastEvent('type=peg.depeg.start');
  if (start === undefined) return undefined;
  const subject = encodeURIComponent(start.subject_id);
  const end = await lastEvent(`type=peg.depeg.end&subject_id=${subject}`);
  const pair = encodeURIComponent(start.data.observed_feed);
  // Without daily data of its pair it is drawn from the events only.
  const week = await ask(`/data/oracle/chainlink/${pair}`).catch(() => ({ data: [] }));
  const isOver = end !== undefined && end.event_id > start.event_id;
  const days = week.data.filter(({ feed_address }) => feed_address === start.data.oracle_address);
  const nowMs = Date.parse(asOf ?? start.ts);
  const room = at('depeg').clientWidth;
  return depegFigure({ start, end: isOver ? end : undefined, days, nowMs, room });
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The smallest event id of an instant: ids begin with the time of appending. */
function idAt(ms) {
  let [time, rest] = ['', ms];
  for (let place = 0; place < 10; place++) {
    time = DIGITS[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time.padEnd(26, '0');
}

function showConnection(state, words) {
  at('stream').className = `stream ${state}`;
  at('stream').textContent = words;
}

function onState(state, words) {
  showConnection(state, words);
  if (state === 'refused') {
    // Open endpoints are not requested with an invalid key.
    key = undefined;
    forgetWhatItShowed();
  }
  // The service became unavailable or available again: published data may have changed.
  if (state !== 'connecting') void askAgain();
}

function onEvent(event) {
  showEvent(event);
  if (event.type.startsWith('peg.depeg.')) askForDepeg();
}

function watch() {
  stream.stop();
  clearEvents(true);
  const since = asOf === undefined ? undefined : idAt(Date.parse(asOf) - BACK_MS);
  stream = followStream({ key, since, on: { event: onEvent, state: onState } });
  void showDepeg();
}

function showKeyForm(isWanted) {
  at('key-form').hidden = !isWanted;
  at('forget').hidden = isWanted;
}

function takeKey(text) {
  key = text;
  sessionStorage.setItem(KEY_NAME, text);
  at('key').value = '';
  showKeyForm(false);
  watch();
}

function forgetKey() {
  key = undefined;
  sessionStorage.removeItem(KEY_NAME);
  stream.stop();
  forgetWhatItShowed();
  showConnection('', 'Not connected: no key');
}

function forgetWhatItShowed() {
  clearEvents(false);
  sayOfDepeg('Enter a key to see it.');
  showKeyForm(true);
}

/** A link may contain a key in `#key=`, which is never sent to a server. It is removed from the address. */
function keyOfLink() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given !== null) history.replaceState(null, '', location.pathname);
  return given;
}

at('key-form').addEventListener('submit', (submit) => {
  submit.preventDefault();
  const text = at('key').value.trim();
  if (text === '') return;
  takeKey(text);
  at('forget').focus();
});
at('forget').addEventListener('click', () => {
  forgetKey();
  at('key').focus();
});
addEventListener('hashchange', () => {
  const given = keyOfLink();
  if (given !== null) takeKey(given);
});
const known = keyOfLink() ?? sessionStorage.getItem(KEY_NAME);
await askAgain();
if (known !== null) takeKey(known);
