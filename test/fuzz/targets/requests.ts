// Parts of a request: any caller decides them.

import { isUlid, partsOf, textOfParts } from '../../../platform/base/ulid.ts';
import { isInRatio, readTraceparent } from '../../../platform/tracing/trace-context.ts';
import { bearerOf } from '../../../server/access/authenticate.ts';
import { isWellFormedKey, makeKey } from '../../../server/access/keys.ts';
import { readCursor, writeCursor } from '../../../server/data/paging/list-page.ts';
import { Failure } from '../../../server/define/failure.ts';
import { momentOf, namesIn, secondsBetween } from '../../../server/define/parameters.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { bodyChecker, inputReader } from '../../../server/http/validate.ts';
import { acceptedEncoding, encodedEtag, isMatchedBy } from '../../../server/replies/negotiate.ts';
import { readStreamRequest, streamParameters } from '../../../server/stream/handshake.ts';
import { demand, type FuzzTarget } from '../fuzz-target.ts';

const VERSION = '01JDZ0000000000000000000AB';
const CURSOR = { version: VERSION, offset: 200, filterHash: 'abcdefghijklmnopqrstuv' };
const KEY = makeKey((count) => Buffer.alloc(count, 7));
const ETAG = 'W/"abcdefghijklmnopqrstuv"';

const READERS = ENDPOINTS.map((endpoint) => ({ endpoint, read: inputReader(endpoint) }));
const BODIES = ENDPOINTS.flatMap(({ path, body }) =>
  body === undefined ? [] : [{ path, check: bodyChecker(body) }],
);

function readCursorText(text: string): void {
  const cursor = readCursor(text);
  if (cursor === undefined) return;
  demand(isUlid(cursor.version), 'a version that is not a ULID');
  demand(Number.isSafeInteger(cursor.offset), 'an offset that is not a whole number');
  const again = readCursor(writeCursor(cursor));
  demand(JSON.stringify(again) === JSON.stringify(cursor), 'another cursor when written again');
}

function readInstant(text: string): void {
  const moment = momentOf('as_of', text);
  if (moment?.as_of !== undefined)
    demand(!Number.isNaN(Date.parse(moment.as_of)), `an instant that is none: ${moment.as_of}`);
  const [from, to] = text.split('/', 2);
  const { from: first, to: last } = secondsBetween({ from, to });
  demand(first === undefined || last === undefined || first <= last, 'a range that ends before it begins');
}

function readUlid(text: string): void {
  if (isUlid(text))
    demand(textOfParts(partsOf(text)) === text.toUpperCase(), 'another ULID when written again');
}

/** Each line is a parameter of each endpoint that has it. */
function readQueries(text: string): void {
  for (const { endpoint, read } of READERS) {
    const names = Object.keys(endpoint.query.properties);
    if (names.length === 0 || !names.some((name) => text.includes(name))) continue;
    try {
      read.query(text);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      demand(error.code === 'validation_failed', `a query is refused with ${error.code}`);
    }
  }
}

function readBodies(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  for (const { check } of BODIES) {
    try {
      check(value);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      demand(JSON.stringify(error.details).length < 65_536, 'an error of more than 64 KiB');
    }
  }
}

const from = 'any caller';
const refuses = [Failure];
const QUERY_NAMES = [...new Set(ENDPOINTS.flatMap(({ query }) => Object.keys(query.properties)))];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'requests/cursor',
    from,
    seeds: [writeCursor(CURSOR)],
    refuses,
    // Mutations of the encoded text seldom have the form, so the plain text is tried as well.
    run: (input) => {
      readCursorText(input.toString());
      readCursorText(input.toString('base64url'));
      readUlid(input.toString('latin1'));
    },
    tokens: [`${VERSION}.200.${CURSOR.filterHash}`],
  },
  {
    name: 'requests/authorization',
    from,
    seeds: [`Bearer ${KEY}`, KEY, 'Basic YTpi'],
    refuses,
    run: (input) => {
      const header = input.toString('latin1');
      const token = bearerOf(header);
      demand(token === undefined || header.includes(token), 'a token that the header does not have');
      const isKey = isWellFormedKey(header);
      demand(!isKey || /^rk_live_[0-9A-Za-z]{38}$/.test(header), 'a key of another form');
    },
  },
  {
    name: 'requests/negotiation',
    from,
    seeds: ['gzip, br;q=0.5, *;q=0', 'identity;q=0', `${ETAG}, W/"x"`, '*', encodedEtag('"a"', 'br')],
    tokens: ['gzip', 'br', 'identity', ';q=', '*', ETAG, 'W/'],
    refuses,
    run: (input) => {
      const header = input.toString('latin1');
      demand(['identity', 'gzip', 'br'].includes(acceptedEncoding(header)), 'an unknown encoding');
      isMatchedBy(header, ETAG);
    },
  },
  {
    name: 'requests/traceparent',
    from,
    seeds: [
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x',
    ],
    refuses,
    run: (input) => {
      const parent = readTraceparent(input.toString('latin1'));
      if (parent === undefined) return;
      demand(/^[0-9a-f]{32}$/.test(parent.traceId) && /^[0-9a-f]{16}$/.test(parent.spanId), 'other ids');
      isInRatio(parent.traceId, 0.5);
    },
  },
  {
    name: 'requests/instants',
    from,
    seeds: ['2026-01-31T09:00:00Z', '1767225600', VERSION, '2026-01-31/2026-02-01T00:00:00.5Z', '2024-02-29'],
    refuses,
    run: (input) => readInstant(input.toString()),
  },
  {
    name: 'requests/names',
    from,
    seeds: ['a,b', 'Ethereum, base'],
    refuses,
    run: (input) => {
      const names = namesIn('chain', input.toString());
      demand(names === undefined || !names.has(''), 'an empty name');
    },
  },
  {
    name: 'requests/query',
    from,
    seeds: [
      'limit=10&cursor=x&as_of=2026-01-31T09:00:00Z',
      'chain=ethereum&from=2026-01-01&to=1767225600',
      'format=csv',
    ],
    tokens: [...QUERY_NAMES.map((name) => `${name}=`), '&', '%', '+', '%F0%9F%92%A5'],
    refuses,
    maxBytes: 2_048,
    operations: (bytes) => 2_000_000 + 20_000 * bytes,
    run: (input) => readQueries(input.toString()),
  },
  {
    name: 'requests/body',
    from,
    seeds: [
      '{"url":"https://example.com/hook","types":["oracle.stale"],"filters":{"chain":"ethereum"}}',
      '{"positions":[{"asset":"eth","amount":"1.5"}],"horizon_hours":24}',
      '{"shocks":[{"kind":"price","subject":"ETH","change_pct":-30}],"hours":12,"seed":1}',
    ],
    refuses,
    maxBytes: 16_384,
    operations: (bytes) => 500_000 + 20_000 * bytes,
    run: (input) => readBodies(input.toString()),
  },
  {
    name: 'requests/stream',
    from,
    seeds: [
      `/v2/ws/risk-events?types=oracle.stale&severity=high&since_event_id=${VERSION}&control=1`,
      '/v2/ws/risk-events?subject_id=0xAB&chain=Base&protocol=x',
    ],
    refuses,
    run: (input) => {
      const { after } = readStreamRequest(streamParameters(input.toString('latin1')), {
        days: 30,
        fromMs: 1.7e12,
      });
      demand(after === undefined || isUlid(after), 'a start that is not an id');
    },
  },
];
