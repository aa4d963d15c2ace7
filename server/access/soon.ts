// A value that is available now or soon. A single server counts in memory, and its requests should not pay for a promise each.

export type Soon<T> = T | Promise<T>;

export const onceKnown = <T, R>(value: Soon<T>, next: (known: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
