// Every task of the worker pool by kind. Workers load this file and its imports: models and schemas, nothing else.
import { type Calculation, calculate } from '../../models/simulator/calculate.ts';
import { EXIT_TASKS } from './exit/exit-tasks.ts';
import { analyzePortfolio } from './portfolio/analyze.ts';
import type { Documents, TaskTable } from './task.ts';

export const TASKS = {
  ...EXIT_TASKS,
  portfolio: analyzePortfolio,
  simulate: (calculation: Calculation, documents: Documents) => calculate(calculation, documents),
} as const satisfies TaskTable;
