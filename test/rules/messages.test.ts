// Every message that can reach a person is a sentence that begins with a capital or with the name of the thing, and ends with a full stop; it
// holds no stack, no class name and no bare code. Parts of messages, which another sentence introduces, need only the full stop.
import { describe, expect, test } from 'vitest';
import { ERROR_PAGES } from '../../schemas/error-pages.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { PROGRAMS } from '../docs/programs.ts';
import { lineOf, PRODUCT_FOLDERS, type SyntaxNode, sourceFiles, syntaxTree, walk } from './source-tree.ts';

type Form = 'sentence' | 'part';

/** Which argument of an error's constructor is its message, and whether it stands alone. Other classes make their messages themselves. */
const CLASSES: { readonly [name: string]: readonly [argument: number, form: Form] } = {
  ...Object.fromEntries(
    [
      'Error RangeError TypeError EngineError DamagedWarehouseError WarehouseLostError WarehouseBusyError',
      'UsageError FolderError FailingDiskError InstanceRunningError SourcesError TimeAheadError DisagreementError',
      'FetchingEndedError DatabaseRefusedError S3SettingsError RefusedInputError UnsupportedFormatError',
      'StaleTermError StaleWriterError OutputClosedError StoreUnavailableError StoreConflictError UnreadableLogError',
    ].flatMap((line) => line.split(' ').map((name) => [name, [0, 'sentence']] as const)),
  ),
  Failure: [1, 'sentence'],
  StoreError: [1, 'sentence'],
  /** A recording says which source they are about. */
  ChainFault: [1, 'part'],
  NetFault: [1, 'part'],
  GitFault: [0, 'part'],
};

/** Files whose errors never leave the program as they are: each is the reason in another message, or only ends a wait. */
const WITHIN = new Set([
  'jobs/pipeline/models/load-models.ts',
  'jobs/ingest/receipts/receipt.ts',
  'server/webhooks/send.ts',
]);

