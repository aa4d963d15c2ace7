// A part with transactions is one session: a call made while a transaction is open would become part of it, so calls wait for each other.
// The rows of a stream are read on a connection of their own; only its start takes a turn.
import { type RunSerially, serialQueue } from '../../../platform/base/tasks.ts';
import type { Part } from './part.ts';

/** Returns the same part, or one whose calls wait for each other. Work that runs inside a call must not call the part. */
export function serialized(part: Part): Part {
  if (!part.capabilities.transactions) return part;
  const turn = serialQueue();
  return {
    version: part.version,
    capabilities: part.capabilities,
    absorbed: eachInTurn(part.absorbed, turn),
    state: eachInTurn(part.state, turn),
    versions: eachInTurn(part.versions, turn),
    bindPolicy: (table, rows) => turn(() => part.bindPolicy(table, rows)),
    prepare: (tables) => turn(() => part.prepare(tables)),
    definitions: () => turn(() => part.definitions()),
    describe: (table) => turn(() => part.describe(table)),
    absorb: (model, absorption) => turn(() => part.absorb(model, absorption)),
    clear: (model) => turn(() => part.clear(model)),
    replace: (model, window) => turn(() => part.replace(model, window)),
    merge: (model, window) => turn(() => part.merge(model, window)),
    rebuild: (model, window) => turn(() => part.rebuild(model, window)),
    view: (model, window) => turn(() => part.view(model, window)),
    rows: (sql) => turn(() => part.rows(sql)),
    stream: (sql) => begunInTurn(part.stream(sql), turn),
    exportParquet: (table) => turn(() => part.exportParquet(table)),
    exportRows: (model, rows) => turn(() => part.exportRows(model, rows)),
    importRows: (model, rows) => turn(() => part.importRows(model, rows)),
    transaction: (work) => turn(() => part.transaction(work)),
    close: () => turn(() => part.close()),
  };
}

type Calls = { readonly [name: string]: (...given: never[]) => Promise<unknown> };

/** Makes every method of an object take a turn. All of them must be asynchronous. */
function eachInTurn<T extends object>(object: T, turn: RunSerially): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: never[]) => turn(() => (value as Calls[string]).apply(target, given));
    },
  });
}

async function* begunInTurn<T>(batches: AsyncIterable<T>, turn: RunSerially): AsyncGenerator<T> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    for (let next = await turn(() => iterator.next()); next.done !== true; next = await iterator.next())
      yield next.value;
  } finally {
    await iterator.return?.();
  }
}
