// What can go wrong in an engine, sorted by what a caller can do about it: rebuild, wait, or mend the statement.

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
