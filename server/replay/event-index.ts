// The position of every event of the log, from the indexes of its segments. Positions are bytes from the start of the whole log, as if its
// segments were one file.
import { lowerBound } from '../../platform/base/lower-bound.ts';
import { compareUlids, type UlidParts } from '../../platform/base/ulid.ts';
import type { SegmentIndex } from '../../snapshots/segment-index/segment-index.ts';

export interface IndexPart {
  readonly index: SegmentIndex;
  /** Ordinal of the first event. */
  readonly first: number;
  /** Position of the segment in the log. */
  readonly base: number;
}

export interface EventPosition {
  readonly position: number;
  readonly length: number;
}

export class EventIndex {
  readonly parts: readonly IndexPart[];
  /** Number of events. */
  readonly count: number;

  /** `segments`: in the order of the log, none empty. */
  constructor(segments: readonly { readonly index: SegmentIndex; readonly bytes: number }[]) {
    let [first, base] = [0, 0];
    this.parts = segments.map(({ index, bytes }) => {
      const part = { index, first, base };
      first += index.count;
      base += bytes;
      return part;
    });
    this.count = first;
  }

  /** How many events come before `id`, or up to and including it. */
  rank(id: UlidParts, isInclusive: boolean): number {
    const number = lowerBound(this.parts.length, (candidate) => {
      const { index } = this.part(candidate);
      const order = compareUlids(index.id(index.count - 1), id);
      return isInclusive ? order > 0 : order >= 0;
    });
    if (number === this.parts.length) return this.count;
    const { index, first } = this.part(number);
    return first + index.rank(id, isInclusive);
  }

  position(ordinal: number): EventPosition {
    const { index, first, base } = this.partOf(ordinal);
    const { start, length } = index.span(ordinal - first);
    return { position: base + start, length };
  }

  id(ordinal: number): UlidParts {
    const { index, first } = this.partOf(ordinal);
    return index.id(ordinal - first);
  }

  part(number: number): IndexPart {
    const part = this.parts[number];
    if (part === undefined)
      throw new RangeError(`The log has ${this.parts.length} segments; number ${number} was requested.`);
    return part;
  }

  partOf(ordinal: number): IndexPart {
    const next = lowerBound(this.parts.length, (candidate) => this.part(candidate).first > ordinal);
    return this.part(next - 1);
  }
}
