// Parses SQL with dt-sql-parser's Trino grammar. The package is written for bundlers (folder imports, no file extensions), so this file
// gives Node's resolver the locations of its files.
import { existsSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MAP_MEMBERS, SET_MEMBERS } from './parser-tables.ts';

const ENDINGS = ['', '.js', '/index.js'];
const isFile = (url: URL) => existsSync(url) && statSync(fileURLToPath(url)).isFile();

registerHooks({
  resolve(specifier, context, next) {
    const isInside = specifier.startsWith('.') && context.parentURL?.includes('/dt-sql-parser/');
    const urls = isInside ? ENDINGS.map((ending) => new URL(specifier + ending, context.parentURL)) : [];
    const url = urls.find(isFile);
    return url === undefined
      ? next(specifier, context)
      : { url: url.href, format: 'module', shortCircuit: true };
  },
});

interface SyntaxProblem {
  readonly startLine: number;
  readonly startColumn: number;
  readonly message: string;
}

interface Parser {
  validate(sql: string): readonly SyntaxProblem[];
}

const FOLDER = new URL('../../node_modules/dt-sql-parser/dist/parser/trino/index.js', import.meta.url);
const runTime = createRequire(FOLDER)
  .resolve('antlr4ng')
  .replace(/\.cjs$/, '.mjs');
const { HashMap, HashSet } = (await import(pathToFileURL(runTime).href)) as {
  readonly [name in 'HashMap' | 'HashSet']: { readonly prototype: object };
};
Object.defineProperties(HashSet.prototype, SET_MEMBERS);
Object.defineProperties(HashMap.prototype, MAP_MEMBERS);

const { TrinoSQL } = (await import(FOLDER.href)) as { readonly TrinoSQL: new () => Parser };
const parser = new TrinoSQL();

/** `line 3, column 9: …`; empty if the text is valid. */
export const trinoSyntaxProblems = (sql: string): string[] =>
  parser
    .validate(sql)
    .map(({ startLine, startColumn, message }) => `line ${startLine}, column ${startColumn}: ${message}`);
