// Every task of the worker pool by its kind. A worker loads this file and all that it imports: models and schemas, nothing else.
import type { TaskTable } from './task.ts';

export const TASKS = {} as const satisfies TaskTable;
