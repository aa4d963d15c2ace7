// Entry point of an analytics worker thread.
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './lower-priority.ts';
import { serveTasks } from './serve-tasks.ts';
import { TASKS } from './tasks.ts';

if (parentPort === null) throw new Error('This file runs in a worker thread.');
lowerPriority();
serveTasks(parentPort, TASKS);
