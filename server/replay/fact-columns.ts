// The facts of every event that a search compares, in typed arrays: time, severity, chain and protocol. About 13 bytes per event.
import { SEVERITIES } from '../../schemas/event.ts';
import type { ScannedEvent } from './scan-line.ts';

const FIRST_CAPACITY = 1_024;
const GROWTH = 1.5;
/** The number for an absent name. */
const ABSENT = 0;

export type FactName = 'severity' | 'chain' | 'protocol';

/** Names in lower case, numbered from 1 in order of appearance. */
class Names {
  readonly #numbers = new Map<string, number>();

  add(name: string | undefined): number {
    if (name === undefined) return ABSENT;
    const folded = name.toLowerCase();
    let number = this.#numbers.get(folded);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(folded, number);
    }
    return number;
  }

  of(names: Iterable<string>): ReadonlySet<number> {
    return new Set([...names].flatMap((name) => this.#numbers.get(name.toLowerCase()) ?? []));
  }
}

export class FactColumns {
  #length = 0;
  #seconds = new Float64Array(FIRST_CAPACITY);
  readonly #columns: Record<FactName, Uint32Array> = {
    severity: new Uint32Array(FIRST_CAPACITY),
    chain: new Uint32Array(FIRST_CAPACITY),
    protocol: new Uint32Array(FIRST_CAPACITY),
  };
  readonly #names: Record<FactName, Names> = {
    severity: new Names(),
    chain: new Names(),
    protocol: new Names(),
  };

  constructor() {
    for (const severity of SEVERITIES) this.#names.severity.add(severity);
  }

  push({ second, severity, chain, protocol }: ScannedEvent): void {
    if (this.#length === this.#seconds.length) this.#grow();
    this.#seconds[this.#length] = second;
    this.#columns.severity[this.#length] = this.#names.severity.add(severity);
    this.#columns.chain[this.#length] = this.#names.chain.add(chain);
    this.#columns.protocol[this.#length] = this.#names.protocol.add(protocol);
    this.#length++;
  }

  /** Event time, Unix seconds. */
  second(ordinal: number): number {
    return this.#seconds[ordinal] ?? Number.NaN;
  }

  number(fact: FactName, ordinal: number): number {
    return this.#columns[fact][ordinal] ?? ABSENT;
  }

  /** The numbers of those names that occur in the log. */
  numbersOf(fact: FactName, names: Iterable<string>): ReadonlySet<number> {
    return this.#names[fact].of(names);
  }

  #grow(): void {
    const capacity = Math.ceil(this.#length * GROWTH);
    const seconds = new Float64Array(capacity);
    seconds.set(this.#seconds);
    this.#seconds = seconds;
    for (const fact of Object.keys(this.#columns) as FactName[]) {
      const grown = new Uint32Array(capacity);
      grown.set(this.#columns[fact]);
      this.#columns[fact] = grown;
    }
  }
}
