// A worker for tests of the pool: tasks that add, count documents, fail, block, never end and die.
import { parentPort } from 'node:worker_threads';
import { serveTasks } from '../../../server/analytics/serve-tasks.ts';
import { TRIAL_TASKS } from './trial-tasks.ts';

if (parentPort === null) throw new Error('This file runs in a worker thread.');
serveTasks(parentPort, TRIAL_TASKS);
