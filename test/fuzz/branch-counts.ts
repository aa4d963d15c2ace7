// Which branches an execution has taken, how often, and whether that is new.

const MAX_BRANCHES = 1 << 17;
/** Numbers of times that count as different: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, more. */
const bucketOf = (times: number): number =>
  times <= 3 ? times - 1 : times < 8 ? 3 : times < 16 ? 4 : times < 32 ? 5 : times < 128 ? 6 : 7;

export class OperationLimitError extends Error {
  override readonly name = 'OperationLimitError';
}

export class BranchCounts {
  readonly #times = new Uint32Array(MAX_BRANCHES);
  /** A bit for each bucket that an earlier execution has reached. */
  readonly #reached = new Uint8Array(MAX_BRANCHES);
  /** Text literals of the file of each branch. */
  readonly #literals: (readonly string[])[] = [];
  #taken: number[] = [];
  #allowed = Number.POSITIVE_INFINITY;
  #reachedBranches = 0;

  /** Registers a branch. `literals` may still grow. */
  add(literals: readonly string[]): number {
    if (this.#literals.length === MAX_BRANCHES) throw new Error('The product has too many branches.');
    return this.#literals.push(literals) - 1;
  }

  count(branch: number): void {
    const times = this.#times[branch] ?? 0;
    if (times === 0) this.#taken.push(branch);
    this.#times[branch] = times + 1;
    if (--this.#allowed < 0) throw new OperationLimitError('Too many operations.');
  }

  /** Begins an execution that may take so many branches. */
  begin(allowed: number): void {
    for (const branch of this.#taken) this.#times[branch] = 0;
    this.#taken = [];
    this.#allowed = allowed;
  }

  /** Ends the execution. The limit no longer holds. */
  end(): { readonly isOver: boolean; readonly operations: number } {
    const isOver = this.#allowed < 0;
    this.#allowed = Number.POSITIVE_INFINITY;
    return { isOver, operations: this.#taken.reduce((sum, branch) => sum + (this.#times[branch] ?? 0), 0) };
  }

  /** Whether the execution took a branch for the first time, or an unusual number of times. Remembers what it took. */
  isNew(): boolean {
    let isNew = false;
    for (const branch of this.#taken) {
      const before = this.#reached[branch] ?? 0;
      const after = before | (1 << bucketOf(this.#times[branch] ?? 0));
      if (after === before) continue;
      isNew = true;
      this.#reached[branch] = after;
      if (before === 0) this.#reachedBranches += 1;
    }
    return isNew;
  }

  /** Forgets what earlier executions have reached. */
  reset(): void {
    this.begin(Number.POSITIVE_INFINITY);
    this.#reached.fill(0);
    this.#reachedBranches = 0;
  }

  /** Branches that any execution has reached since the last reset. */
  get reachedBranches(): number {
    return this.#reachedBranches;
  }

  /** Text literals of the files in which branches were reached. */
  literals(): readonly string[] {
    const lists = new Set(this.#literals.filter((_, branch) => this.#reached[branch] !== 0));
    return [...new Set([...lists].flat())];
  }
}