/** Expressions that are sentences themselves, or commands to copy, after which a full stop would be in the way. */
const ENDS_ITSELF =
  /^(sentence|futureText|noSuch\w+|noThreshold|unknownScope|backOr|adviceOf|adviceFor|commandWith|String|JSON\.stringify|firstLineOf|lineAt)\(|commandFor\(|^(message|todo|way|hint|remedy|ofDisk|problem|keys|text|reasons)$|(\.|^)(message|problem)$|MESSAGE|NOTHING|#lastFailure/;

interface Message {
  readonly where: string;
  readonly text: string;
  readonly form: Form;
}

const HOLE = '⟨';

/** The texts that an expression can have; `⟨source⟩` in place of what is filled in. */
function textsOf(node: SyntaxNode, source: string): readonly string[] {
  const hole = `${HOLE}${source.slice(node.start, node.end)}⟩`;
  const of = (child: unknown) => textsOf(child as SyntaxNode, source);
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? [node['value']] : [hole];
    case 'ConditionalExpression':
      return [...of(node['consequent']), ...of(node['alternate'])];
    case 'BinaryExpression':
      return of(node['left']).flatMap((left) => of(node['right']).map((right) => `${left}${right}`));
    case 'TemplateLiteral': {
      const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
      const holes = node['expressions'] as readonly SyntaxNode[];
      return quasis.reduce<readonly string[]>(
        (texts, { value }, index) => {
          const hole = holes[index];
          const filled =
            hole === undefined
              ? ['']
              : isChoice(hole)
                ? of(hole)
                : [`${HOLE}${source.slice(hole.start, hole.end)}⟩`];
          return texts.flatMap((text) => filled.map((one) => `${text}${value.cooked}${one}`));
        },
        [''],
      );
    }
    default:
      return [hole];
  }
}

const isChoice = ({ type }: SyntaxNode) => type === 'ConditionalExpression';

function messagesIn(): readonly Message[] {
  const messages: Message[] = [];
  for (const file of sourceFiles(PRODUCT_FOLDERS, '.ts').filter(({ path }) => !WITHIN.has(path)))
    walk(syntaxTree(file), (node) => {
      if (node.type !== 'NewExpression') return;
      const { name } = node['callee'] as unknown as { readonly name?: string };
      const [argument, form] = CLASSES[name ?? ''] ?? [];
      const given = (node['arguments'] as readonly SyntaxNode[])[argument ?? -1];
      if (given === undefined || form === undefined) return;
      const where = `${file.path}:${lineOf(file.text, node.start)}`;
      for (const text of textsOf(given, file.text)) messages.push({ where, text, form });
    });
  return messages;
}

const COMMANDS = PROGRAMS.flatMap(({ commands }) => Object.keys(commands));

/** A capital, a digit, something in quotes or filled in, a flag, or a name as it is written: `tick_cron`, `event.x.sql`, `fetch: …`. */
const beginsRight = (text: string): boolean =>
  /^([A-Z0-9"'`“@⟨(]|--|[a-z]+[_./][\w./]*)/.test(text) ||
  COMMANDS.some((name) => text.startsWith(`${name}: `));

function endsRight(text: string): boolean {
  // What follows on a line of its own is quoted: a statement, a list.
  const [first = '', ...more] = text.split('\n');
  const end = more.length === 0 ? text : first;
  if (/[.?…:]$/.test(end)) return true;
  const [, filled] = /⟨((?:[^⟨⟩])*)⟩$/.exec(end) ?? [];
  return filled !== undefined && ENDS_ITSELF.test(filled);
}

function faultsOf({ where, text, form }: Message): readonly string[] {
  const whole = /^⟨[^⟨⟩]*⟩$/.test(text);
  const faults = [
    ...(whole || form === 'part' || beginsRight(text)
      ? []
      : ['begin it with a capital, or with the name of the thing in quotes']),
    ...(whole || endsRight(text) ? [] : ['end it with a full stop']),
    ...(/^invalid \w+\.?$/i.test(text) ? ['say what is wrong, and what is expected'] : []),
    ...(/\b[A-Z]\w+(Error|Exception)\b|\bat \w+ \(/.test(text.replaceAll(/⟨[^⟨⟩]*⟩/g, ''))
      ? ['leave out classes and stacks']
      : []),
    ...(/^[A-Z][A-Z_]*\.?$/.test(text) ? ['a code alone is no message'] : []),
  ];
  return faults.map((fault) => `${where} “${text}”: ${fault}`);
}

describe('messages of errors', () => {
  const messages = messagesIn();

  test('are sentences', () => {
    expect(messages.length).toBeGreaterThan(400);
    expect(messages.flatMap(faultsOf)).toEqual([]);
  });

  test.each([
    ['no such table', 'sentence', 2],
    ['No such table.', 'sentence', 0],
    ['⟨file⟩ is empty.', 'sentence', 0],
    ['⟨file⟩ is ⟨size⟩', 'sentence', 1],
    ['fetch: give a source.', 'sentence', 0],
    ['the body is not JSON.', 'part', 0],
    ['Invalid cursor.', 'sentence', 1],
    ['TIMEOUT', 'sentence', 2],
    ['A TypeError was thrown.', 'sentence', 1],
  ] as const)('“%s” as a %s has %i faults', (text, form, count) => {
    expect(faultsOf({ where: '', text, form })).toHaveLength(count);
  });
});

test('the catalogue of errors and its pages speak in sentences', () => {
  const messages = Object.entries(ERRORS).map(([code, { message }]) => ({ where: code, text: message }));
  const pages = Object.entries(ERROR_PAGES).flatMap(([where, { meaning, remedy }]) =>
    [meaning, remedy].map((text) => ({ where, text })),
  );
  const faults = [...messages, ...pages].flatMap((one) => faultsOf({ ...one, form: 'sentence' }));
  // Named by the interface: it begins with the name of the parameter.
  expect(faults.filter((fault) => !fault.startsWith('INVALID_EVENT_TYPE “type is not'))).toEqual([]);
});
