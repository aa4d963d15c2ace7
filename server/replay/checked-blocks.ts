// Which blocks of a segment this process has compared with their hashes. A block is compared before its first byte is served.
import { HASHED_BLOCK, type SegmentIndex } from '../../snapshots/segment-index/segment-index.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export class CheckedBlocks {
  readonly #index: SegmentIndex;
  readonly #bytes: number;
  /** 1 for each checked block. */
  readonly #checked: Uint8Array;
  #left: number;
  /** A block cannot be read, or has other bytes than were published. */
  isDamaged = false;

  /** `bytes`: length of the segment. */
  constructor(index: SegmentIndex, bytes: number, areAllChecked: boolean) {
    this.#index = index;
    this.#bytes = bytes;
    const count = Math.ceil(bytes / HASHED_BLOCK);
    this.#checked = new Uint8Array(areAllChecked ? 0 : count);
    this.#left = areAllChecked ? 0 : count;
  }

  /** The range that must be read to check what is not checked of this range, in whole blocks; undefined if all of it is checked. */
  unchecked({ start, end }: ByteRange): ByteRange | undefined {
    if (this.#left === 0) return undefined;
    const [from, to] = [Math.floor(start / HASHED_BLOCK), Math.ceil(end / HASHED_BLOCK)];
    const first = this.#checked.subarray(from, to).indexOf(0);
    if (first === -1) return undefined;
    const last = this.#checked.subarray(from, to).lastIndexOf(0);
    return {
      start: (from + first) * HASHED_BLOCK,
      end: Math.min((from + last + 1) * HASHED_BLOCK, this.#bytes),
    };
  }

  /** Notes the blocks of `bytes`, which start at the block boundary `start`, as checked. False if one is damaged. */
  check(start: number, bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; at += HASHED_BLOCK) {
      const block = (start + at) / HASHED_BLOCK;
      if (this.#checked[block] === 1) continue;
      if (!this.#index.isBlock(block, bytes.subarray(at, at + HASHED_BLOCK))) return false;
      this.#checked[block] = 1;
      this.#left--;
    }
    return true;
  }
}
