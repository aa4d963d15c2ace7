// Why a chain could not be read. None of these is ever taken for "nothing happened".
import { printable } from '../../../../platform/base/printable.ts';

/**
 * `shape`: not what a node returns; `ahead`: the node has not seen the block yet; `pruned`: it no longer has it; `moved`: blocks changed
 * while they were read; `rewritten`: blocks that had been read as final have been replaced; `incomplete`: rows are missing from a response;
 * `refused`: the node refuses even the smallest request; `wrong_chain`: it is a node of another chain.
 */
export type ChainFaultKind =
  | 'shape'
  | 'ahead'
  | 'pruned'
  | 'moved'
  | 'rewritten'
  | 'incomplete'
  | 'refused'
  | 'wrong_chain';

export class ChainFault extends Error {
  override readonly name = 'ChainFault';
  readonly kind: ChainFaultKind;

  constructor(kind: ChainFaultKind, message: string, cause?: unknown) {
    super(printable(message), cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}
