// Trino's report of a failed statement, as an error that names the statement and what to do.
import { EngineError } from '../errors.ts';
import { firstLineOf } from '../sql-text.ts';

/** As in Trino's response. */
export interface Failure {
  readonly message: string;
  /** `DIVISION_BY_ZERO` */
  readonly errorName: string;
  /** `USER_ERROR`, `INTERNAL_ERROR`, `INSUFFICIENT_RESOURCES` or `EXTERNAL` */
  readonly errorType: string;
}

const MEMORY = /^(EXCEEDED_(LOCAL|GLOBAL)_MEMORY_LIMIT|CLUSTER_OUT_OF_MEMORY)$/;
/** Errors caused by a node, the network or another writer: the same statement may succeed. */
const PASSING =
  /^(PAGE_TRANSPORT_(TIMEOUT|ERROR)|REMOTE_(TASK_ERROR|TASK_FAILED|HOST_GONE|TASK_MISMATCH)|NO_NODES_AVAILABLE|SERVER_(SHUTTING_DOWN|STARTING_UP)|CLUSTER_OUT_OF_MEMORY|ICEBERG_(COMMIT_ERROR|CATALOG_ERROR|FILESYSTEM_ERROR|CANNOT_OPEN_SPLIT)|ABANDONED_QUERY|TOO_MANY_REQUESTS_FAILED|TRANSACTION_CONFLICT)$/;

export class TrinoError extends EngineError {
  override readonly name = 'TrinoError';
  /** Whether the statement may succeed when it is repeated. */
  readonly isPassing: boolean;

  constructor(failure: Failure, sql: string) {
    super(`${messageOf(failure)}.\nIn the statement: ${firstLineOf(sql)}`, {
      cause: new Error(failure.message),
    });
    this.isPassing = PASSING.test(failure.errorName);
  }
}

const messageOf = ({ errorName, message }: Failure): string =>
  MEMORY.test(errorName)
    ? `${message}: the query does not fit in the memory of Trino (${errorName}): raise query.max-memory and query.max-memory-per-node there, or compute fewer days at once`
    : `${message} (${errorName})`;
