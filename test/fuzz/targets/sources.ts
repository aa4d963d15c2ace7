// Responses of public services and repositories: whoever runs them, or is between them and us, decides the bytes.
import { commitsIn, releasesIn } from '../../../jobs/sources/live/git/git-reader.ts';
import { GitFault } from '../../../jobs/sources/live/git/run-git.ts';
import { destinationOf, ReceivedBody } from '../../../jobs/sources/live/http/exchange.ts';
import { judgeResponse } from '../../../jobs/sources/live/http/judge-response.ts';
import { NetFault } from '../../../jobs/sources/live/http/net-fault.ts';
import { openPager } from '../../../jobs/sources/live/http/pager.ts';
import { recordsOf } from '../../../jobs/sources/live/http/records-of.ts';
import { demand, type FuzzTarget } from '../fuzz-target.ts';

type Mapping = Parameters<typeof recordsOf>[1];
const mapping = (more: Partial<Mapping>): Mapping =>
  ({ format: 'json', records: '', columns: null, has_entries: false, delimiter: null, ...more }) as Mapping;

const MAPPINGS: readonly Mapping[] = [
  mapping({}),
  mapping({ records: 'data.rows' }),
  mapping({ records: 'data.rows', columns: 'data.names' }),
  mapping({ records: 'data', has_entries: true }),
  mapping({ format: 'ndjson' }),
  mapping({ format: 'csv' }),
];

function readRecords(body: Buffer): void {
  for (const one of MAPPINGS) {
    try {
      demand(Array.isArray(recordsOf(body, one).records), 'records that are no list');
    } catch (error) {
      if (!(error instanceof NetFault)) throw error;
    }
  }
}

/** A status line, headers, an empty line and a body. */
function responseOf(input: Buffer) {
  const end = input.indexOf('\n\n');
  const [status = '', ...lines] = input.toString('utf8', 0, end === -1 ? input.length : end).split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')];
    }),
  );
  const body = new ReceivedBody([input.subarray(end === -1 ? input.length : end + 2)]);
  return { status: Number(status) || 200, headers, body };
}

function judge(input: Buffer): void {
  const response = responseOf(input) as unknown as Parameters<typeof judgeResponse>[0];
  for (const protocol of ['plain', 'graphql', 'json_rpc'] as const) {
    const judged = judgeResponse(response, { format: 'json', protocol, isExact: true }, 1_700_000_000_000);
    if (!(judged instanceof NetFault)) continue;
    demand(judged.message.length < 2_000, 'a message of more than 2,000 characters');
    const wait = judged.retryAfterMs;
    demand(wait === null || (wait >= 0 && wait <= 86_400_000), `a wait of ${wait} ms`);
  }
}

const RULES = [
  { kind: 'page', first: 1, size: 2, max_pages: 3 },
  { kind: 'offset', size: 2, total: 'total', max_pages: 3 },
  { kind: 'cursor', next: 'next', max_pages: 3 },
  { kind: 'keyset', field: 'id', order: 'asc', size: 2, max_pages: 3 },
  { kind: 'keyset', field: 'id', order: 'desc', time: 'at', max_pages: 3 },
  { kind: 'keyset', field: 'id', order: 'desc', clock: { starts_at: 0, step_s: 12 }, max_pages: 3 },
  { kind: 'link', max_pages: 3 },
] as const;

/** Each line is the document of a page; the first is its Link header. */
function walkPages(input: Buffer): void {
  const [link = '', ...documents] = input.toString().split('\n');
  for (const rules of RULES) {
    const pager = openPager(rules as Parameters<typeof openPager>[0], { key: '0', since: 0, until: 1_000 });
    try {
      for (const [n, text] of documents.entries()) {
        const document = JSON.parse(text) as { readonly rows?: unknown };
        const records = Array.isArray(document?.rows) ? document.rows : [];
        const page = { records, document, headers: { link }, url: 'https://a.example/x', sha256: `${n}` };
        const next = pager.after(page);
        if (next === null) break;
        demand(next.url === undefined || next.url.startsWith('https://a.example/'), `leads to ${next.url}`);
      }
    } catch (error) {
      if (!(error instanceof NetFault || error instanceof SyntaxError)) throw error;
    }
  }
}

