// The position of every event of the log, in typed arrays: about 50 bytes per event. Positions are bytes from the start of the whole log,
// as if its segments were one file, so merging segments does not move them.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { foldAddresses } from '../define/parameters.ts';
import { FactColumns } from './fact-columns.ts';
import type { ScannedEvent } from './scan-line.ts';
import { type UlidParts, writeParts } from './ulid-parts.ts';

// A list of ascending numbers below 2^32 that grows by half: four bytes per number, where a JavaScript array needs eight or more.

const FIRST_CAPACITY = 4;
const GROWTH = 1.5;

class GrowingList {
  #items = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const grown = new Uint32Array(Math.ceil(this.#items.length * GROWTH));
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.#length++] = item;
  }

  at(index: number): number {
    const item = index < this.#length ? this.#items[index] : undefined;
    if (item === undefined)
      throw new RangeError(`The list has ${this.#length} items; number ${index} was requested.`);
    return item;
  }
}

const BLOCK = 65_536;
const NO_EVENTS = new GrowingList();
const MAX_TYPES = 256;

interface Block {
  /** Position in the log that `offsets` count from. */
  readonly base: number;
  readonly ids: Uint32Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  readonly types: Uint8Array;
}

export interface EventPosition {
  readonly position: number;
  readonly length: number;
}

export class EventIndex {
  #count = 0;
  /** Number of indexed bytes of the log, and so the start of the next line. */
  #bytes = 0;
  readonly #blocks: Block[] = [];
  readonly #typeNumbers = new Map<string, number>();
  readonly #byType: GrowingList[] = [];
  readonly #bySubject = new Map<string, GrowingList>();
  readonly facts = new FactColumns();

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the next event. `scanned` is its position in `bytes`, which start at `base` in the log; its line ends before `nextLine`. */
  add(bytes: Buffer, scanned: ScannedEvent, where: { base: number; nextLine: number }): void {
    const slot = this.#count % BLOCK;
    if (slot === 0) this.#blocks.push(newBlock(this.#bytes));
    const block = this.#blocks[this.#blocks.length - 1] as Block;
    const offset = where.base + scanned.start - block.base;
    if (offset >= 2 ** 32) throw new RangeError(`Event ${this.#count} is too far from its neighbours.`);
    writeParts(bytes, scanned.idStart, block.ids, slot * 4);
    block.offsets[slot] = offset;
    block.lengths[slot] = scanned.end - scanned.start;
    const type = this.#numberOf(scanned.type);
    block.types[slot] = type;
    this.#byType[type]?.push(this.#count);
    this.#subjectList(scanned.subject).push(this.#count);
    this.facts.push(scanned);
    this.#count++;
    this.#bytes = where.base + where.nextLine;
  }

  /** Ordinals that pass a filter, ascending; undefined for all events. */
  chosen(type: string | undefined, subject: string | undefined): GrowingList | undefined {
    const ofType =
      type === undefined ? undefined : (this.#byType[this.#typeNumbers.get(type) ?? -1] ?? NO_EVENTS);
    if (subject === undefined) return ofType;
    const ofSubject = this.#bySubject.get(foldAddresses(subject)) ?? NO_EVENTS;
    if (type === undefined) return ofSubject;
    const both = new GrowingList();
    for (let i = 0; i < ofSubject.length; i++) {
      const ordinal = ofSubject.at(i);
      if (this.typeNumber(ordinal) === this.#typeNumbers.get(type)) both.push(ordinal);
    }
    return both;
  }

  /** How many of the first `visible` events come before `id`, or up to and including it. */
  rank(id: UlidParts, visible: number, isInclusive: boolean): number {
    return lowerBound(visible, (ordinal) => {
      const order = this.#compare(ordinal, id);
      return isInclusive ? order > 0 : order >= 0;
    });
  }

  position(ordinal: number): EventPosition {
    const { block, slot } = this.#at(ordinal);
    return { position: block.base + (block.offsets[slot] ?? 0), length: block.lengths[slot] ?? 0 };
  }

  id(ordinal: number): UlidParts {
    const { block, slot } = this.#at(ordinal);
    const [a = 0, b = 0, c = 0, d = 0] = block.ids.subarray(slot * 4, slot * 4 + 4);
    return [a, b, c, d];
  }

  /** Number of an event's type in the index. */
  typeNumber(ordinal: number): number {
    const { block, slot } = this.#at(ordinal);
    return block.types[slot] ?? 0;
  }

  /** The numbers of those types that occur in the log. */
  typeNumbers(types: Iterable<string>): ReadonlySet<number> {
    return new Set([...types].flatMap((type) => this.#typeNumbers.get(type) ?? []));
  }

  #at(ordinal: number): { block: Block; slot: number } {
    const block = this.#blocks[Math.floor(ordinal / BLOCK)];
    if (block === undefined)
      throw new RangeError(`The log has ${this.#count} events; number ${ordinal} was requested.`);
    return { block, slot: ordinal % BLOCK };
  }

  #compare(ordinal: number, id: UlidParts): number {
    const { block, slot } = this.#at(ordinal);
    for (let word = 0; word < 4; word++) {
      const difference = (block.ids[slot * 4 + word] ?? 0) - (id[word] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #numberOf(type: string): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#typeNumbers.size;
      if (number >= MAX_TYPES) throw new RangeError(`The log has more than ${MAX_TYPES} event types.`);
      this.#typeNumbers.set(type, number);
      this.#byType.push(new GrowingList());
    }
    return number;
  }

  #subjectList(given: string): GrowingList {
    const subject = foldAddresses(given);
    let list = this.#bySubject.get(subject);
    if (list === undefined) {
      list = new GrowingList();
      this.#bySubject.set(subject, list);
    }
    return list;
  }
}

const newBlock = (base: number): Block => ({
  base,
  ids: new Uint32Array(BLOCK * 4),
  offsets: new Uint32Array(BLOCK),
  lengths: new Uint32Array(BLOCK),
  types: new Uint8Array(BLOCK),
});
