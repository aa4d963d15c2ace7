// Runs a target on mutated inputs, keeps those that reach new branches, and collects what must not happen.
import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { seededRandom } from '../support/seeded-random.ts';
import { type BranchCounts, OperationLimitError } from './branch-counts.ts';
import { type FuzzTarget, MAX_BYTES, OPERATIONS } from './fuzz-target.ts';
import { mutated } from './mutate.ts';

export interface Finding {
  readonly target: string;
  readonly problem: string;
  readonly input: Buffer;
}

export interface FuzzReport {
  readonly target: string;
  readonly executions: number;
  readonly branches: number;
  /** Inputs that each reached something new, seeds included. */
  readonly inputs: number;
  /** The largest number of branches that an execution took, per byte of its input. */
  readonly operationsPerByte: number;
  /** Growth of the heap from the first tenth of the executions to the end, MB. */
  readonly heapGrowthMb: number;
  readonly findings: readonly Finding[];
}

export interface FuzzRun {
  readonly counts: BranchCounts;
  readonly seed: number;
  /** Inputs of earlier runs. */
  readonly corpus: readonly Buffer[];
  readonly isEnded: (executions: number) => boolean;
  /** Called before each execution. */
  readonly begin: (input: Buffer) => void;
  /** Called with each input that reached something new. */
  readonly keep: (input: Buffer) => void;
}

/** A message may name everything that is wrong with an input. */
const MAX_MESSAGE = (bytes: number): number => 16_384 + 32 * bytes;
const MAX_FINDINGS = 20;
const MAX_GROWTH_MB = 48;
const MINIMIZING_ROUNDS = 400;

// What would act on a terminal or forge a line of a log.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

export async function fuzz(target: FuzzTarget, run: FuzzRun): Promise<FuzzReport> {
  const loop = new FuzzLoop(target, run);
  return await loop.report();
}

class FuzzLoop {
  readonly #target: FuzzTarget;
  readonly #run: FuzzRun;
  readonly #random: () => number;
  readonly #corpus: Buffer[] = [];
  readonly #findings = new Map<string, Finding>();
  #executions = 0;
  #operationsPerByte = 0;

  constructor(target: FuzzTarget, run: FuzzRun) {
    this.#target = target;
    this.#run = run;
    this.#random = seededRandom(run.seed);
  }

  async report(): Promise<FuzzReport> {
    const { counts, corpus } = this.#run;
    counts.reset();
    for (const seed of [...this.#target.seeds, ...corpus]) await this.#try(Buffer.from(seed), true);
    const heapMb = await this.#mutate();
    if (heapMb > MAX_GROWTH_MB) this.#add(`the heap grew by ${heapMb} MB`, Buffer.alloc(0));
    return {
      target: this.#target.name,
      executions: this.#executions,
      branches: counts.reachedBranches,
      inputs: this.#corpus.length,
      operationsPerByte: Math.round(this.#operationsPerByte),
      heapGrowthMb: heapMb,
      findings: [...this.#findings.values()],
    };
  }

  /** Returns the growth of the heap after a warm-up, MB. */
  async #mutate(): Promise<number> {
    const { isEnded, counts } = this.#run;
    const { tokens: own = [], maxBytes = MAX_BYTES } = this.#target;
    const tokens = [...own, ...counts.literals().filter(({ length }) => length > 0 && length < 64)];
    let early: number | undefined;
    while (!isEnded(this.#executions) && this.#findings.size < MAX_FINDINGS) {
      if (early === undefined && this.#executions > WARM_UP) early = heapMb();
      const { length } = this.#corpus;
      // Half of the inputs from the newest tenth: they are the least explored.
      const newest = this.#random() < 0.5 ? Math.ceil(length / 10) : length;
      const parent = this.#corpus[length - 1 - Math.floor(this.#random() * newest)] ?? Buffer.alloc(0);
      const source = { random: this.#random, others: this.#corpus, tokens, maxBytes };
      await this.#try(mutated(parent, source), false);
    }
    return early === undefined ? 0 : Math.round(heapMb() - early);
  }

  async #try(input: Buffer, isGiven: boolean): Promise<void> {
    this.#executions += 1;
    const problem = await this.#problemOf(input);
    if (problem !== null && !this.#findings.has(signature(problem)))
      this.#add(problem, await this.#minimized(input, problem));
    if (problem !== null || (!this.#run.counts.isNew() && !isGiven)) return;
    this.#corpus.push(input);
    if (!isGiven) this.#run.keep(input);
  }

  #add(problem: string, input: Buffer): void {
    this.#findings.set(signature(problem), { target: this.#target.name, problem, input });
  }

  async #problemOf(input: Buffer): Promise<string | null> {
    const { counts, begin } = this.#run;
    const { run, operations = OPERATIONS } = this.#target;
    begin(input);
    const limit = operations(input.length);
    counts.begin(limit);
    let thrown: unknown = null;
    try {
      const result = run(input);
      if (result instanceof Promise) await result;
    } catch (error) {
      thrown = error;
    }
    const { isOver, operations: taken } = counts.end();
    this.#operationsPerByte = Math.max(this.#operationsPerByte, taken / Math.max(64, input.length));
    if (isOver || thrown instanceof OperationLimitError) return `takes more than ${limit} branches`;
    return thrown === null ? null : this.#problemOfError(thrown, input.length);
  }

  #problemOfError(thrown: unknown, bytes: number): string | null {
    if (!(thrown instanceof Error)) return `throws what is not an error: ${String(thrown)}`;
    if (!this.#target.refuses.some((one) => thrown instanceof one))
      return `throws ${thrown.name}: ${thrown.message.slice(0, 300)} ${originOf(thrown)}`;
    if (CONTROLS.test(thrown.message)) return `a message has control characters ${originOf(thrown)}`;
    if (thrown.message.length > MAX_MESSAGE(bytes))
      return `a message has ${thrown.message.length} characters ${originOf(thrown)}`;
    return null;
  }

  /** A shorter input with the same problem. */
  async #minimized(input: Buffer, problem: string): Promise<Buffer> {
    let shortest = input;
    for (let round = 0; round < MINIMIZING_ROUNDS && shortest.length > 1; round++) {
      const from = Math.floor(this.#random() * shortest.length);
      const to = from + 1 + Math.floor(this.#random() * (shortest.length - from));
      const shorter = Buffer.concat([shortest.subarray(0, from), shortest.subarray(to)]);
      const found = await this.#problemOf(shorter);
      if (found !== null && signature(found) === signature(problem)) shortest = shorter;
    }
    // The executions of this search are not those of the input itself.
    await this.#problemOf(input);
    return shortest;
  }
}

const WARM_UP = 2_000;

/** The same fault with other values has the same signature. */
const signature = (problem: string): string => problem.replaceAll(/["'`“][^"'`”]*["'`”]|\d+/g, '…');

/** Where the product, or else the target, threw. */
const originOf = ({ stack = '' }: Error): string =>
  /\((?:file:\/\/)?\S*?((?:jobs|server|snapshots|platform|schemas|operations|models|test)\/[\w/.-]+\.ts):\d+/.exec(
    stack,
  )?.[1] ?? '';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

export const nameOfInput = (input: Uint8Array): string => hash('sha256', input, 'hex').slice(0, 16);
