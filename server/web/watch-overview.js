// Published data: the state of the service, coverage, and datasets. Ages advance between responses.
import { badge, distance, element, shortTime, showAges } from '/watch/elements.js';

const AGES_EVERY_MS = 5_000;

const at = (id) => document.getElementById(id);
/** Milliseconds by which the service's clock is ahead of this one. */
let aheadMs = 0;

/** `status`: the response of `/v1/status`. */
export function showStatus(status) {
  if (status.as_of !== null) aheadMs = Date.parse(status.as_of) + status.age_seconds * 1_000 - Date.now();
  at('state').replaceChildren(badge(status.status), status.version === null ? ` ${EMPTY}` : '');
  at('version').replaceChildren(...(status.version === null ? [] : versionWords(status)));
  at('notices').hidden = status.notices.length === 0;
  at('notices').replaceChildren(
    ...status.notices.map((notice) => element('li', {}, `${shortTime(notice.at)} UTC ${notice.message}`)),
  );
  const rows = Object.entries(status.datasets).map(([id, dataset]) => datasetRow(id, dataset));
  at('datasets').tBodies[0].replaceChildren(...rows);
  at('datasets').hidden = rows.length === 0;
  at('no-datasets').hidden = rows.length > 0;
  showNow();
}

const EMPTY = 'Nothing has been published yet. The first version will appear here.';

const versionWords = ({ version, as_of }) => [
  `Data as of ${shortTime(as_of)} UTC, `,
  distance(as_of, 'age'),
  `. Version ${version}.`,
];

/** Keeps what is shown, and its age. */
export function showTrouble(words) {
  at('state').replaceChildren(
    badge('waiting'),
    ` ${words}; trying again. What is shown is what was known before.`,
  );
}

function datasetRow(id, { freshness, documents, quality_gate }) {
  const cells = [
    element('a', { href: `/v2/datasets/${id}` }, id),
    badge(freshness.status),
    documents.toLocaleString('en'),
    distance(freshness.computed_at, 'age'),
    distance(freshness.next_update_at, 'due'),
    badge(quality_gate),
  ];
  return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
}

/** `data` of the manifest. */
export function showCompleteness({ markets, feeds, vaults }) {
  const figures = [
    ['Feeds complete', feeds.complete, feeds.total],
    ['Feeds with history', feeds.with_history, feeds.total],
    ['Markets fresh', markets.fresh, markets.total],
    ['Markets stale', markets.stale, markets.total],
    ['Markets unverifiable or unknown', markets.unverifiable + markets.unknown, markets.total],
    ['Vaults with governance', vaults.governance_indexed, vaults.total],
  ];
  at('completeness').replaceChildren(...figures.map(figureOf));
}

const figureOf = ([name, count, total]) =>
  element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, count.toLocaleString('en'), element('small', {}, ` of ${total.toLocaleString('en')}`)),
  );

const showNow = () => showAges(Date.now() + aheadMs);
setInterval(showNow, AGES_EVERY_MS);
