// A value that is available now or soon. A single server counts in memory, and its requests should not pay for a promise each.

export type MaybePromise<T> = T | Promise<T>;

export const whenResolved = <T, R>(
  value: MaybePromise<T>,
  next: (known: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value));
