// Calls of contracts: one call with its result, how calls are made, and what is asked of each of many contracts in one batch.
import { type ContractFunction, contractFunction } from '../../../../platform/base/contract-abi.ts';

/** Multicall3 executes many calls in one, at the same address on nearly every chain. */
export const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';

export const AGGREGATE = contractFunction(
  'aggregate3',
  { calls: [{ target: 'address', allowFailure: 'bool', callData: 'bytes' }] },
  [{ success: 'bool', returnData: 'bytes' }],
);

export interface ContractCall {
  readonly target: string;
  readonly data: string;
}

export interface CallResult {
  readonly isSuccess: boolean;
  /** The result, or the reason why it reverted. */
  readonly data: string;
}

export interface AskOptions {
  /** A call that fails without a reason is a valid result: the contract does not have the function. */
  readonly mayRevert?: boolean;
  /** Maximum number of calls in one request, for calls that are lighter or heavier than others. */
  readonly batch?: number;
  /** Each call alone, in the name of this account, for contracts that answer only to some. */
  readonly from?: string;
}

export type Ask = (calls: readonly ContractCall[], options?: AskOptions) => Promise<readonly CallResult[]>;

/** What a function returned; null if the call reverted or returned something else. */
export function readResult<O>(
  { decodeResult }: Pick<ContractFunction<unknown, O>, 'decodeResult'>,
  result: CallResult | undefined,
): O | null {
  if (result?.isSuccess !== true) return null;
  try {
    return decodeResult(result.data);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}

/** What stands for no address. */
export const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;

/** The address in a word of 32 bytes, in lower case; null for none, and for a word that is no address. */
export function addressInWord(word: string): string | null {
  const [, digits] = ADDRESS_WORD.exec(word.toLowerCase()) ?? [];
  return digits === undefined || `0x${digits}` === NO_ADDRESS ? null : `0x${digits}`;
}

/** The address that a call returned; null if it failed or returned none. */
export const addressIn = (result: CallResult | undefined): string | null =>
  result?.isSuccess === true ? addressInWord(result.data) : null;

export interface Question<T> {
  readonly call: ContractCall;
  /** Null if the call reverted or returned something else. */
  readonly read: (result: CallResult | undefined) => T | null;
}

export const question = <I, O>(
  abi: ContractFunction<I, O>,
  target: string,
  ...inputs: Parameters<ContractFunction<I, O>['encodeCall']>
): Question<O> => ({
  call: { target, data: abi.encodeCall(...inputs) },
  read: (result) => readResult(abi, result),
});

export interface Questions {
  readonly [name: string]: Question<unknown>;
}

export type Answers<Q> = { readonly [Name in keyof Q]: Q[Name] extends Question<infer T> ? T | null : never };

/** The answers for each item, in order. */
export async function askEach<I, Q extends Questions>(
  ask: Ask,
  items: readonly I[],
  questionsOf: (item: I) => Q,
  options?: AskOptions,
): Promise<readonly { readonly item: I; readonly answers: Answers<Q> }[]> {
  const asked = items.map((item) => ({ item, questions: Object.entries(questionsOf(item)) }));
  const results = await ask(
    asked.flatMap(({ questions }) => questions.map(([, { call }]) => call)),
    options,
  );
  let at = 0;
  return asked.map(({ item, questions }) => {
    const answers = questions.map(([name, { read }]) => [name, read(results[at++])]);
    return { item, answers: Object.fromEntries(answers) as Answers<Q> };
  });
}

type Complete<A> = { readonly [Name in keyof A]: Exclude<A[Name], null> };

/** The answers if there is one to every question, otherwise the name of a question without an answer. */
export function complete<A extends object>(answers: A): Complete<A> | string {
  const unanswered = Object.entries(answers).find(([, answer]) => answer === null);
  return unanswered === undefined ? (answers as Complete<A>) : unanswered[0];
}
