// Modules bundled into files behave as they do separately: each runs once, after its imports, and sees only what it imports.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { link, moduleOf } from '../../../server/web/link-scripts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const modulesOf = (texts: Readonly<Record<string, string>>) =>
  new Map(Object.entries(texts).map(([name, text]) => [name, moduleOf(text)]));

const MODULES = modulesOf({
  'two-words':
    "export let count = 0;\nexport function grow() { return (count += 1); }\nexport class Thing {}\nglobalThis.order.push('two-words');\n",
  other: "const count = 'own';\nexport default count;\nglobalThis.order.push('other');\n",
  minified: 'const a=1,b=2;export{a as one,b};',
  left: "import { grow } from './two-words.ts';\nexport const left = grow();\nexport async function later() { return left; }\n",
  right:
    "import { grow as more } from './two-words.ts';\nimport own from 'other';\nimport {\none,\nb,\n} from './minified.ts';\nexport const right = [more(), own, one + b];\n",
});

test('a module of this folder can be imported when it is needed, from a file that is loaded with no page', () => {
  const modules = modulesOf({
    page: "export const open = () => Promise.all([\nimport('./late.ts'),\n]);\n",
    late: 'export const late = 7;\n',
  });
  const onDemand = new Map([['late', 'late.mjs']]);
  const page = link(['page'], modules, { before: new Map(), isShared: false, onDemand });
  expect([page.imports, page.later]).toEqual([[], ['late.mjs']]);
  expect(page.text).toContain("import('./late.mjs').then((file) => file.$late)");
  expect(() => link(['page'], modules, { before: new Map(), isShared: false })).toThrow('no file has it');
});

test('each module runs once, in files that share modules', async () => {
  const before = new Map<string, ReadonlySet<string>>();
  const shared = link(['left'], MODULES, { before, isShared: true });
  before.set('shared.mjs', shared.modules);
  const page = link(['right', 'left'], MODULES, { before, isShared: true });
  expect(shared.imports).toEqual([]);
  expect(page.imports).toEqual(['shared.mjs']);
  expect([...page.modules].sort()).toEqual(['minified', 'other', 'right']);

  const folder = temporaryFolder('linked');
  writeFileSync(join(folder, 'shared.mjs'), shared.text);
  writeFileSync(join(folder, 'page.mjs'), page.text);
  const order: string[] = [];
  Object.assign(globalThis, { order });
  const { $right } = (await import(pathToFileURL(join(folder, 'page.mjs')).href)) as {
    $right: { right: unknown };
  };
  expect($right.right).toEqual([2, 'own', 3]);
  expect(order).toEqual(['two-words', 'other']);
});

test.each([
  [
    'an import cycle',
    { a: "import { b } from './b.ts';\n", b: "import { a } from './a.ts';\n" },
    'import each other: a, b, a',
  ],
  ['a missing module', { a: "import { b } from './b.ts';\n" }, 'a imports b, which is not served'],
])('%s is refused', (_, texts, message) => {
  expect(() => link(['a'], modulesOf(texts), { before: new Map(), isShared: false })).toThrow(message);
});

test.each([
  "export * from './b.ts';",
  "import * as b from './b.ts';",
  "import './b.ts';",
  'export default class {}',
])('unsupported syntax is refused: %s', (text) => {
  expect(() => moduleOf(`${text}\n`)).toThrow('import or export that cannot be linked');
});

test('a dynamically imported module is in its own file, which is loaded when needed', async () => {
  const modules = modulesOf({
    slow: "globalThis.order.push('slow');\nconst slow = 7;\nexport default slow;\n",
    quick:
      "globalThis.order.push('quick');\nexport const later = () => import('slow').then((module) => module.default);\n",
  });
  const before = new Map<string, ReadonlySet<string>>();
  expect(() => link(['quick'], modules, { before, isShared: false })).toThrow('slow is imported dynamically');
  const own = link(['slow'], modules, { before, isShared: true });
  before.set('slow.mjs', own.modules);
  const page = link(['quick'], modules, { before, isShared: true });
  expect([page.imports, page.later]).toEqual([[], ['slow.mjs']]);

  const folder = temporaryFolder('linked-later');
  writeFileSync(join(folder, 'slow.mjs'), own.text);
  writeFileSync(join(folder, 'quick.mjs'), page.text);
  const order: string[] = [];
  Object.assign(globalThis, { order });
  const { $quick } = (await import(pathToFileURL(join(folder, 'quick.mjs')).href)) as {
    $quick: { later: () => Promise<number> };
  };
  expect(order).toEqual(['quick']);
  expect(await $quick.later()).toBe(7);
  expect(order).toEqual(['quick', 'slow']);
});