const PLAN = {
  repository: 'a/b',
  url: 'https://a.example/b',
  copy: '/tmp/b',
  since: 0,
  pseudonymKey: 'k',
  path: '',
} as const;
/** A commit as git prints it. Git ends every value at a NUL, so the values of an author have none. */
const commitLog = (email: string, name: string) =>
  ['', 'a'.repeat(40), email, name, '1700000000', 'b'.repeat(40), '\n3\t1\tfile.txt\n-\t-\tz.bin\n'].join(
    '\0',
  );
const withoutNul = (text: string) => text.replaceAll('\0', '');

/** The address and the name of an author; the names and addresses of taggers. */
function readGitOutput(text: string): void {
  const [email = '', name = ''] = withoutNul(text).split('\n');
  const commits = commitsIn(commitLog(email, name) + commitLog('x@y.example', 'Name'), PLAN);
  demand(
    commits.length === 2 && commits.every(({ commit_id }) => commit_id === 'a'.repeat(40)),
    'forged commits',
  );
  for (const { author } of commits)
    demand(/^[0-9a-f]{32}$/.test(author), 'an author that is not a pseudonym');
  try {
    commitsIn(text, PLAN);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
  }
  releasesIn(text, PLAN);
}

const from = 'a public service';

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'sources/records',
    from,
    seeds: [
      '[{"id":1,"v":1e400}]',
      '{"data":{"rows":[[1,2]],"names":["a","b"]}}',
      '{"data":{"x":{"a":1},"y":2}}',
      'a,b\n1,2\n',
      '{"a":1}\n{"a":2}\n',
    ],
    refuses: [NetFault],
    operations: (bytes) => 50_000 + 3_000 * bytes,
    run: readRecords,
  },
  {
    name: 'sources/response',
    from,
    seeds: [
      '200\ncontent-type: application/json\n\n{"jsonrpc":"2.0","id":1,"result":"0x1"}',
      '200\n\n{"errors":[{"message":"rate limit"}]}',
      '200\n\n{"errors":[{"message":{"toString":1}}],"error":{"code":{"valueOf":1}}}',
      '200\n\n[{"error":{"code":-32005,"message":"block range too large"}}]',
      '429\nretry-after: 30\n\nslow down',
      '403\nx-ratelimit-remaining: 0\nx-ratelimit-reset: 1700000100\n\n',
      '502\ncontent-type: text/html\n\n<html>',
    ],
    refuses: [NetFault],
    run: judge,
  },
  {
    name: 'sources/pages',
    from,
    seeds: [
      '<https://a.example/2>; rel="next"\n{"rows":[{"id":1,"at":5},{"id":2,"at":6}],"total":4,"next":"c"}\n{"rows":[]}',
      '<//b.example>; rel=next, <x>; rel="prev last"\n{"rows":[{"id":9}]}',
    ],
    refuses: [NetFault],
    run: walkPages,
  },
  {
    name: 'sources/redirect',
    from,
    seeds: ['https://b.example/x', '/y', 'http://a.example', '//b', 'javascript:1'],
    refuses: [NetFault],
    run: (input) => {
      const { url, isTrusted } = destinationOf(input.toString('latin1'), 'https://a.example/x', 'redirect');
      demand(url.protocol === 'https:', `leads to ${url.protocol}`);
      demand(!isTrusted || url.host === 'a.example', `trusts ${url.host}`);
    },
  },
  {
    name: 'sources/git',
    from: 'authors of commits and tags',
    seeds: [
      'x@y.example\nName',
      commitLog('x@y.example', 'Name'),
      'v1\u00001700000000\0t@y.example\0Tagger\n',
    ],
    tokens: ['\0', '\t', '[bot]', '%x00', '\u001e', '\u001f'],
    refuses: [],
    run: (input) => readGitOutput(input.toString()),
  },
];
