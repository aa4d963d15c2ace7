// Calls of contracts by name: what is asked of each of many contracts in one batch, and what each answered.
import type { ContractFunction } from '../../../../../platform/base/contract-abi.ts';
import {
  type Ask,
  type AskOptions,
  type CallResult,
  type ContractCall,
  readResult,
} from '../contract-call.ts';

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
