// Errors of an engine. The class says what to do: fix the statement, rebuild the warehouse, or wait.

/** A statement failed. `cause` is the driver's error. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The warehouse file or its log cannot be read. Everything in it can be rebuilt from landing: remove it and rebuild. */
export class DamagedWarehouseError extends EngineError {
  override readonly name = 'DamagedWarehouseError';
}

/** A later leader has the warehouse. Nothing was changed. */
export class WarehouseTakenError extends EngineError {
  override readonly name = 'WarehouseTakenError';
}

/** Another process holds the warehouse. Try again when it has ended. */
export class WarehouseBusyError extends EngineError {
  override readonly name = 'WarehouseBusyError';
}

type ErrorClass = new (...given: never[]) => Error;

/** The error of one of these classes behind an error, however it was wrapped; null when it has another cause. */
export function causeAmong<T extends ErrorClass>(
  error: unknown,
  classes: readonly T[],
): InstanceType<T> | null {
  if (!(error instanceof Error)) return null;
  if (classes.some((one) => error instanceof one)) return error as InstanceType<T>;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => causeAmong(one, classes)).find((found) => found !== null) ?? null;
}

export const warehouseDamage = (error: unknown): DamagedWarehouseError | null =>
  causeAmong(error, [DamagedWarehouseError]);
