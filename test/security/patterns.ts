// Whether a hostile text can make a pattern slow: `npm run test:patterns`. Every regular expression of the product is judged by recheck, which
// comes from npm's registry into a folder of this run. One that is not proven linear must be in BOUNDED, with what bounds its text.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineOf, PRODUCT_FOLDERS, sourceFiles, syntaxTree, walk } from '../rules/source-tree.ts';

const PACKAGE = 'recheck@4.5.0';
const TIMEOUT_MS = 60_000;

const OWN_SQL = 'SQL of our own models, read once when they are loaded';
const OWN_SOURCE = 'files of this project, read once when the server starts';
const OPERATOR = 'settings of the operator, read once when a program starts';
const DIGITS = 'the digits of one 256-bit number, at most 78';
const OWN_TEXT = 'names and texts of this project';
/** The tool does not end, or sees repetition in texts that are short. Linear: each alternative begins with a fixed word that its repetition cannot contain. */
const FIXED_WORDS =
  'alternatives that begin with fixed words, which the repetition after them cannot contain';

/** By the file that has them: the parts of patterns that are not proven linear, and why that does no harm. */
const BOUNDED: readonly (readonly [file: string, pattern: string, bound: string])[] = [
  ['jobs/app/placement.ts', '\\s*[:=]\\s*', OPERATOR],
  ['jobs/engine/exact.ts', 'exact_decimal', OWN_SQL],
  ['jobs/engine/exact.ts', '[(),]', OWN_SQL],
  ['jobs/engine/parameters.ts', '@([A-Za-z_]', OWN_SQL],
  ['jobs/engine/parameters.ts', '|\\s)+', OWN_SQL],
  ['jobs/families/lending/decode-log.ts', '0{56}$', 'one word of a log, 64 characters'],
  ['jobs/families/oracle-paths/oracle-arithmetic.ts', '0+$', DIGITS],
  ['jobs/sources/live/evm/hex.ts', '0+$', DIGITS],
  ['jobs/ingest/check/checks.ts', '\\[[^\\]^]', 'text forms of our own schemas'],
  [
    'jobs/ingest/read/reading-error.ts',
    '^IO Error',
    'an error of the engine about a file that the operator named',
  ],
  ['jobs/pipeline/models/load-models.ts', 'kind|grain', OWN_SQL],
  ['jobs/pipeline/publish/daily-rows.ts', ' (asc|desc)', OWN_SQL],
  ['jobs/pipeline/publish/documents.ts', ' (asc|desc)', OWN_SQL],
  ['jobs/sources/demo/scenario/feeds.ts', ' \\(.*\\)$', OWN_TEXT],
  ['jobs/sources/live/evm/rpc.ts', 'beyond current head', FIXED_WORDS],
  ['jobs/sources/live/evm/rpc.ts', 'block.?range', FIXED_WORDS],
  ['jobs/sources/live/evm/rpc.ts', 'up to an?', FIXED_WORDS],
  ['jobs/sources/live/http/judge-response.ts', 'block.?range', FIXED_WORDS],
  ['platform/base/secrets.ts', '^[\\x20-\\x7e]+:', OPERATOR],
  ['packages/client/src/client.ts', '\\/+$', 'the address that the user of the client names'],
  ['platform/command-line/command-for.ts', 'the command', OWN_TEXT],
  ['platform/settings/setting-layers.ts', 'export', OPERATOR],
  ['server/data/pinned-files.ts', '\\/+$', OPERATOR],
  ['server/http/service-links.ts', '\\/+$', OPERATOR],
  ['server/descriptors/dataset-descriptors.ts', '[^_]+$', OWN_TEXT],
  ['server/openapi/typescript-types.ts', '\\s*\\n', OWN_SOURCE],
  ['server/replies/rule-meanings.ts', 'inality', OWN_TEXT],
  ['server/stream/connection.ts', '\u{fffd}+$', 'the reason of a close frame, at most 123 bytes'],
  ['server/web/assets.ts', '[ \\t]', OWN_SOURCE],
  ['server/web/assets.ts', '\\/\\*(?:', OWN_SOURCE],
  ['server/web/browser/api.ts', '\\/v2\\/datasets', 'addresses that the page itself requests'],
  ['server/web/docs-page.ts', '<[^>]*>', OWN_SOURCE],
  ['server/web/link-scripts.ts', 'import', OWN_SOURCE],
  ['server/web/link-scripts.ts', 'export', OWN_SOURCE],
  ['server/web/link-scripts.ts', '\\s+as\\s+', OWN_SOURCE],
  ['server/web/request-samples.ts', 'true|false|null', OWN_SOURCE],
  ['server/webhooks/messages/answers.ts', 'channel_not_found', FIXED_WORDS],
  ['snapshots/gc.ts', '\\.index$', 'one name of a file, at most 255 bytes'],
  ['snapshots/segment-index/scan-event.ts', 'retracts_event_id', 'one event of our own log'],
];

interface Judgement {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
}
type CheckPattern = (source: string, flags: string, options: { readonly timeout: number }) => Judgement;

/** The judge, installed into a folder. */
function recheck(folder: string): CheckPattern {
  const args = ['install', '--no-audit', '--no-fund', '--omit=optional', '--prefix', folder, PACKAGE];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.env['RECHECK_BACKEND'] = 'pure';
  const loaded = createRequire(join(folder, 'package.json'))('recheck') as {
    readonly checkSync: CheckPattern;
  };
  return loaded.checkSync;
}

interface Pattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

function patternsOf(): readonly Pattern[] {
  const found: Pattern[] = [];
  for (const file of sourceFiles([...PRODUCT_FOLDERS, 'packages'], '.ts'))
    walk(syntaxTree(file), (node) => {
      const regex = node['regex'] as { readonly pattern: string; readonly flags: string } | undefined;
      if (node.type !== 'Literal' || regex === undefined) return;
      const line = lineOf(file.text, node.start);
      found.push({ file: file.path, line, source: regex.pattern, flags: regex.flags });
    });
  return found;
}

/** Reports what is neither bounded nor proven linear, and bounds of patterns that are not there. */
function judge(check: CheckPattern): readonly string[] {
  const known = new Map<string, Judgement['status']>();
  const used = new Set<(typeof BOUNDED)[number]>();
  const problems: string[] = [];
  const patterns = patternsOf();
  for (const { file, line, source, flags } of patterns) {
    const bound = BOUNDED.find(([path, part]) => path === file && source.includes(part));
    if (bound !== undefined) {
      used.add(bound);
      continue;
    }
    const key = `/${source}/${flags}`;
    const status = known.get(key) ?? check(source, flags, { timeout: TIMEOUT_MS }).status;
    known.set(key, status);
    if (status !== 'safe') problems.push(`${file}:${line} is not proven linear: ${key}`);
  }
  for (const bound of BOUNDED)
    if (!used.has(bound)) problems.push(`${bound[0]} has no such pattern: ${bound[1]}`);
  console.info(
    `${patterns.length} patterns: ${known.size} different ones, ${used.size} bounded by their text.`,
  );
  return problems;
}

const folder = mkdtempSync(join(tmpdir(), 'patterns-'));
try {
  const problems = judge(recheck(folder));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
