// What an engine throws. The class decides what to do: mend the statement, rebuild the warehouse, or wait.

/** A statement failed. `cause` is what the driver said. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The warehouse file or its log cannot be read. It holds nothing that landing does not: remove it and rebuild. */
export class DamagedWarehouseError extends EngineError {
  override readonly name = 'DamagedWarehouseError';
}

/** Another process holds the warehouse. Try again when it has ended. */
export class WarehouseBusyError extends EngineError {
  override readonly name = 'WarehouseBusyError';
}

/** The damage of the warehouse that an error comes from, whatever it was wrapped in; null when it has another cause. */
export function warehouseDamage(error: unknown): DamagedWarehouseError | null {
  if (error instanceof DamagedWarehouseError) return error;
  if (!(error instanceof Error)) return null;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map(warehouseDamage).find((damage) => damage !== null) ?? null;
}
